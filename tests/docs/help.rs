//! Tests of `receptionist help TOPIC`.

use receptionist::docs;

use crate::files::{printed, run};

#[test]
fn help_lists_the_topics_and_the_commands() {
    let help = printed(&["help"]);
    for topic in docs::topics() {
        assert!(help.lines().any(|line| line.trim_start().starts_with(topic.name)), "{}: {help}", topic.name);
    }
    assert!(
        help.contains("\nCommands:\n") && help.contains("\nTopics (receptionist help TOPIC):\n"),
        "{help}"
    );
}

#[test]
fn a_topic_is_printed_as_plain_text() {
    for topic in docs::topics() {
        let text = printed(&["help", topic.name]);
        assert!(text.contains(&format!("{}\n===", topic.title())), "{}: {text}", topic.name);
        assert!(!text.contains('\u{1b}') && !text.contains("<!--"), "{}", topic.name);
    }
}

#[test]
fn help_for_a_command_prints_its_help_text() {
    assert_eq!(printed(&["help", "serve"]), printed(&["serve", "--help"]));
    assert_eq!(printed(&["help", "business", "create"]), printed(&["business", "create", "--help"]));
    // A topic and a command are both called `export`, so the output contains both texts.
    let both = printed(&["help", "export"]);
    assert!(
        both.starts_with(&printed(&["export", "--help"])) && both.contains("\nExport and import\n==="),
        "{both}"
    );
}

#[test]
fn an_unknown_word_is_reported_with_the_nearest_topic_or_command() {
    for (word, nearest) in
        [("webhoks", "webhooks"), ("apointment", "appointment"), ("instaling", "installing")]
    {
        let output = run(&["help", word]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{errors}");
        assert!(errors.contains(&format!("there is no command or topic {word:?}")), "{errors}");
        assert!(errors.contains("did you mean") && errors.contains(nearest), "{errors}");
    }
    let output = run(&["help", "xyz"]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("`receptionist help` lists"));
}
