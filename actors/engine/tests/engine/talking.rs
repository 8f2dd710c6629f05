//! Turns in which a chat model speaks for the receptionist. The model's server follows a script.

use std::time::Duration;

use domain::{
    CallOutcome, Channel, Conflict, ConversationMode, EffectKind, EndedBy, GateRule, Refusal,
    ResourceId as _, UnderWay,
};
use engine::EngineError;
use engine::business::MessageFilter;
use engine::business::commands::conversations::{EndConversation, StartConversation};
use engine::business::commands::receptionist::PatchReceptionist;
use ports::ModelFault;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::harness::{World, at, by_operator, everything_else_runs, first_page, once};
use crate::receptionist::{say, start};
use crate::script::{DONE, HELP, Stage, Step, call, calls, last, says, speech, usage};

/// The answer of the guided path to these words.
pub(crate) async fn guided(words: &str) -> String {
    let world = World::new(7).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let id = handle.change(by_operator(), start(Channel::Website)).await.unwrap().value.id;
    last(&handle.take_turn(by_operator(), say(id, words)).await.unwrap().value)
}

#[tokio::test(start_paused = true)]
async fn a_model_speaks_and_sees_the_conversation() {
    let stage = Stage::new().await;
    let id = stage.started(Channel::Website).await;
    stage.script.will(says(HELP));
    assert_eq!(last(&stage.said(id, "Do you \"cut\" hair?\nToday?").await), HELP);
    let shown = stage.handle().conversation(id).await.unwrap().unwrap().conversation;
    assert_eq!(shown.mode, ConversationMode::Model);
    let asked = &stage.script.asked()[0];
    assert_eq!(
        (&asked["model"], &asked["temperature"], &asked["stream"]),
        (&json!("small"), &json!(0), &json!(true))
    );
    assert_eq!(asked["stream_options"], json!({"include_usage": true}));
    let messages = asked["messages"].as_array().unwrap();
    assert!(messages[0]["content"].as_str().unwrap().contains("Service s1: \"Cut\", with p1."));
    assert_eq!(messages.last().unwrap()["content"], "\"Do you 'cut' hair? Today?\"");
    let named =
        |name: &str| asked["tools"].as_array().unwrap().iter().any(|it| it["function"]["name"] == name);
    assert!(named("find_openings") && named("book") && !named("transfer") && !named("move"));
}

#[tokio::test(start_paused = true)]
async fn a_booking_by_a_model_needs_the_callers_own_yes() {
    let stage = Stage::new().await;
    let id = stage.started(Channel::Website).await;
    stage.script.will(Step::Streams(vec![
        speech("Let me look. "),
        call("find_openings", &json!({"service": "s1", "from_date": "2026-03-05", "time": "10:00"})),
        DONE.into(),
    ]));
    let book = json!({"time": "t1", "name": "Ada Lovelace", "email": "ada@example.com"});
    stage.script.will(calls("book", &book));
    let asked = stage.said(id, "A cut on Thursday, for Ada Lovelace, ada@example.com").await;
    let read_back = last(&asked);
    assert!(read_back.contains("for Ada Lovelace. Shall I book it?"), "{read_back}");
    let asked = stage.script.asked();
    let answer = &asked[1]["messages"].as_array().unwrap().last().unwrap()["content"];
    assert!(answer.as_str().unwrap().contains("t1 = Thursday 5 March"), "{answer}");
    let shown = stage.handle().conversation(id).await.unwrap().unwrap().conversation;
    assert!(shown.appointment_ids.is_empty(), "nothing may be booked before the yes");
    let done = stage.said(id, "yes").await;
    assert!(last(&done).starts_with("Booked: Cut with Staff 0"), "{}", last(&done));
    assert_eq!(stage.script.asked().len(), 2, "the model must not get the yes");
    let shown = stage.handle().conversation(id).await.unwrap().unwrap().conversation;
    let [booked] = shown.appointment_ids[..] else { panic!("{shown:?}") };
    let starts_at = stage.handle().appointment(booked).await.unwrap().unwrap().starts_at;
    assert!(starts_at >= at(3, 0) && starts_at < at(4, 0), "{starts_at}");
}

