//! Tests of commands that need no service, and of the messages of other commands if no service runs.

use crate::program::{alone, alone_with};

#[test]
fn the_options_of_the_connection_are_listed_separately() {
    let help = alone(&["appointment", "list", "--help"]).output;
    let (own, connection) = help.split_once("\nConnection and output:\n").unwrap();
    for flag in ["--json", "--admin-listen", "--admin-token", "--data-dir"] {
        assert!(connection.contains(flag) && !own.contains(flag), "{flag}: {help}");
    }
    assert!(own.contains("--service") && !connection.contains("--service"), "{help}");
}

#[test]
fn without_a_service_the_message_says_how_to_connect() {
    let ran = alone(&["business", "list"]);
    assert_eq!((ran.code, ran.output.as_str()), (Some(2), ""));
    let places = ["./receptionist-data", "./receptionist-demo", "/var/lib/receptionist"];
    for part in places.into_iter().chain(["--data-dir", "--admin-listen"]) {
        assert!(ran.errors.contains(part), "{part}: {}", ran.errors);
    }
}

#[test]
fn completions_and_the_manual_contain_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = alone(&["completions", shell]);
        assert_eq!(ran.code, Some(0));
        for word in ["availability", "reschedule", "admin-listen", "contacts:read", "appointment.booked"] {
            // The completions of some shells have a backslash before a colon, so backslashes are
            // ignored.
            assert!(ran.output.replace('\\', "").contains(word), "{shell}: {word}");
        }
    }
    assert!(alone(&["man"]).output.contains(".TH receptionist 1"));

    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join("man1");
    assert_eq!(alone(&["man", "--to", to.to_str().unwrap()]).code, Some(0));
    for page in ["receptionist.1", "receptionist-contact-update.1", "receptionist-serve.1"] {
        assert!(to.join(page).exists(), "{page}");
    }
}

#[test]
fn pipes_get_no_colours_unless_requested() {
    for (environment, coloured) in [
        (&[][..], false),
        (&[("CLICOLOR_FORCE", "1")][..], true),
        (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")][..], false),
    ] {
        // The command has a token, so it tries to connect to the address. No process listens there, so the
        // command prints an error.
        let words = ["business", "list", "--admin-listen", "127.0.0.1:1", "--admin-token", "t"];
        let ran = alone_with(&words, environment);
        assert_eq!(ran.code, Some(1));
        assert_eq!(ran.errors.contains('\u{1b}'), coloured, "{environment:?}: {}", ran.errors);
    }
}
