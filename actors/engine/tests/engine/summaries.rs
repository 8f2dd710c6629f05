//! Summaries that the model writes after the end of a conversation, and the count of the tokens of a day.

use std::time::Duration;

use domain::{CallOutcome, Channel, ConversationId, EndedBy};
use engine::BusinessHandle;
use engine::business::CallFilter;
use engine::business::commands::conversations::{DeleteConversation, EndConversation, StartConversation};
use engine::business::commands::erasure::EraseContact;
use serde_json::json;
use view::{CallView, ConversationView};

use crate::harness::{by_operator, everything_else_runs, first_page, pass};
use crate::receptionist::{phone, shown, start};
use crate::script::{DONE, HELP, Stage, Step, calls, says, speech, usage};

const SUMMARY: &str = "The caller asked about the opening hours.";

impl Stage {
    /// Makes a call with one turn, ends it, and returns its id.
    async fn ended(&self) -> ConversationId {
        let from = Some(phone("+15550000009"));
        let voice = StartConversation { from, ..start(Channel::Voice) };
        let id = self.handle().change(by_operator(), voice).await.unwrap().value.id;
        self.script.will(says(HELP));
        self.said(id, "Hello there").await;
        let end = EndConversation { id, by: EndedBy::Caller };
        let ended = self.handle().change(by_operator(), end).await.unwrap().value.conversation;
        assert_eq!((ended.outcome, ended.summary), (Some(CallOutcome::Hangup), None));
        id
    }

    async fn call_of(&self, id: ConversationId) -> Option<CallView> {
        call_of(&self.handle(), id).await
    }

    async fn summary_of(&self, id: ConversationId) -> Option<String> {
        shown(&self.handle(), id).await.conversation.summary
    }
}

async fn call_of(handle: &BusinessHandle, id: ConversationId) -> Option<CallView> {
    let ConversationView { call_id, .. } = shown(handle, id).await.conversation;
    let calls = handle.calls(&CallFilter::default(), &first_page()).await.unwrap().items;
    assert!(calls.len() <= 1, "{calls:?}");
    calls.into_iter().find(|call| Some(call.id) == call_id)
}

#[tokio::test(start_paused = true)]
async fn the_model_writes_the_summary_and_the_call_is_written_with_it() {
    let stage = Stage::new().await;
    stage.script.will_summarize(Step::Waits(Duration::from_secs(9), Box::new(says(SUMMARY))));
    let id = stage.ended().await;
    tokio::time::sleep(Duration::from_secs(8)).await;
    assert!(stage.call_of(id).await.is_none(), "the call awaits its summary");
    assert!(stage.handle().open_conversations(9).await.unwrap().is_empty());
    tokio::time::sleep(Duration::from_secs(2)).await;
    let call = stage.call_of(id).await.unwrap();
    assert_eq!((call.summary.as_deref(), call.outcome), (Some(SUMMARY), CallOutcome::Hangup));
    assert_eq!(call.duration_seconds, 0, "the call ended when the caller hung up");
    let ended = shown(&stage.handle(), id).await.conversation;
    assert_eq!(ended.summary.as_deref(), Some(SUMMARY));
    assert_eq!(ended.contact_id, call.contact_id);
    let asked = stage.script.summarized();
    let text = asked[0]["messages"][1]["content"].as_str().unwrap();
    assert!(text.contains("Caller: \"Hello there\""), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_summary_that_is_late_false_or_too_long_is_not_used() {
    for (name, step) in [
        ("late", Step::Waits(Duration::from_secs(11), Box::new(says(SUMMARY)))),
        ("silent", Step::Silent),
        ("failed", Step::Status(500, "")),
        ("false", says("A haircut was booked.")),
        ("too long", says(&"The caller asked. ".repeat(30))),
        ("empty", Step::Streams(vec![DONE.into()])),
    ] {
        let stage = Stage::new().await;
        stage.script.will_summarize(step);
        let id = stage.ended().await;
        tokio::time::sleep(Duration::from_secs(12)).await;
        let call = stage.call_of(id).await.unwrap_or_else(|| panic!("{name}: there is no call"));
        assert_eq!((call.summary, stage.summary_of(id).await), (None, None), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_the_call_is_written_without_the_model() {
    let mut stage = Stage::new().await;
    stage.script.will_summarize(Step::Silent);
    let id = stage.ended().await;
    stage.world.crash(0).await;
    pass(2).await;
    assert!(stage.call_of(id).await.is_some());
    assert_eq!(stage.summary_of(id).await, None);
}

#[tokio::test(start_paused = true)]
async fn an_erased_or_deleted_conversation_gets_no_summary() {
    let stage = Stage::new().await;
    stage.script.will_summarize(Step::Waits(Duration::from_secs(5), Box::new(says(SUMMARY))));
    let ada = crate::erasing::person("Ada", "+15550000009", "ada@example.com");
    let contact = stage.handle().change(by_operator(), ada).await.unwrap();
    let id = stage.ended().await;
    let erase = EraseContact { id: crate::harness::id_of(&contact) };
    stage.handle().change(by_operator(), erase).await.unwrap();
    pass(2).await;
    assert_eq!(stage.summary_of(id).await, None);
    let call = stage.call_of(id).await.unwrap();
    assert_eq!((call.summary, call.from_number, call.contact_id), (None, None, None));

    let stage = Stage::new().await;
    stage.script.will_summarize(Step::Waits(Duration::from_secs(5), Box::new(says(SUMMARY))));
    let id = stage.ended().await;
    stage.handle().change(by_operator(), DeleteConversation { id }).await.unwrap();
    pass(2).await;
    assert!(stage.handle().conversation(id).await.unwrap().is_none());
    let calls = stage.handle().calls(&CallFilter::default(), &first_page()).await.unwrap().items;
    assert!(calls.is_empty(), "{calls:?}");
}

#[tokio::test(start_paused = true)]
async fn the_tokens_of_a_day_survive_a_restart() {
    let mut stage = Stage::new().await;
    let call = stage.started(Channel::Voice).await;
    stage.script.will(Step::Streams(vec![speech(HELP), usage(600_000), DONE.into()]));
    stage.said(call, "Hello").await;
    stage.script.will_summarize(Step::Streams(vec![speech(SUMMARY), usage(399_999), DONE.into()]));
    stage.handle().change(by_operator(), EndConversation { id: call, by: EndedBy::Caller }).await.unwrap();
    everything_else_runs().await;
    stage.world.restart().await;
    stage.begin();
    let call = stage.started(Channel::Voice).await;
    stage.script.will(calls("end", &json!({})));
    assert!(stage.said(call, "Goodbye for today").await.ended, "one token was left");
    let call = stage.started(Channel::Voice).await;
    stage.said(call, "Hello").await;
    assert_eq!(stage.script.asked().len(), 2, "the business has used its tokens");
    tokio::time::sleep(Duration::from_secs(24 * 3_600)).await;
    stage.script.will(says(HELP));
    assert_eq!(stage.answer("Hello").await, HELP, "the next day has new tokens");
}
