//! The limits of turns in which a chat model speaks: the size of a conversation, its tokens and its functions.

use std::time::Duration;

use domain::Channel;
use engine::business::commands::conversations::StartConversation;
use engine::business::commands::receptionist::PatchReceptionist;
use ports::ModelFault;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::harness::{at, by_operator};
use crate::receptionist::{phone, say, shown, start, started};
use crate::script::{DONE, HELP, Stage, Step, calls, last, says, speech, usage};
use crate::talking::guided;

async fn limited_to(tokens_per_day: u64) -> Stage {
    let stage = Stage::new().await;
    let patch = PatchReceptionist { tokens_per_day: Some(tokens_per_day), ..PatchReceptionist::default() };
    stage.patch(patch).await;
    stage
}

#[tokio::test(start_paused = true)]
async fn sentences_that_a_rule_drops_do_not_make_a_conversation_too_long() {
    let stage = limited_to(u64::from(u32::MAX)).await;
    let from = Some(phone("+15550000007"));
    let id = started(&stage.handle(), StartConversation { from, ..start(Channel::Sms) }).await;
    let dropped = format!("# {}\n", "\u{1f642}".repeat(290)).repeat(20);
    for turn in 0..60 {
        // A line is said in at most two consecutive turns, so the turns alternate between two lines.
        let said = if turn % 2 == 0 { HELP } else { "What else would you like to know?" };
        stage.script.will(says(&format!("{dropped}{said}")));
        let taken = stage.handle().take_turn(by_operator(), say(id, "Hello")).await.unwrap();
        assert_eq!(taken.value.turns.last().unwrap().dropped.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_whose_client_disconnects_is_stored_and_counts() {
    let stage = limited_to(1).await;
    let id = stage.started(Channel::Voice).await;
    stage.script.will(Step::Waits(Duration::from_secs(1), Box::new(says(HELP))));
    assert!(timeout(Duration::from_millis(500), stage.said(id, "Hello")).await.is_err());
    let other = stage.started(Channel::Voice).await;
    stage.said(other, "Hello").await;
    assert_eq!(stage.script.asked().len(), 1, "a request counts from the moment when it is sent");
    sleep(Duration::from_secs(1)).await;
    assert_eq!(shown(&stage.handle(), id).await.turns.last().unwrap().text, HELP);
    stage.said(id, "Hello again").await;
    assert_eq!(stage.script.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_request_counts_without_a_plausible_number_of_tokens() {
    let count = |tokens| Step::Streams(vec![speech(HELP), usage(tokens), DONE.into()]);
    for (step, requests) in [
        (Step::Silent, 1),
        (count(0), 1),
        (count(9), 1),
        (count(499), 2),
        (Step::Status(503, ""), 2),
        (Step::Fails(ModelFault::Unreachable), 2),
    ] {
        let stage = limited_to(500).await;
        stage.script.will(step);
        stage.script.will(says(HELP));
        let id = stage.started(Channel::Voice).await;
        stage.said(id, "Hello").await;
        stage.said(id, "Hello again").await;
        assert_eq!(stage.script.asked().len(), requests);
    }
}

#[tokio::test(start_paused = true)]
async fn a_function_that_takes_too_long_leaves_the_turn_to_the_guided_path() {
    let words = "I would like a haircut";
    let expected = guided(words).await;
    let stage = Stage::new().await;
    let id = stage.started(Channel::Website).await;
    let step = calls("find_openings", &json!({"service": "s1"}));
    stage.script.will(Step::Waits(Duration::from_secs(2), Box::new(step)));
    let handle = stage.handle();
    let turn = tokio::spawn(async move { handle.take_turn(by_operator(), say(id, words)).await });
    sleep(Duration::from_secs(1)).await;
    // The result of the function `find_openings` waits until this change is durable.
    stage.world.disk.hold_syncs();
    let _booked = stage.world.ask(&stage.shop, stage.shop.booking(at(2, 9), 1)).await;
    sleep(Duration::from_secs(9)).await;
    stage.world.disk.release_syncs();
    assert_eq!(last(&turn.await.unwrap().unwrap().value), expected);
    assert_eq!(stage.script.asked().len(), 1, "the turn has no time for another round");
}
