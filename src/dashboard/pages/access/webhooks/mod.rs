//! The pages of webhooks. They show and change the endpoints of a business, and show an endpoint's log and
//! its deliveries.

pub(crate) mod actions;
pub(crate) mod delivery;
mod endpoint;
pub(crate) mod form;
pub(crate) mod one;

use crate::dashboard::view::View;

/// The sample code of a complete receiver. The receiver verifies events by the Standard Webhooks scheme.
struct Receiver {
    id: &'static str,
    title: &'static str,
    text: &'static str,
}

/// The sample receivers, in display order. Each receiver reads the secret from the environment and verifies the raw
/// bytes of the request. The receiver responds with 204 to a valid event, and with 400 if the signature is wrong or the
/// event is more than five minutes old.
const RECEIVERS: [Receiver; 3] = [
    Receiver {
        id: "in-javascript",
        title: "hooks-verify-in-javascript",
        text: include_str!("receivers/node.js"),
    },
    Receiver { id: "in-python", title: "hooks-verify-in-python", text: include_str!("receivers/library.py") },
    Receiver { id: "by-hand", title: "hooks-verify-by-hand", text: include_str!("receivers/plain.py") },
];

impl View {
    fn receivers(&self) -> &'static [Receiver] {
        &RECEIVERS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_with_a_library_are_the_same_as_in_the_topic() {
        let topic = include_str!("../../../../docs/topics/webhooks.md");
        for receiver in RECEIVERS.iter().filter(|receiver| receiver.id != "by-hand") {
            let (install, program) = receiver.text.split_once('\n').unwrap();
            let install = install.trim_start_matches(['#', '/', ' ']);
            assert!(topic.contains(program.trim_end()), "{}", receiver.id);
            assert!(topic.contains(&format!("`{install}`")), "{install}");
        }
    }
}
