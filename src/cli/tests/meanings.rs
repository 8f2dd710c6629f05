//! Tests of the resolution of texts such as names and times, with a scripted service.

use std::fs;

use hyper::header::HeaderValue;
use serde_json::{Value, json};

use super::stub::{Stub, response};
use super::{parse, parse_with_flags};
use crate::cli::client::{CALL_TIMEOUT, Client};
use crate::cli::options::Access;
use crate::cli::record::WALK_PAGES_MAX;
use crate::cli::request::Call;
use crate::cli::resolve::resolve;
use crate::cli::run::{explained, perform};
use crate::cli::shown::Look;

const SALON: &str = "01a1fa8a-7862-7000-ac25-1fd3c10dfbbc";
const DENTAL: &str = "01a1fa8e-171f-7000-a08c-375224145f30";
const CUT: &str = "01a1fa8a-7863-7001-9309-960be046bec7";
const COLOUR: &str = "01a1fa8a-7863-7001-9309-960be046bec8";
const SHAVE: &str = "01a1fa8a-7863-7001-9309-960be046bec9";

fn page(records: &[(&str, &str)]) -> String {
    let data: Value = records.iter().map(|(id, name)| json!({"id": id, "name": name})).collect();
    let page = json!({"data": data, "next_cursor": null, "has_more": false});
    response("200 OK", &page.to_string())
}

fn businesses() -> String {
    page(&[(SALON, "Salon Lumière"), (DENTAL, "Harbour Dental")])
}

fn services() -> String {
    page(&[(CUT, "Coupe"), (COLOUR, "Couleur"), (SHAVE, "Barbe")])
}

