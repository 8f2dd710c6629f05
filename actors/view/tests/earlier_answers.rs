//! Tests responses that an earlier version has stored. A repeated request gets the stored response again.
//!
//! Invariant: the repeated response equals the stored response, so it has no property that the earlier version lacked.

use serde::Serialize;
use serde::de::DeserializeOwned;
use view::{
    AffectingView, NotificationsView, OperatorAppointmentView, OperatorBusinessView, OperatorCallView,
    OperatorContactView, OperatorMessageView, OperatorServiceView, OperatorStaffView, PersonView, render,
};

/// The responses of the first version that stored typed responses. Each line contains a name and a response.
const ANSWERS: &str = include_str!("earlier_answers.txt");

fn check<V: Serialize + DeserializeOwned>(name: &str) {
    let answer = ANSWERS.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let answer = answer.unwrap_or_else(|| panic!("there is no answer {name}"));
    let read: V = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(String::from_utf8_lossy(&render(&read)), answer, "{name}");
}

#[test]
fn an_answer_of_an_earlier_version_is_rendered_with_the_same_bytes() {
    check::<OperatorAppointmentView>("appointment");
    check::<AffectingView<OperatorBusinessView>>("business");
    check::<OperatorCallView>("call");
    check::<OperatorContactView>("contact");
    check::<OperatorMessageView>("message");
    check::<NotificationsView>("notifications");
    check::<PersonView>("person");
    check::<AffectingView<OperatorServiceView>>("service");
    check::<AffectingView<OperatorStaffView>>("staff");
    assert_eq!(ANSWERS.lines().count(), 9, "each answer is checked");
}
