//! Calls in which a chat model speaks: a slow model, and codes.

use std::time::Duration;

use domain::Channel;
use engine::business::commands::conversations::StartConversation;
use engine::mail::letter::Content;
use serde_json::json;

use crate::erasing::person;
use crate::harness::{at, by_operator, everything_else_runs, id_of};
use crate::post::Post;
use crate::receptionist::{phone, shown, start, started};
use crate::script::{DONE, HELP, Stage, Step, calls, delta, last, says};
use crate::talking::guided;

#[tokio::test(start_paused = true)]
async fn a_call_hears_that_a_slow_model_needs_a_moment() {
    let late = |step| Step::Waits(Duration::from_millis(1_300), Box::new(step));
    let stage = Stage::new().await;
    for (channel, step, expected) in [
        (Channel::Voice, late(says(HELP)), format!("One moment, please. {HELP}")),
        (Channel::Voice, Step::Waits(Duration::from_millis(1_100), Box::new(says(HELP))), HELP.to_owned()),
        (Channel::Website, late(says(HELP)), HELP.to_owned()),
    ] {
        stage.script.will(step);
        let id = stage.started(channel).await;
        let taken = stage.said(id, "Do you cut hair?").await;
        assert_eq!(last(&taken), expected, "{channel}");
    }
    // After a failed request, the guided path answers. The caller has waited in this case too, so the answer begins
    // with "One moment".
    stage.script.will(late(Step::Status(500, "")));
    let id = stage.started(Channel::Voice).await;
    let answer = last(&stage.said(id, "I would like a haircut").await);
    let expected = guided("I would like a haircut").await;
    assert!(answer.starts_with("One moment, please. ") && answer.contains(&expected), "{answer}");
    // A line such as "One moment, please." is said in at most two consecutive turns, so the third turn begins without
    // it.
    let id = stage.started(Channel::Voice).await;
    for (answer, says_so) in [("I can help you.", true), ("We can look.", true), ("Please go on.", false)] {
        stage.script.will(late(says(answer)));
        let said = last(&stage.said(id, "Do you cut hair?").await);
        assert_eq!(
            (said.starts_with("One moment, please. "), said.ends_with(answer)),
            (says_so, true),
            "{said}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_checks_the_code_can_list_the_callers_appointments() {
    let stage = Stage::new().await;
    let (post, handle) = (Post::of(&stage.world.engine), stage.handle());
    let ada = person("Ada Lovelace", "+15550000007", "ada@example.com");
    handle.change(by_operator(), ada).await.unwrap();
    let booked = handle.change(by_operator(), stage.shop.booking(at(2, 9), 7)).await.unwrap();
    let from = Some(phone("+15550000007"));
    let id = started(&handle, StartConversation { from, ..start(Channel::Voice) }).await;
    stage.script.will(calls("my_appointments", &json!({})));
    stage.script.will(calls("send_code", &json!({})));
    let sent = last(&stage.said(id, "I cannot come next week").await);
    assert_eq!(sent, "If we know this number, a code is on its way.");
    everything_else_runs().await;
    let code = post.take().into_iter().find_map(|letter| match letter.content {
        Content::Code(code) => Some(code),
        _ => None,
    });
    let code = code.unwrap();
    // The model calls the function with a code that the caller has not said, so the caller is not verified.
    stage.script.will(calls("check_code", &json!({ "code": code })));
    stage.script.will(says("Please give me the code again."));
    stage.said(id, "One second please, I am looking").await;
    assert!(!shown(&handle, id).await.conversation.verified);
    stage.script.will(calls("check_code", &json!({ "code": code })));
    stage.script.will(calls("my_appointments", &json!({})));
    stage.script.will(calls("cancel", &json!({ "appointment": "a1" })));
    let read_back = last(&stage.said(id, &format!("It says {code}, can you see it")).await);
    assert!(read_back.ends_with("Shall I cancel it?"), "{read_back}");
    assert!(shown(&handle, id).await.conversation.verified);
    assert!(last(&stage.said(id, "yes").await).starts_with("Cancelled: Cut"));
    assert!(!handle.appointment(id_of(&booked)).await.unwrap().unwrap().status.is_active());
}

#[tokio::test(start_paused = true)]
async fn a_model_has_five_tries_for_a_code_in_a_turn() {
    let stage = Stage::new().await;
    let (post, handle) = (Post::of(&stage.world.engine), stage.handle());
    let ada = person("Ada Lovelace", "+15550000007", "ada@example.com");
    handle.change(by_operator(), ada).await.unwrap();
    handle.change(by_operator(), stage.shop.booking(at(2, 9), 7)).await.unwrap();
    let from = Some(phone("+15550000007"));
    let id = started(&handle, StartConversation { from, ..start(Channel::Voice) }).await;
    stage.script.will(calls("send_code", &json!({})));
    stage.said(id, "I cannot come next week").await;
    everything_else_runs().await;
    let sent = post.take().into_iter().find_map(|letter| match letter.content {
        Content::Code(code) => Some(code),
        _ => None,
    });
    let sent = sent.unwrap();
    let wrong = (0..5).map(|more| format!("{:06}", (sent.parse::<u32>().unwrap() + 1 + more) % 1_000_000));
    let codes: Vec<String> = wrong.chain([sent.clone()]).collect();
    for (code, answer) in codes.iter().zip([HELP, "Please go on."].into_iter().cycle()) {
        stage.script.will(says(answer));
        stage.said(id, &format!("is it {code}, hm")).await;
    }
    let pieces = codes.iter().enumerate().map(|(index, code)| {
        let function = json!({"name": "check_code", "arguments": json!({ "code": code }).to_string()});
        let call =
            json!({"index": index, "id": format!("c{index}"), "type": "function", "function": function});
        delta(&json!({ "tool_calls": [call] }))
    });
    stage.script.will(Step::Streams(pieces.chain([DONE.into()]).collect()));
    stage.script.will(says(HELP));
    stage.said(id, "Try them, please").await;
    let asked = stage.script.asked().pop().unwrap();
    let messages = asked["messages"].as_array().unwrap().iter();
    let answers: Vec<&str> = messages
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert_eq!(answers, ["Error: That is not the code. Ask for it again."; 6]);
    assert!(!shown(&handle, id).await.conversation.verified);
}
