//! The limits of turns in which a chat model speaks: the size of a conversation, its tokens and its functions.

use domain::Channel;
use engine::business::commands::conversations::StartConversation;
use engine::business::commands::receptionist::PatchReceptionist;

use crate::harness::by_operator;
use crate::receptionist::{phone, say, start, started};
use crate::script::{HELP, Stage, says};

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
        // A line is said in at most two consecutive turns.
        let said = if turn % 2 == 0 { HELP } else { "What else would you like to know?" };
        stage.script.will(says(&format!("{dropped}{said}")));
        let taken = stage.handle().take_turn(by_operator(), say(id, "Hello")).await.unwrap();
        assert_eq!(taken.value.turns.last().unwrap().dropped.len(), 1);
    }
}