fn paris() -> String {
    response("200 OK", r#"{"data":{"timezone":"Europe/Paris","phone_region":"FR"}}"#)
}

fn client(stub: &Stub) -> Client {
    let authorization = HeaderValue::from_static("Bearer t0ken");
    Client::new(
        Access {
            address: stub.address.into(),
            tls: None,
            authorization,
            origin: String::new(),
            otherwise: None,
        },
        CALL_TIMEOUT,
    )
}

/// The final request or the error, the requests that were sent before it, and the notes.
struct Meant {
    call: Result<Call, String>,
    asked: Vec<String>,
    notes: Vec<String>,
}

/// Parses a command line and resolves its texts. The simulated service responds with `answers`, in order.
async fn meaning_of(line: &str, answers: &[String]) -> Meant {
    let answers = answers.to_vec();
    let stub = Stub::start(move |number| answers[number].clone()).await;
    let mut task = parse(line).unwrap().task;
    let now = "2026-03-02T23:30:00Z".parse().unwrap();
    let (call, notes) = match resolve(&client(&stub), &mut task, now).await {
        Ok(notes) => (Ok(task.request.call()), notes),
        Err(error) => (Err(error.to_string()), Vec::new()),
    };
    let asked = stub.requests().into_iter();
    let asked = asked.map(|request| request.line.replace("/admin/v1/businesses", "…")).collect();
    Meant { call, asked, notes }
}

async fn check_refused(line: &str, answers: &[String], expected: &str) {
    assert_eq!(meaning_of(line, answers).await.call.unwrap_err(), expected, "{line}");
}

#[tokio::test]
async fn an_id_is_used_without_a_lookup() {
    let meant = meaning_of(&format!("service update {CUT} --business {SALON} --name N"), &[]).await;
    assert_eq!(meant.call.unwrap().path, format!("/admin/v1/businesses/{SALON}/services/{CUT}"));
    assert!(meant.asked.is_empty() && meant.notes.is_empty());
}

#[tokio::test]
async fn a_name_is_resolved_in_any_case() {
    let line = "staff create --business 'salon LUMIÈRE' --name Ana --service coupe --service BARBE";
    let meant = meaning_of(line, &[businesses(), services(), services()]).await;
    let call = meant.call.unwrap();
    assert_eq!(call.path, format!("/admin/v1/businesses/{SALON}/staff"));
    assert_eq!(call.body.unwrap(), json!({"name": "Ana", "service_ids": [CUT, SHAVE]}));
    let services = format!("GET …/{SALON}/services?limit=100");
    assert_eq!(meant.asked, ["GET …?limit=100", &services, &services]);
    assert!(meant.notes.is_empty(), "{:?}", meant.notes);
}

#[tokio::test]
async fn a_unique_beginning_of_a_name_is_accepted_with_a_note_but_not_for_a_deletion() {
    let meant = meaning_of("business show harb", &[businesses()]).await;
    assert_eq!(meant.call.unwrap().path, format!("/admin/v1/businesses/{DENTAL}"));
    assert_eq!(meant.notes, [format!("BUSINESS: Harbour Dental ({DENTAL})")]);

    check_refused(
        &format!("service delete bar --business {SALON}"),
        &[services()],
        &format!(
            "SERVICE: \"bar\" is not a full name, and this command needs the full name or the id: Barbe ({SHAVE})"
        ),
    )
    .await;
    let meant = meaning_of(&format!("service delete barbe --business {SALON}"), &[services()]).await;
    assert_eq!(meant.call.unwrap().path, format!("/admin/v1/businesses/{SALON}/services/{SHAVE}"));
}

#[tokio::test]
async fn a_full_name_wins_over_a_longer_one() {
    let services = page(&[(COLOUR, "Coupe enfant"), (CUT, "Coupe")]);
    let meant = meaning_of(&format!("service update coupe --business {SALON}"), &[services]).await;
    assert!(meant.call.unwrap().path.ends_with(CUT));
}

#[tokio::test]
async fn an_ambiguous_name_is_refused_with_all_candidates() {
    check_refused(
        &format!("availability --business {SALON} --service co"),
        &[services()],
        &format!("--service: 2 names begin with \"co\"; choose one:\n  {CUT}  Coupe\n  {COLOUR}  Couleur"),
    )
    .await;
    check_refused(
        "business show twin",
        &[page(&[(SALON, "Twin"), (DENTAL, "twin")])],
        &format!(
            "BUSINESS: 2 records have the name \"twin\"; choose one:\n  {SALON}  Twin\n  {DENTAL}  twin"
        ),
    )
    .await;
}

#[tokio::test]
async fn an_unknown_name_is_refused_with_similar_ones() {
    let line = |service: &str| format!("availability --business {SALON} --service {service}");
    let near = "--service: there is no service \"coope\"; did you mean \"Coupe\"?";
    check_refused(&line("coope"), &[services()], near).await;
    check_refused(
        &line("xyz"),
        &[services()],
        "--service: there is no service \"xyz\"; list them with `receptionist service list`",
    )
    .await;
}

#[tokio::test]
async fn an_empty_name_is_refused_as_unknown() {
    let refused = "BUSINESS: there is no business \"\"; list them with `receptionist business list`";
    check_refused("business update ''", &[page(&[(SALON, "Salon Lumière")])], refused).await;
}

#[tokio::test]
async fn a_name_is_refused_if_the_list_is_too_long() {
    let endless = r#"{"data":[],"next_cursor":"c","has_more":true}"#;
    let answers = vec![response("200 OK", endless); WALK_PAGES_MAX];
    let refused = "BUSINESS: there are too many records to find a business by name; use the id";
    check_refused("business show salon", &answers, refused).await;
}

#[tokio::test]
async fn the_only_business_is_the_default_and_is_noted() {
    let meant = meaning_of("staff list", &[page(&[(SALON, "Salon\u{7}")])]).await;
    assert_eq!(meant.call.unwrap().path, format!("/admin/v1/businesses/{SALON}/staff"));
    assert_eq!(meant.notes, [format!("--business: Salon\\u{{7}} ({SALON})")]);
    assert_eq!(meant.asked, ["GET …?limit=11"]);

    let none = "there is no business yet: create one with `receptionist business create`";
    check_refused("staff list", &[page(&[])], none).await;
    let two = format!(
        "--business: there are several businesses; choose one:\n  {SALON}  Salon Lumière\n  {DENTAL}  Harbour Dental"
    );
    check_refused("staff list", &[businesses()], &two).await;
    let many: Vec<(&str, &str)> = (0..11).map(|_| (SALON, "S")).collect();
    let refused = meaning_of("staff list", &[page(&many)]).await.call.unwrap_err();
    assert_eq!((refused.lines().count(), refused.lines().last()), (12, Some("  … and more")));
}

#[tokio::test]
async fn times_are_in_the_zone_of_the_business_which_is_looked_up_once() {
    let line = format!("appointment list --business {SALON} --from '2026-03-02 9:00' --to tomorrow");
    let meant = meaning_of(&line, &[paris()]).await;
    let query = "?from=2026-03-02T09%3A00%3A00%2B01%3A00&to=2026-03-04T00%3A00%3A00%2B01%3A00";
    assert!(meant.call.unwrap().target(&[]).ends_with(query));
    assert_eq!(meant.asked, [format!("GET …/{SALON}")]);

    let line = format!("appointment reschedule {CUT} --business {SALON} --starts-at 2026-03-02T09:00:00Z");
    let meant = meaning_of(&line, &[]).await;
    assert_eq!(meant.call.unwrap().body.unwrap()["starts_at"], "2026-03-02T09:00:00Z");

    let line = format!("appointment reschedule {CUT} --business {SALON} --starts-at '2026-10-25 2:30'");
    let refused = meaning_of(&line, &[paris()]).await.call.unwrap_err();
    assert!(refused.starts_with("--starts-at: 2026-10-25 02:30 occurs twice in Europe/Paris"), "{refused}");
}

#[tokio::test]
async fn a_change_is_refused_if_its_time_is_only_a_day() {
    for command in [
        format!("appointment reschedule {CUT}"),
        format!("appointment book --service {CUT} --contact-phone 12"),
    ] {
        for day in ["2026-12-01", "today"] {
            let line = format!("{command} --business {SALON} --starts-at {day}");
            let refused = meaning_of(&line, &[paris()]).await.call.unwrap_err();
            assert!(refused.starts_with("--starts-at: write a local time such as"), "{line}: {refused}");
        }
    }
}

#[tokio::test]
async fn open_times_are_shown_in_the_zone_of_the_business() {
    let slots = r#"{"data":[{"starts_at":"2026-03-03T08:00:00.000Z","ends_at":"2026-03-03T08:30:00.000Z"}],
                    "next_cursor":null,"has_more":false}"#;
    let slots = response("200 OK", slots);
    let stub = Stub::start(move |number| if number == 0 { paris() } else { slots.clone() }).await;
    let mut task = parse(&format!("availability --business {SALON} --service {CUT}")).unwrap().task;
    let now = "2026-03-02T23:30:00Z".parse().unwrap();
    resolve(&client(&stub), &mut task, now).await.unwrap();
    let shown = perform(&client(&stub), &task, false, Look::default()).await.unwrap();
    assert_eq!(shown.output, "Tue 2026-03-03  09:00\n");
    assert_eq!(shown.note.as_deref(), Some("open times in Europe/Paris; --json shows instants"));
    let lines: Vec<String> = stub.requests().into_iter().map(|request| request.line).collect();
    assert!(lines[1].contains("&start_date=2026-03-03&end_date=2026-03-09&limit=100"), "{lines:?}");
}

