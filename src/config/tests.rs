use clap::{CommandFactory, FromArgMatches, Parser};

use super::*;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    serve: ServeArgs,
}

fn args(args: &[&str]) -> Result<Settings, String> {
    let command = Cli::command().mut_args(|arg| arg.env(None::<&str>));
    let matches = command.try_get_matches_from([&["receptionist"], args].concat()).unwrap();
    Settings::try_from(Cli::from_arg_matches(&matches).unwrap().serve).map_err(|error| error.to_string())
}

#[test]
fn without_settings_the_defaults_apply() {
    let settings = args(&[]).unwrap();
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.admin_listen.to_string(), "127.0.0.1:8081");
    assert_eq!(settings.data_dir, PathBuf::from("receptionist-data"));
    assert_eq!(settings.public_url, None);
    assert_eq!(settings.rate_limits.key.get(), 120);
    assert_eq!(settings.connections_per_address.get(), 1024);
    assert_eq!(settings.trusted_proxies, TrustedProxies::default());
    assert_eq!((settings.tls, settings.admin_tls, settings.admin_token), (None, None, None));
    assert_eq!(settings.disk_reserve, DiskReserve::Usual);
    assert_eq!(settings.business_actors_max.get(), 2_000);
    assert_eq!(settings.upgrades, Upgrades::Allowed);
    assert_eq!(settings.log, LogSettings::new("info", LogFormat::Text).unwrap());
}

#[test]
fn every_setting_has_its_flag() {
    let settings = args(&[
        "--listen=[::1]:0",
        "--admin-listen=0.0.0.0:1",
        "--admin-hosts=desk.example, Reception",
        "--calendar-hosts=Cal.local:5232, [fd00::1]:443",
        "--public-url=https://book.example.com",
        "--data-dir=/x",
        "--admin-token=0123456789abcdef",
        "--rate-limit-per-minute=1",
        "--connections-per-address=1",
        "--trusted-proxies=10.0.0.0/8,::1",
        "--disk-reserve=512MiB",
        "--business-actors-max=1",
        "--no-upgrade",
        "--tls-cert=c",
        "--tls-key=k",
        "--admin-tls-cert=ac",
        "--admin-tls-key=ak",
        "--i-know",
        "--log=debug",
        "--log-format=json",
    ]);
    let settings = settings.unwrap();
    assert_eq!(settings.listen.to_string(), "[::1]:0");
    assert_eq!(settings.admin_hosts, ["desk.example", "reception"]);
    assert_eq!(settings.calendar_hosts, ["cal.local:5232", "[fd00::1]:443"]);
    for bad in ["a", "a:0", "a:b", "https://a:1", "a:1,"] {
        let refused = args(&[&format!("--calendar-hosts={bad}")]).unwrap_err();
        assert!(refused.starts_with("RECEPTIONIST_CALENDAR_HOSTS: must be servers"), "{bad}");
    }
    for bad in ["--admin-hosts=a,,b", "--admin-hosts=a:1", "--admin-hosts=10.0.0.1", "--admin-hosts=http://a"]
    {
        assert!(
            args(&[bad]).unwrap_err().starts_with("RECEPTIONIST_ADMIN_HOSTS: must be host names"),
            "{bad}"
        );
    }
    assert_eq!(settings.public_url.as_ref().unwrap().to_string(), "https://book.example.com");
    assert_eq!(
        args(&["--public-url=http://192.0.2.1"]).unwrap_err().split(':').next(),
        Some("RECEPTIONIST_PUBLIC_URL")
    );
    assert_eq!(settings.rate_limits.key.get(), 1);
    assert_eq!(settings.connections_per_address.get(), 1);
    assert_eq!(settings.trusted_proxies, "10.0.0.0/8,::1".parse().unwrap());
    assert_eq!(settings.disk_reserve, DiskReserve::Bytes(512 << 20));
    assert_eq!(settings.business_actors_max.get(), 1);
    assert_eq!(settings.upgrades, Upgrades::Refused);
    assert_eq!(args(&["--no-upgrade=false"]).unwrap().upgrades, Upgrades::Allowed);
    assert_eq!(settings.tls, Some(TlsFiles { cert: "c".into(), key: "k".into(), settings: TLS }));
    let admin_tls = TlsFiles { cert: "ac".into(), key: "ak".into(), settings: ADMIN_TLS };
    assert_eq!(settings.admin_tls, Some(admin_tls));
    assert!(settings.admin_token.as_ref().unwrap().is("0123456789abcdef"));
    assert_eq!(settings.log, LogSettings::new("debug", LogFormat::Json).unwrap());
    assert!(!format!("{settings:?}").contains("0123456789abcdef"));
}

