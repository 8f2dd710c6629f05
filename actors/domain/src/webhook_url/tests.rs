use proptest::prelude::*;

use super::*;

fn name(name: &str) -> Host {
    Host::Name(name.to_owned())
}

fn ip(address: &str) -> Host {
    Host::Ip(address.parse().unwrap())
}

/// Returns a host name of this length. Each label has one byte.
fn long_name(bytes: usize) -> String {
    let name = "a.".repeat(bytes / 2) + "b";
    name[name.len() - bytes..].to_owned()
}

#[test]
fn valid_urls_are_accepted() {
    let long = long_name(253);
    let longest = format!("https://example.com/{}", "ü".repeat(WebhookUrl::CHARS_MAX - 20));
    for (text, host, port, path_and_query) in [
        ("https://example.com", name("example.com"), 443, "/"),
        ("HTTPS://Example.COM/Hook?a=B&c", name("example.com"), 443, "/Hook?a=B&c"),
        ("https://example.com:8443/hook", name("example.com"), 8443, "/hook"),
        ("https://example.com:443?", name("example.com"), 443, "/?"),
        ("https://example.com:/", name("example.com"), 443, "/"),
        ("https://example.com:65535/", name("example.com"), 65535, "/"),
        ("https://example.com./hook", name("example.com"), 443, "/hook"),
        ("https://example.com/a/../b", name("example.com"), 443, "/b"),
        ("https://example.com/user@host", name("example.com"), 443, "/user@host"),
        (
            "https://example.com/a|b^c`d{e}\"f?x=`|^{}[]",
            name("example.com"),
            443,
            "/a|b^c%60d%7Be%7D%22f?x=`|^{}[]",
        ),
        ("https://a_b.example.com/", name("a_b.example.com"), 443, "/"),
        ("https://bücher.example/ü", name("xn--bcher-kva.example"), 443, "/%C3%BC"),
        ("https://ｅxample。com/", name("example.com"), 443, "/"),
        ("https://localhost.example.com/", name("localhost.example.com"), 443, "/"),
        ("https://notlocal.mylocalhost.com/", name("notlocal.mylocalhost.com"), 443, "/"),
        ("https://93.184.216.34/", ip("93.184.216.34"), 443, "/"),
        ("https://1572395042/", ip("93.184.216.34"), 443, "/"),
        ("https://93.184.216.34.:8443/", ip("93.184.216.34"), 8443, "/"),
        ("https://[2606:4700::1111]:8443/x", ip("2606:4700::1111"), 8443, "/x"),
        (&format!("https://{long}"), name(&long), 443, "/"),
        (&format!("https://{long}./"), name(&long), 443, "/"),
    ] {
        let url = WebhookUrl::parse(text).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
        assert_eq!((url.as_str(), url.host(), url.port()), (text, &host, port));
        assert_eq!(url.path_and_query(), path_and_query);
    }
    assert_eq!(longest.chars().count(), WebhookUrl::CHARS_MAX);
    assert!(WebhookUrl::parse(&longest).is_ok());
}