#[tokio::test]
async fn the_region_of_a_new_business_is_the_country_of_its_zone_unless_it_is_given() {
    let meant = meaning_of("business create --name S --timezone europe/paris", &[]).await;
    assert_eq!(meant.call.unwrap().body.unwrap()["phone_region"], "FR");
    assert_eq!(meant.notes, ["--phone-region: FR, from the time zone Europe/Paris"]);

    let meant = meaning_of("business create --name S --timezone UTC --phone-region be", &[]).await;
    assert_eq!(meant.call.unwrap().body.unwrap()["phone_region"], "BE");
    assert!(meant.notes.is_empty());

    let refused = meaning_of("business create --name S --timezone utc", &[]).await.call.unwrap_err();
    assert!(
        refused.starts_with("--phone-region: the time zone UTC does not identify a country"),
        "{refused}"
    );
    // `Mars` is not a time zone. The command sends it without a region, and the service refuses it. The service's
    // message about the time zone is more helpful than a message of the command about the region.
    let unknown = meaning_of("business create --name S --timezone Mars", &[]).await.call.unwrap();
    assert_eq!(unknown.body.unwrap()["phone_region"], Value::Null);
}

#[tokio::test]
async fn a_file_is_read_up_to_the_limit_of_the_service() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("parking.md");
    let line = format!("knowledge add --business {SALON} --title T --file {}", file.display());
    let refused = meaning_of(&line, &[]).await.call.unwrap_err();
    assert!(refused.starts_with("--file: cannot read") && refused.ends_with("entity not found"), "{refused}");
    for (length, sent) in [(256 * 1024, true), (256 * 1024 + 1, false)] {
        fs::write(&file, "p".repeat(length)).unwrap();
        let call = meaning_of(&line, &[]).await.call;
        assert_eq!(call.is_ok(), sent);
        if let Ok(call) = call {
            assert_eq!(call.body.unwrap()["content"].as_str().map(str::len), Some(length));
        }
    }
}