#[test]
fn the_rate_limit_has_two_names_that_must_agree() {
    let [one, too] = ["--rate-limit-per-minute", "--receptionist-rate-limit-per-minute"];
    for given in [&[format!("{one}=7")][..], &[format!("{too}=7")], &[format!("{one}=7"), format!("{too}=7")]]
    {
        let given: Vec<_> = given.iter().map(String::as_str).collect();
        assert_eq!(args(&given).unwrap().rate_limits.key.get(), 7);
    }
    let error = args(&[&format!("{one}=7"), &format!("{too}=8")]).unwrap_err();
    assert!(error.starts_with("RECEPTIONIST_RATE_LIMIT_PER_MINUTE: is 8, and PUBLIC_API"), "{error}");
    let error = args(&[&format!("{too}=0")]).unwrap_err();
    assert!(error.starts_with("RECEPTIONIST_RATE_LIMIT_PER_MINUTE: must be"), "{error}");
}

#[test]
fn every_setting_has_the_variable_of_the_contract() {
    let command = Cli::command();
    let variables: Vec<_> = command.get_arguments().filter_map(|arg| arg.get_env()).collect();
    assert_eq!(
        variables,
        [
            "RECEPTIONIST_LISTEN",
            "RECEPTIONIST_ADMIN_LISTEN",
            "RECEPTIONIST_ADMIN_HOSTS",
            "RECEPTIONIST_CALENDAR_HOSTS",
            "RECEPTIONIST_PUBLIC_URL",
            "RECEPTIONIST_DATA_DIR",
            "RECEPTIONIST_ADMIN_TOKEN",
            "RECEPTIONIST_ADMIN_TOKEN_FILE",
            "PUBLIC_API_RATE_LIMIT_PER_MINUTE",
            "RECEPTIONIST_RATE_LIMIT_PER_MINUTE",
            "RECEPTIONIST_PERSON_RATE_LIMIT_PER_MINUTE",
            "RECEPTIONIST_CONNECTIONS_PER_ADDRESS",
            "RECEPTIONIST_TRUSTED_PROXIES",
            "RECEPTIONIST_DISK_RESERVE",
            "RECEPTIONIST_BUSINESS_ACTORS_MAX",
            "RECEPTIONIST_NO_UPGRADE",
            "RECEPTIONIST_TLS_CERT",
            "RECEPTIONIST_TLS_KEY",
            "RECEPTIONIST_ADMIN_TLS_CERT",
            "RECEPTIONIST_ADMIN_TLS_KEY",
            "RECEPTIONIST_I_KNOW",
            "RECEPTIONIST_SMTP_URL",
            "RECEPTIONIST_SMTP_URL_FILE",
            "RECEPTIONIST_MAIL_FROM",
            "RECEPTIONIST_LLM_URL",
            "RECEPTIONIST_LLM_MODEL",
            "RECEPTIONIST_LLM_KEY",
            "RECEPTIONIST_LLM_KEY_FILE",
            "RECEPTIONIST_LLM_OPTIONS",
            "RECEPTIONIST_LOG",
            "RECEPTIONIST_LOG_FORMAT",
        ]
    );
}