#[test]
fn invalid_urls_are_refused() {
    use UrlRefusal::{Characters, Credentials, Fragment, Malformed, NotHttps, NotPublic, Port, TooLong};
    let (long, too_long) =
        (long_name(254), format!("https://example.com/{}", "x".repeat(WebhookUrl::CHARS_MAX - 19)));
    let (long, long_label) = (format!("https://{long}/"), format!("https://{}.com/", "x".repeat(64)));
    for (text, refusal) in [
        (too_long.as_str(), TooLong(WebhookUrl::CHARS_MAX)),
        ("", NotHttps),
        ("https", NotHttps),
        ("https:/example.com", NotHttps),
        ("https:example.com", NotHttps),
        ("http://example.com/", NotHttps),
        ("ftp://example.com/", NotHttps),
        ("//example.com/", NotHttps),
        ("example.com", NotHttps),
        ("ｈttps://example.com/", NotHttps),
        ("javascript:alert(1)//https://example.com", NotHttps),
        ("https:\\\\example.com/", Characters),
        ("https://example.com\\@10.0.0.1/", Characters),
        ("https://example.com/\\", Characters),
        (" https://example.com/", Characters),
        ("https://example.com/ ", Characters),
        ("https://example.com/a b", Characters),
        ("https://exam\tple.com/", Characters),
        ("https://exam\nple.com/", Characters),
        ("https://example.com/\r\nx: y", Characters),
        ("https://example.com/\0", Characters),
        ("https://example.com/\u{7f}", Characters),
        ("https://example.com/\u{85}", Characters),
        ("https://example.com/\u{a0}", Characters),
        ("https://example.com/\u{3000}", Characters),
        ("https://user@example.com/", Credentials),
        ("https://user:password@example.com/", Credentials),
        ("https://:password@example.com/", Credentials),
        ("https://@example.com/", Credentials),
        ("https://:@example.com/", Credentials),
        ("https://example.com/#x", Fragment),
        ("https://example.com#", Fragment),
        ("https://example.com:0/", Port),
        ("https://example.com:65536/", Malformed),
        ("https://example.com:x/", Malformed),
        ("https://", UrlRefusal::Host),
        ("https:///example.com/", UrlRefusal::Host),
        ("https:////10.0.0.1/", UrlRefusal::Host),
        ("https://?example.com", UrlRefusal::Host),
        ("https://:443/", UrlRefusal::Host),
        ("https://.example.com/", UrlRefusal::Host),
        ("https://example..com/", UrlRefusal::Host),
        ("https://example.com../", UrlRefusal::Host),
        ("https://./", UrlRefusal::Host),
        ("https://../", UrlRefusal::Host),
        ("https://exa$mple.com/", UrlRefusal::Host),
        ("https://exa%00mple.com/", UrlRefusal::Host),
        ("https://exa%20mple.com/", UrlRefusal::Host),
        ("https://1.2.3.4.5/", UrlRefusal::Host),
        ("https://256.1.1.1/", UrlRefusal::Host),
        ("https://[::1/", UrlRefusal::Host),
        ("https://[fe80::1%25eth0]/", UrlRefusal::Host),
        (&long, UrlRefusal::Host),
        (&long_label, UrlRefusal::Host),
        ("https://2130706433/", NotPublic),
        ("https://0x7f.1/", NotPublic),
        ("https://0X7F000001/", NotPublic),
        ("https://0177.0.0.1/", NotPublic),
        ("https://127.1/", NotPublic),
        ("https://127.0.0.1./", NotPublic),
        ("https://%31%32%37.0.0.1/", NotPublic),
        ("https://１２７.0.0.1/", NotPublic),
        ("https://127。0。0。1/", NotPublic),
        ("https://①②⑦.0.0.1/", NotPublic),
        ("https://0/", NotPublic),
        ("https://169.254.169.254/latest/meta-data", NotPublic),
        ("https://10.0.0.1/", NotPublic),
        ("https://[::1]/", NotPublic),
        ("https://[::]/", NotPublic),
        ("https://[::ffff:127.0.0.1]/", NotPublic),
        ("https://[::ffff:8.8.8.8]/", NotPublic),
        ("https://[64:ff9b::7f00:1]/", NotPublic),
        ("https://[fd00:ec2::254]/", NotPublic),
        ("https://localhost/", NotPublic),
        ("https://LOCALHOST:8443/", NotPublic),
        ("https://ｌocalhost/", NotPublic),
        ("https://localhost./", NotPublic),
        ("https://a.localhost/", NotPublic),
        ("https://printer.local/", NotPublic),
        ("https://printer.LOCAL./", NotPublic),
        ("https://metadata.google.internal/", NotPublic),
        ("https://router.home.arpa/", NotPublic),
        ("https://home.arpa/", NotPublic),
        ("https://hidden.onion/", NotPublic),
        ("https://example.test/", NotPublic),
        ("https://example.invalid/", NotPublic),
        ("https://kubernetes.default.svc.cluster.local/", NotPublic),
        ("https://intranet/", NotPublic),
        ("https://com./", NotPublic),
        ("https://xn--bcher-kva/", NotPublic),
    ] {
        assert_eq!(WebhookUrl::parse(text).err(), Some(refusal), "{text}");
    }
}

#[test]
fn the_host_header_has_a_port_only_if_it_is_not_443() {
    for (text, authority) in [
        ("https://Example.com.:443/", "example.com"),
        ("https://example.com:8443/", "example.com:8443"),
        ("https://[2606:4700:0::1111]/", "[2606:4700::1111]"),
        ("https://[2606:4700::1111]:1/", "[2606:4700::1111]:1"),
        ("https://1.1.1.1:8443/", "1.1.1.1:8443"),
    ] {
        assert_eq!(WebhookUrl::parse(text).unwrap().authority(), authority, "{text}");
    }
}

#[test]
fn a_url_does_not_show_its_path_in_a_log() {
    let url = WebhookUrl::parse("https://example.com/T0/secret?token=x").unwrap();
    assert_eq!(format!("{url:?}"), "WebhookUrl(example.com)");
}

proptest! {
    #[test]
    fn an_accepted_url_has_a_public_address_or_a_name_with_a_dot(
        rest in "([0-9a-fx%\\.:\\[\\]@#/?]{1,24}|\\PC{1,24}|[a-z0-9.。０-９]{1,16})"
    ) {
        if let Ok(url) = WebhookUrl::parse(&format!("https://{rest}")) {
            match url.host() {
                Host::Name(name) => prop_assert!(name.contains('.') && !name.ends_with('.')),
                Host::Ip(address) => prop_assert!(is_public(*address)),
            }
            prop_assert!(url.port() != 0);
            prop_assert!(url.path_and_query().is_ascii());
        }
    }
}

#[test]
fn a_redirect_leads_to_the_same_origin_or_to_a_public_host() {
    let url = WebhookUrl::from_stored("https://cal.internal:5232/a/b").unwrap();
    for (target, expected) in [
        ("c", Ok("https://cal.internal:5232/a/c")),
        ("/x?y#z", Ok("https://cal.internal:5232/x?y")),
        ("https://a.example/", Ok("https://a.example/")),
        ("//10.0.0.1/", Err(UrlRefusal::NotPublic)),
        ("https://cal.internal/", Err(UrlRefusal::NotPublic)),
        ("http://a.example/", Err(UrlRefusal::NotHttps)),
        ("https://u:p@a.example/", Err(UrlRefusal::Credentials)),
    ] {
        let found = url.join(target);
        assert_eq!(found.as_ref().map(WebhookUrl::as_str), expected.as_ref().copied(), "{target}");
    }
}