#[tokio::test(start_paused = true)]
async fn a_message_by_a_model_has_the_callers_words() {
    let mut stage = Stage::new().await;
    let id = stage.started(Channel::Voice).await;
    stage.script.will(calls("take_message", &json!({"urgency": "urgent", "name": "Bo", "phone": "1"})));
    stage.script.will(calls("take_message", &json!({"urgency": "urgent", "name": "Bo"})));
    let taken = stage.said(id, "My tap is leaking, please come").await;
    assert_eq!(taken.turns.last().unwrap().effects[0].kind, EffectKind::MessageTaken, "{taken:?}");
    stage.world.crash(0).await;
    let messages = stage.handle().messages(&MessageFilter::default(), &first_page()).await.unwrap().items;
    assert_eq!(messages[0].body, "My tap is leaking, please come");
    let shown = stage.handle().conversation(id).await.unwrap().unwrap();
    let effect = &shown.turns.last().unwrap().effects[0];
    assert_eq!(
        effect.resource_id,
        Some(messages[0].id.uuid()),
        "the turn must name the message that was written in the same batch"
    );
}

#[tokio::test(start_paused = true)]
async fn a_sentence_that_claims_a_change_is_dropped() {
    let stage = Stage::new().await;
    let id = stage.started(Channel::Website).await;
    stage.script.will(says(&format!("You are booked! {HELP}")));
    let taken = stage.said(id, "Book me a cut").await;
    let turn = taken.turns.last().unwrap();
    assert_eq!((turn.text.as_str(), turn.dropped.len(), turn.dropped[0].rule), (HELP, 1, GateRule::Claim));
    let counts = stage.world.engine.talking();
    assert!(counts.dropped.contains(&("claim", 1)), "{:?}", counts.dropped);
    assert!(counts.asked.contains(&("answered", 1)), "{:?}", counts.asked);
    assert_eq!(counts.first_token.count(), 1);
    stage.script.will(says("You are booked!"));
    let expected = guided("Book me a cut").await;
    assert_eq!(
        stage.answer("Book me a cut").await,
        expected,
        "all sentences are dropped, so the guided path must answer"
    );
}