#[test]
fn an_invalid_value_gives_one_line_that_names_the_variable() {
    let number = |value| {
        format!("PUBLIC_API_RATE_LIMIT_PER_MINUTE: must be a whole number of at least 1, not {value:?}")
    };
    for value in ["abc", "0", "-1", "1.5", "4294967296", "1\n2"] {
        let flag = format!("--rate-limit-per-minute={value}");
        assert_eq!(args(&[&flag]).unwrap_err(), number(value));
    }
    for (flag, start) in [
        ("--listen=localhost", "RECEPTIONIST_LISTEN: must be an address"),
        ("--admin-listen=:80", "RECEPTIONIST_ADMIN_LISTEN: must be an address"),
        ("--data-dir=", "RECEPTIONIST_DATA_DIR: must not be empty"),
        ("--listen=", "RECEPTIONIST_LISTEN: must not be empty"),
        ("--admin-token=two words", "RECEPTIONIST_ADMIN_TOKEN: must be visible ASCII"),
        ("--admin-token=0123456789abcde", "RECEPTIONIST_ADMIN_TOKEN: must have at least 16 characters"),
        ("--connections-per-address=0", "RECEPTIONIST_CONNECTIONS_PER_ADDRESS: must be a whole number of"),
        ("--connections-per-address=many", "RECEPTIONIST_CONNECTIONS_PER_ADDRESS: must be a whole number of"),
        ("--trusted-proxies=", "RECEPTIONIST_TRUSTED_PROXIES: must not be empty"),
        ("--trusted-proxies=10.0.0.0/33", "RECEPTIONIST_TRUSTED_PROXIES: must be at most 256 networks or"),
        ("--trusted-proxies=10.0.0.1,\nx", "RECEPTIONIST_TRUSTED_PROXIES: must be at most 256 networks or"),
        ("--disk-reserve=", "RECEPTIONIST_DISK_RESERVE: must not be empty"),
        ("--disk-reserve=much", "RECEPTIONIST_DISK_RESERVE: must be a size such as 512MiB, 2GB or 0, not"),
        ("--disk-reserve=-1", "RECEPTIONIST_DISK_RESERVE: must be a size"),
        ("--business-actors-max=0", "RECEPTIONIST_BUSINESS_ACTORS_MAX: must be a whole number of at least 1"),
        ("--tls-cert=c", "RECEPTIONIST_TLS_KEY: must be set when RECEPTIONIST_TLS_CERT is set"),
        ("--tls-key=k", "RECEPTIONIST_TLS_CERT: must be set when RECEPTIONIST_TLS_KEY is set"),
        (
            "--admin-tls-cert=c",
            "RECEPTIONIST_ADMIN_TLS_KEY: must be set when RECEPTIONIST_ADMIN_TLS_CERT is set",
        ),
        (
            "--admin-tls-key=k",
            "RECEPTIONIST_ADMIN_TLS_CERT: must be set when RECEPTIONIST_ADMIN_TLS_KEY is set",
        ),
        ("--i-know=maybe", "RECEPTIONIST_I_KNOW: must be true or false, not \"maybe\""),
        ("--log=a=b=c", "RECEPTIONIST_LOG: must be a log filter"),
        ("--log-format=xml", "RECEPTIONIST_LOG_FORMAT: must be text or json, not \"xml\""),
    ] {
        let error = args(&[flag]).unwrap_err();
        assert!(error.starts_with(start) && !error.contains('\n'), "{error}");
        assert!(!error.contains("two words"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_value_that_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let bad = ServeArgs { log: Some(OsString::from_vec(vec![0xff])), ..ServeArgs::default() };
    assert_eq!(Settings::try_from(bad).unwrap_err().to_string(), "RECEPTIONIST_LOG: must be valid UTF-8");
}

#[test]
fn help_never_shows_the_token() {
    let command = Cli::command();
    let token = command.get_arguments().find(|arg| arg.get_id() == "admin_token").unwrap();
    assert!(token.is_hide_env_values_set());
}

#[test]
fn an_exposed_operator_listener_needs_tls_or_a_confirmation() {
    for loopback in ["127.0.0.1:1", "127.9.9.9:0", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
        assert!(!args(&[&format!("--admin-listen={loopback}")]).unwrap().admin_is_exposed(), "{loopback}");
    }
    for exposed in ["0.0.0.0:1", "[::]:1", "192.0.2.1:1", "[2001:db8::1]:1"] {
        let listen = format!("--admin-listen={exposed}");
        for more in [&[][..], &["--i-know=false"]] {
            let error = args(&[&[&listen[..]], more].concat()).unwrap_err();
            assert!(error.starts_with("RECEPTIONIST_ADMIN_LISTEN: must be a loopback address"), "{error}");
        }
        assert!(args(&[&listen, "--i-know"]).unwrap().admin_is_exposed());
        assert!(args(&[&listen, "--i-know=true"]).unwrap().admin_is_exposed());
        let with_tls = args(&[&listen, "--admin-tls-cert=c", "--admin-tls-key=k"]).unwrap();
        assert!(!with_tls.admin_is_exposed());
    }
}

#[test]
fn mails_need_a_relay_and_a_sender_and_the_password_is_never_printed() {
    assert_eq!(args(&[]).unwrap().mail, None);
    let relay = "--smtp-url=smtps://u:geheim@mail.example.com";
    let mail = args(&[relay, "--mail-from=Desk <desk@example.com>"]).unwrap().mail.unwrap();
    assert_eq!(format!("{:?}", mail.relay), "Relay(Tls mail.example.com:465)");
    assert_eq!(
        args(&["--mail-from=desk@example.com"]).unwrap().mail,
        None,
        "without a relay no mail is sent"
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "smtp://u:geheim@mail.example.com\n").unwrap();
    let in_file = format!("--smtp-url-file={}", file.path().display());
    let mail = args(&[&in_file, "--mail-from=desk@example.com"]).unwrap().mail.unwrap();
    assert_eq!(format!("{:?}", mail.relay), "Relay(StartTls mail.example.com:587)");
    std::fs::write(file.path(), "smtp://u:geheim@mail.example.com/x").unwrap();
    for (flags, start) in [
        (&[relay][..], "RECEPTIONIST_MAIL_FROM: must be set when RECEPTIONIST_SMTP_URL is set"),
        (&[relay, "--mail-from=desk"], "RECEPTIONIST_MAIL_FROM: must be an address such as"),
        (&["--mail-from="], "RECEPTIONIST_MAIL_FROM: must not be empty"),
        (&["--smtp-url="], "RECEPTIONIST_SMTP_URL: must not be empty"),
        (&["--smtp-url=smtp+plain://geheim.example:25"], "RECEPTIONIST_SMTP_URL: "),
        (&["--smtp-url=ftp://u:geheim@host"], "RECEPTIONIST_SMTP_URL: must be smtps://"),
        (&[relay, &in_file], "RECEPTIONIST_SMTP_URL_FILE: must not be set when RECEPTIONIST_SMTP_URL is"),
        (&[&in_file], "RECEPTIONIST_SMTP_URL_FILE: "),
    ] {
        let error = args(flags).unwrap_err();
        assert!(error.starts_with(start), "{error}");
        assert!(!error.contains("geheim") && !error.contains('\n'), "{error}");
    }
}

#[test]
fn a_secret_can_be_in_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("token");
    let flag = format!("--admin-token-file={}", file.display());
    for held in ["0123456789abcdef", "0123456789abcdef\n", "0123456789abcdef\r\n"] {
        std::fs::write(&file, held).unwrap();
        assert!(args(&[&flag]).unwrap().admin_token.unwrap().is("0123456789abcdef"));
    }
    let both = args(&[&flag, "--admin-token=0123456789abcdef"]).unwrap_err();
    assert_eq!(both, "RECEPTIONIST_ADMIN_TOKEN_FILE: must not be set when RECEPTIONIST_ADMIN_TOKEN is");
    let start = format!("RECEPTIONIST_ADMIN_TOKEN_FILE: {}: ", file.display());
    for (held, why) in [
        (&b"0123456789abcdef\n\n"[..], "must be visible ASCII characters without white space"),
        (b"secret\n", "must have at least 16 characters"),
        (b"", "must have at least 16 characters"),
        (b"0123456789abcdef\xff", "must be valid UTF-8"),
        (&[b'x'; 64 * 1024 + 1], "is longer than 65536 bytes"),
    ] {
        std::fs::write(&file, held).unwrap();
        let error = args(&[&flag]).unwrap_err();
        assert_eq!(error, format!("{start}{why}"));
    }
    std::fs::remove_file(&file).unwrap();
    let error = args(&[&flag]).unwrap_err();
    assert_eq!(error, format!("{start}cannot be read: No such file or directory (os error 2)"));
    let empty = args(&["--admin-token-file="]).unwrap_err();
    assert!(empty.starts_with("RECEPTIONIST_ADMIN_TOKEN_FILE: must not be empty"), "{empty}");
}