#[tokio::test]
async fn a_password_is_read_from_a_file_without_its_line_break() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("password");
    let line = format!(
        "calendar discover --business {SALON} --url https://c.example --username ada --password-file {}",
        file.display()
    );
    let refused = meaning_of(&line, &[]).await.call.unwrap_err();
    assert!(refused.starts_with("--password-file: cannot read"), "{refused}");
    for (content, password) in [("a b ", "a b "), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n")] {
        fs::write(&file, content).unwrap();
        let body = meaning_of(&line, &[]).await.call.unwrap().body.unwrap();
        assert_eq!(body["password"], password, "{content:?}");
    }
}

#[tokio::test]
async fn a_refused_number_is_reported_with_its_flag_and_region() {
    let refused = json!({"error": {
        "code": "invalid_request", "message": "the request is invalid: contact.phone must be one",
        "details": [{"path": "contact.phone", "message": "must be one"}],
    }});
    let refused = response("400 Bad Request", &refused.to_string());
    let stub = Stub::start(move |number| if number == 0 { refused.clone() } else { paris() }).await;
    let line = format!(
        "appointment book --business {SALON} --service {CUT} --starts-at 2026-03-02T09:00:00Z --contact-phone 12"
    );
    let (command, flags) = parse_with_flags(&line).unwrap();
    let task = command.task;
    let error = perform(&client(&stub), &task, false, Look::default()).await.unwrap_err();
    let told = explained(&client(&stub), error, &task.request.call(), &flags).await;
    assert_eq!(told.exit_status, 1);
    assert_eq!(
        told.to_string(),
        format!(
            "invalid_request: --contact-phone: must be one\n\
             hint: the service reads national phone numbers of this business as numbers in FR; to change the region, run \
             `receptionist business update {SALON} --phone-region REGION`, or write the number as +COUNTRY NUMBER"
        )
    );
}

#[tokio::test]
async fn the_token_of_the_demonstration_is_used_if_the_other_is_refused() {
    let unauthorized = r#"{"error":{"code":"unauthorized","message":"no"}}"#;
    for (first, taken) in [("401 Unauthorized", "demo"), ("503 Service Unavailable", "serve")] {
        let body = if taken == "demo" { unauthorized } else { "{}" };
        let answer = response(first, body);
        let stub = Stub::start(move |number| if number == 0 { answer.clone() } else { page(&[]) }).await;
        let access = Access {
            address: stub.address.into(),
            tls: None,
            authorization: HeaderValue::from_static("Bearer serve"),
            origin: String::new(),
            otherwise: Some(HeaderValue::from_static("Bearer demo")),
        };
        let client = Client::admitted(access, CALL_TIMEOUT).await;
        client.send(hyper::Method::GET, "/p", None).await.unwrap();
        assert!(stub.requests()[1].has(&format!("authorization: Bearer {taken}")), "{first}");
    }
}