#[tokio::test(start_paused = true)]
async fn the_guided_path_takes_the_turn_of_a_broken_server() {
    let words = "I would like a haircut";
    let expected = guided(words).await;
    let torn = || Step::Streams(vec![speech("I am hal")]);
    let error = || Step::Streams(vec!["data: {\"error\": {\"message\": \"overloaded\"}}\n\n".into()]);
    for (name, steps, seconds) in [
        ("unreachable", vec![Step::Fails(ModelFault::Unreachable)], 0),
        ("closed twice", vec![Step::Fails(ModelFault::Closed), Step::Fails(ModelFault::Closed)], 0),
        ("torn twice", vec![torn(), torn()], 0),
        ("an error event twice", vec![error(), error()], 0),
        ("no first token", vec![Step::Silent], 3),
        ("only comments", vec![Step::Hangs(vec![": ping\n\n".into()])], 3),
        ("no end", vec![Step::Hangs(vec![speech("I am")])], 8),
        ("an empty answer", vec![Step::Streams(vec![DONE.into()])], 0),
        ("a redirect", vec![Step::Status(307, "")], 0),
        ("too many requests", vec![Step::Status(429, "")], 0),
        ("a failure", vec![Step::Status(500, "")], 0),
        ("a bad request", vec![Step::Status(400, "no")], 0),
        ("no key", vec![Step::Status(401, "")], 0),
        ("reasoning only", vec![Step::Streams(vec![speech("<think>Hm.</think>"), DONE.into()])], 0),
        ("a call as text", vec![Step::Streams(vec![speech("<tool_call>{}</tool_call>"), DONE.into()])], 0),
        (
            "a failure after a call",
            vec![
                Step::Streams(vec![
                    speech("Let me look. "),
                    call("find_openings", &json!({"service": "s1"})),
                    DONE.into(),
                ]),
                Step::Status(500, ""),
            ],
            0,
        ),
    ] {
        let stage = Stage::new().await;
        let requests = steps.len();
        steps.into_iter().for_each(|step| stage.script.will(step));
        let id = stage.started(Channel::Website).await;
        let began = Instant::now();
        assert_eq!(last(&stage.said(id, words).await), expected, "{name}");
        assert_eq!(began.elapsed().as_secs(), seconds, "{name}");
        assert_eq!(stage.script.asked().len(), requests, "{name}");
        let shown = stage.handle().conversation(id).await.unwrap().unwrap().conversation;
        assert_eq!(shown.mode, ConversationMode::Guided, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn whole_sentences_of_an_incomplete_answer_count() {
    let stage = Stage::new().await;
    for step in [
        Step::Streams(vec![speech(&format!("{HELP} And"))]),
        Step::Hangs(vec![speech(&format!("{HELP} And"))]),
        Step::Streams(vec![speech(&format!("{HELP} ")), "data: {\"error\": \"x\"}\n\n".into()]),
    ] {
        stage.script.will(step);
        assert_eq!(stage.answer("Hello").await, HELP);
    }
    stage.script.will(Step::Streams(vec![speech("I am hal")]));
    stage.script.will(says(HELP));
    assert_eq!(stage.answer("Hello").await, HELP, "the service must repeat the request after a torn answer");
}

#[tokio::test(start_paused = true)]
async fn the_options_of_the_stream_are_left_out_after_a_400_that_names_them() {
    let stage = Stage::new().await;
    stage.script.will(Step::Status(400, "{\"error\": \"unknown field: stream_options\"}"));
    stage.script.will(says(HELP));
    assert_eq!(stage.answer("Hello").await, HELP);
    stage.script.will(says(HELP));
    assert_eq!(stage.answer("Hello").await, HELP);
    let has_options: Vec<bool> =
        stage.script.asked().iter().map(|asked| asked.get("stream_options").is_some()).collect();
    assert_eq!(has_options, [true, false, false]);
}

#[tokio::test(start_paused = true)]
async fn the_model_rests_after_a_refusal_and_after_three_failures() {
    for status in [401, 403, 404] {
        let stage = Stage::new().await;
        stage.script.will(Step::Status(status, ""));
        for _ in 0..2 {
            stage.answer("Hello").await;
        }
        assert_eq!(stage.script.asked().len(), 1, "{status}");
        tokio::time::sleep(Duration::from_secs(30)).await;
        stage.script.will(says(HELP));
        assert_eq!(stage.answer("Hello").await, HELP, "{status}");
    }
    let stage = Stage::new().await;
    for step in [Step::Status(500, ""), Step::Status(429, ""), Step::Silent] {
        stage.script.will(step);
        stage.answer("Hello").await;
    }
    stage.answer("Hello").await;
    assert_eq!(stage.script.asked().len(), 3);
    tokio::time::sleep(Duration::from_secs(30)).await;
    stage.script.will(says(HELP));
    assert_eq!(stage.answer("Hello").await, HELP);
    for _ in 0..2 {
        stage.script.will(Step::Status(503, ""));
        stage.answer("Hello").await;
    }
    tokio::time::sleep(Duration::from_secs(61)).await;
    stage.script.will(Step::Status(503, ""));
    stage.answer("Hello").await;
    stage.script.will(says(HELP));
    assert_eq!(
        stage.answer("Hello").await,
        HELP,
        "failures that are not within one minute must not pause the model"
    );
}

#[tokio::test(start_paused = true)]
async fn servers_have_their_own_shapes_of_calls() {
    let arguments = r#"{"service":"s1","from_date":"2026-03-05"}"#;
    let llama_cpp = [
        r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1,"id":"chatcmpl-1","model":"m","object":"chat.completion.chunk"}"#.to_owned(),
        r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"find_openings","arguments":"{"}}]}}]}"#.to_owned(),
        r#"{"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"service\":\"s1\",\"from_date\":\"2026-03-05\"}"}}]}}]}"#.to_owned(),
        r#"{"choices":[{"finish_reason":"tool_calls","index":0,"delta":{}}],"usage":{"completion_tokens":9,"prompt_tokens":90,"total_tokens":99}}"#.to_owned(),
    ];
    let vllm = [
        r#"{"id":"chatcmpl-2","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}"#.to_owned(),
        r#"{"choices":[{"index":0,"delta":{"reasoning_content":"They want Thursday."},"finish_reason":null}]}"#.to_owned(),
        r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"chatcmpl-tool-1","type":"function","index":0,"function":{"name":"find_openings"}}]},"finish_reason":null}]}"#.to_owned(),
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]}, "finish_reason": "stop"}]}).to_string(),
        r#"{"choices":[],"usage":{"prompt_tokens":90,"total_tokens":99,"completion_tokens":9}}"#.to_owned(),
    ];
    let ollama = [json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": "", "tool_calls": [
        {"id": "call_1", "index": 0, "type": "function", "function": {"name": "find_openings", "arguments": arguments}},
        {"id": "call_2", "index": 0, "type": "function", "function": {"name": "find_openings", "arguments": {"service": "s7"}}},
    ]}, "finish_reason": null}]})
    .to_string()];
    for (name, events, calls) in
        [("llama.cpp", &llama_cpp[..], 1), ("vLLM", &vllm[..], 1), ("Ollama", &ollama[..], 2)]
    {
        let stage = Stage::new().await;
        let mut pieces: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        pieces.push(DONE.into());
        stage.script.will(Step::Streams(pieces));
        stage.script.will(says(HELP));
        assert_eq!(stage.answer("A cut on Thursday").await, HELP, "{name}");
        let asked = stage.script.asked();
        let messages = asked[1]["messages"].as_array().unwrap();
        let answers: Vec<&Value> = messages.iter().filter(|message| message["role"] == "tool").collect();
        assert_eq!(answers.len(), calls, "{name}");
        assert!(answers[0]["content"].as_str().unwrap().contains("t1 = Thursday 5 March"), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_turn_meanwhile_and_a_turn_of_an_ended_conversation_are_refused() {
    let stage = Stage::new().await;
    let id = stage.started(Channel::Website).await;
    stage.script.will(says(HELP));
    stage.said(id, "Hello").await;
    stage.script.will(Step::Silent);
    let handle = stage.handle();
    let first = tokio::spawn(async move { handle.take_turn(by_operator(), say(id, "Hello")).await });
    everything_else_runs().await;
    let second = stage.handle().take_turn(by_operator(), say(id, "Hello?")).await;
    let is_under_way = |refused: &EngineError| {
        matches!(refused, EngineError::Refused(Refusal::UnderWay { what: UnderWay::Turn, .. }))
    };
    assert!(second.is_err_and(|refused| is_under_way(&refused)));
    let other = stage.started(Channel::Website).await;
    stage.script.will(says(HELP));
    assert_eq!(last(&stage.said(other, "Hello").await), HELP, "other conversations do not wait");
    stage.handle().change(by_operator(), EndConversation { id, by: EndedBy::Team }).await.unwrap();
    let ended = first.await.unwrap();
    assert!(
        matches!(
            &ended,
            Err(EngineError::Refused(Refusal::Conflict { conflict: Conflict::ConversationEnded, .. }))
        ),
        "{ended:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_repeated_turn_does_not_ask_the_model_again() {
    let stage = Stage::new().await;
    let id = stage.started(Channel::Website).await;
    stage.script.will(says(HELP));
    let first = stage.handle().take_turn(once(1, 1), say(id, "Hello")).await.unwrap();
    let again = stage.handle().take_turn(once(1, 1), say(id, "Hello")).await.unwrap();
    assert!(again.replayed && last(&again.value) == last(&first.value));
    assert_eq!(stage.script.asked().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn tokens_end_the_use_of_the_model() {
    let stage = Stage::new().await;
    let id = stage.started(Channel::Website).await;
    stage.script.will(Step::Streams(vec![speech(HELP), usage(20_000), DONE.into()]));
    stage.said(id, "Hello").await;
    stage.said(id, "Hello again").await;
    assert_eq!(stage.script.asked().len(), 1, "the chat has used its tokens");
    let call = stage.started(Channel::Voice).await;
    stage.script.will(Step::Streams(vec![speech(HELP), usage(979_999), DONE.into()]));
    stage.said(call, "Hello").await;
    stage.script.will(says(HELP));
    stage.said(call, "Hello again").await;
    stage.said(call, "Are you there?").await;
    assert_eq!(stage.script.asked().len(), 3, "the business has used its tokens");
    tokio::time::sleep(Duration::from_secs(24 * 3_600)).await;
    stage.script.will(says(HELP));
    assert_eq!(stage.answer("Hello").await, HELP, "the next day has new tokens");
    stage.patch(PatchReceptionist { tokens_per_day: Some(0), ..PatchReceptionist::default() }).await;
    stage.answer("Hello").await;
    assert_eq!(stage.script.asked().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn keys_a_clear_yes_and_a_wish_for_a_person_do_not_go_to_the_model() {
    let stage = Stage::new().await;
    let id = stage.started(Channel::Voice).await;
    let keys = engine::business::commands::conversations::TakeTurn {
        said: talk::Said::Keys("5".into()),
        ..say(id, "")
    };
    stage.handle().take_turn(by_operator(), keys).await.unwrap();
    stage.said(id, "I want to speak to a person").await;
    assert_eq!(stage.script.asked().len(), 0);
    stage.script.will(calls("end", &json!({})));
    let id = stage.handle().change(by_operator(), StartConversation { ..start(Channel::Voice) }).await;
    let id = id.unwrap().value.id;
    assert!(stage.said(id, "That is all, bye").await.ended);
    let shown = stage.handle().conversation(id).await.unwrap().unwrap().conversation;
    assert_eq!((shown.ended_by, shown.outcome), (Some(EndedBy::Receptionist), Some(CallOutcome::Other)));
}

#[tokio::test(start_paused = true)]
async fn a_response_ends_with_its_finish_reason() {
    let stage = Stage::new().await;
    let finish =
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
    // After the finish reason, the server sends nothing and keeps the connection open. This must not count as a
    // timeout: after three timeouts, the model would not be used in the fourth turn.
    for _ in 0..4 {
        stage.script.will(Step::Hangs(vec![speech(HELP), finish.clone()]));
        let began = tokio::time::Instant::now();
        assert_eq!(stage.answer("Hello").await, HELP);
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    }
    assert_eq!(stage.script.asked().len(), 4);
}
