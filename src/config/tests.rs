//! The settings: their defaults, their flags and variables, and what is said of bad ones.

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
fn nothing_set_gives_the_defaults() {
    let settings = args(&[]).unwrap();
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.admin_listen.to_string(), "127.0.0.1:8081");
    assert_eq!(settings.data_dir, PathBuf::from("receptionist-data"));
    assert_eq!(settings.rate_limit_per_minute.get(), 120);
    assert_eq!(settings.connections_per_address.get(), 1024);
    assert_eq!(settings.trusted_proxies, TrustedProxies::default());
    assert_eq!((settings.tls, settings.admin_token), (None, None));
    assert_eq!(settings.disk_reserve, DiskReserve::Usual);
    assert_eq!(settings.upgrades, Upgrades::Allowed);
    assert_eq!(settings.log, LogSettings::new("info", LogFormat::Text).unwrap());
}

#[test]
fn every_setting_has_its_flag() {
    let settings = args(&[
        "--listen=[::1]:0",
        "--admin-listen=0.0.0.0:1",
        "--data-dir=/x",
        "--admin-token=0123456789abcdef",
        "--rate-limit-per-minute=1",
        "--connections-per-address=1",
        "--trusted-proxies=10.0.0.0/8,::1",
        "--disk-reserve=512MiB",
        "--no-upgrade",
        "--tls-cert=c",
        "--tls-key=k",
        "--log=debug",
        "--log-format=json",
    ]);
    let settings = settings.unwrap();
    assert_eq!(settings.listen.to_string(), "[::1]:0");
    assert_eq!(settings.rate_limit_per_minute.get(), 1);
    assert_eq!(settings.connections_per_address.get(), 1);
    assert_eq!(settings.trusted_proxies, "10.0.0.0/8,::1".parse().unwrap());
    assert_eq!(settings.disk_reserve, DiskReserve::Bytes(512 << 20));
    assert_eq!(settings.upgrades, Upgrades::Refused);
    assert_eq!(args(&["--no-upgrade=false"]).unwrap().upgrades, Upgrades::Allowed);
    assert_eq!(settings.tls, Some(TlsFiles { cert: "c".into(), key: "k".into() }));
    assert!(settings.admin_token.as_ref().unwrap().is("0123456789abcdef"));
    assert_eq!(settings.log, LogSettings::new("debug", LogFormat::Json).unwrap());
    assert!(!format!("{settings:?}").contains("0123456789abcdef"));
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
            "RECEPTIONIST_DATA_DIR",
            "RECEPTIONIST_ADMIN_TOKEN",
            "PUBLIC_API_RATE_LIMIT_PER_MINUTE",
            "RECEPTIONIST_CONNECTIONS_PER_ADDRESS",
            "RECEPTIONIST_TRUSTED_PROXIES",
            "RECEPTIONIST_DISK_RESERVE",
            "RECEPTIONIST_NO_UPGRADE",
            "RECEPTIONIST_TLS_CERT",
            "RECEPTIONIST_TLS_KEY",
            "RECEPTIONIST_LOG",
            "RECEPTIONIST_LOG_FORMAT",
        ]
    );
}

#[test]
fn a_bad_value_is_one_line_that_names_the_variable() {
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
        ("--connections-per-address=0", "RECEPTIONIST_CONNECTIONS_PER_ADDRESS: must be a whole number of"),
        ("--connections-per-address=many", "RECEPTIONIST_CONNECTIONS_PER_ADDRESS: must be a whole number of"),
        ("--trusted-proxies=", "RECEPTIONIST_TRUSTED_PROXIES: must not be empty"),
        ("--trusted-proxies=10.0.0.0/33", "RECEPTIONIST_TRUSTED_PROXIES: must be at most 256 networks or"),
        ("--trusted-proxies=10.0.0.1,\nx", "RECEPTIONIST_TRUSTED_PROXIES: must be at most 256 networks or"),
        ("--disk-reserve=", "RECEPTIONIST_DISK_RESERVE: must not be empty"),
        ("--disk-reserve=much", "RECEPTIONIST_DISK_RESERVE: must be a size such as 512MiB, 2GB or 0, not"),
        ("--disk-reserve=-1", "RECEPTIONIST_DISK_RESERVE: must be a size"),
        ("--no-upgrade=1", "RECEPTIONIST_NO_UPGRADE: must be true or false, not \"1\""),
        ("--tls-cert=c", "RECEPTIONIST_TLS_KEY: must be set when RECEPTIONIST_TLS_CERT is"),
        ("--tls-key=k", "RECEPTIONIST_TLS_CERT: must be set when RECEPTIONIST_TLS_KEY is"),
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
fn a_value_that_is_no_text_is_a_bad_value() {
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
