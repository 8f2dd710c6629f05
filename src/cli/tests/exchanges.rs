//! The output of commands after a valid response, after an invalid response, or without a response.

use std::net::SocketAddr;
use std::time::Duration;

use hyper::header::HeaderValue;
use serde_json::Value;
use tokio::net::TcpListener;

use super::parse;
use super::stub::{Stub, response};
use crate::cli::OperatorCommand;
use crate::cli::carry_out::Failure;
use crate::cli::client::{ANSWER_BYTES_MAX, CALL_TIMEOUT, Client};
use crate::cli::options::Access;
use crate::cli::record::WALK_PAGES_MAX;
use crate::cli::run::{Printed, perform};
use crate::cli::shown::Look;

async fn perform_within(timeout: Duration, address: SocketAddr, line: &str) -> Result<Printed, Failure> {
    let OperatorCommand { task, options } = parse(line).unwrap();
    let access = Access {
        address: address.into(),
        tls: None,
        authorization: HeaderValue::from_static("Bearer t0ken"),
        origin: String::new(),
        otherwise: None,
    };
    perform(&Client::new(access, timeout), &task, options.json, Look::default()).await
}

async fn perform_at(stub: &Stub, line: &str) -> Result<Printed, Failure> {
    perform_within(CALL_TIMEOUT, stub.address, line).await
}

/// The output of a command for this response.
async fn answered(response: String, line: &str) -> Result<Printed, Failure> {
    perform_at(&Stub::start(move |_| response.clone()).await, line).await
}

async fn check_error(response: &str, line: &str, expected: &str) {
    let stub = Stub::start({
        let response = response.to_owned();
        move |_| response.clone()
    })
    .await;
    let error = perform_at(&stub, line).await.unwrap_err();
    assert_eq!(error.to_string().replace(&stub.address.to_string(), "HERE"), expected);
    assert_eq!(error.exit_status, 1);
    assert_eq!(stub.requests().len(), 1, "the command must send the request only once");
}

#[tokio::test]
async fn the_calendars_of_an_account_are_listed() {
    let body =
        r#"{"data":[{"calendar":"https://c.example/a/","name":"Home","host":"c.example","writable":true}]}"#;
    let line = "calendar discover --business b1 --url https://c.example --username ada --password-file f";
    let listed = answered(response("200 OK", body), line).await.unwrap().output;
    assert!(listed.contains("https://c.example/a/") && listed.contains("Home"), "{listed}");
}

fn printed(output: &str, note: Option<&str>) -> Printed {
    Printed { output: output.into(), note: note.map(str::to_owned) }
}

/// A page with one record, and the cursor of the next page.
fn page(id: usize, next: Option<&str>) -> String {
    let next_cursor = Value::from(next);
    let more = next.is_some();
    response(
        "200 OK",
        &format!(
            r#"{{"data":[{{"id":"{id}","name":"N{id}"}}],"next_cursor":{next_cursor},"has_more":{more}}}"#
        ),
    )
}

#[tokio::test]
async fn a_request_contains_the_token_and_the_body() {
    let stub = Stub::start(|_| response("201 Created", r#"{"data":{"name":"Cut","id":"s1"}}"#)).await;
    let line = "service create --business b1 --name Cut --duration-minutes 30";
    let shown = perform_at(&stub, line).await.unwrap();
    assert_eq!(shown, printed("name: Cut\nid:   s1\n", None));

    let requests = stub.requests();
    assert_eq!(requests[0].line, "POST /admin/v1/businesses/b1/services");
    assert_eq!(requests[0].body, r#"{"duration_minutes":30,"name":"Cut"}"#);
    assert!(requests[0].has("authorization: Bearer t0ken"));
    assert!(requests[0].has("content-type: application/json"));
}

#[tokio::test]
async fn a_request_without_a_body_has_no_body_headers() {
    let stub = Stub::start(|_| response("200 OK", r#"{"data":{}}"#)).await;
    perform_at(&stub, "appointment cancel a1 --business b1").await.unwrap();
    let requests = stub.requests();
    assert_eq!(requests[0].line, "POST /admin/v1/businesses/b1/appointments/a1/cancel");
    assert_eq!(requests[0].body, "");
    assert!(!requests[0].headers.iter().any(|line| line.starts_with("content-type")));
}

#[tokio::test]
async fn json_output_is_the_unchanged_response() {
    let body = "{\"data\": {\"name\":\"Cut\",\n \"id\":1.0}}";
    let shown = answered(response("200 OK", body), "business show b1 --json").await.unwrap();
    assert_eq!(shown, printed(&format!("{body}\n"), None));
    let body = r#"{"data": [], "next_cursor":null,"has_more":false}"#;
    let shown = answered(response("200 OK", body), "business list --json").await.unwrap();
    assert_eq!(shown, printed(&format!("{body}\n"), None));
}

#[tokio::test]
async fn a_note_explains_the_link_of_a_person_or_its_absence() {
    for (fields, says) in [
        (r#""link":"https://x/l","no_link_reason":null"#, "it is not shown again"),
        (r#""link":null,"no_link_reason":"has_password""#, "has a password"),
        (r#""link":null,"no_link_reason":"no_public_url""#, "set RECEPTIONIST_PUBLIC_URL"),
        (r#""link":null,"no_link_reason":"given_again""#, "repeated response"),
    ] {
        let made = response("201 Created", &format!(r#"{{"data":{{"id":"p1",{fields}}}}}"#));
        let line = "person add --business b1 --email a@example.com --role owner";
        let note = answered(made, line).await.unwrap().note.unwrap();
        assert!(note.contains(says), "{fields}: {note}");
    }
}

#[tokio::test]
async fn a_new_key_is_printed_with_a_note() {
    let body = r#"{"data":{"name":"CRM","key":"rcpt_a_b"}}"#;
    let line = "key create --business b1 --name CRM --all-scopes";
    let shown = answered(response("201 Created", body), line).await.unwrap();
    assert_eq!(shown.output, "name: CRM\nkey:  rcpt_a_b\n");
    assert!(shown.note.unwrap().contains("not shown again"));
    let shown = answered(response("201 Created", body), &format!("{line} --json")).await.unwrap();
    assert_eq!(shown, printed(&format!("{body}\n"), None));
}

#[tokio::test]
async fn an_empty_response_prints_nothing_to_standard_output() {
    let gone = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
    let shown = answered(gone.into(), "key revoke k1 --business b1").await.unwrap();
    assert_eq!(shown, printed("", Some("revoked")));
    let shown = answered(gone.into(), "key revoke k1 --business b1 --json").await.unwrap();
    assert_eq!(shown, printed("", None));
    let form = "the operator API answered 204 No Content with an unexpected body";
    check_error(gone, "business show b1", form).await;
}

#[tokio::test]
async fn a_list_is_read_to_its_end() {
    let script = |number| page(number, (number < 2).then_some("c+1"));
    let stub = Stub::start(script).await;
    let shown = perform_at(&stub, "business list").await.unwrap();
    assert_eq!(shown.output.lines().count(), 4);
    assert!(shown.output.starts_with("ID  NAME  TIMEZONE"), "{}", shown.output);
    assert_eq!(shown.note, None);
    let lines: Vec<String> = stub.requests().into_iter().map(|request| request.line).collect();
    let next = "GET /admin/v1/businesses?limit=100&cursor=c%2B1";
    assert_eq!(lines, ["GET /admin/v1/businesses?limit=100", next, next]);

    let shown = perform_at(&Stub::start(script).await, "business list --json").await.unwrap();
    let rows = r#"{"id":"0","name":"N0"},{"id":"1","name":"N1"},{"id":"2","name":"N2"}"#;
    let whole = format!("{{\"data\":[{rows}],\"next_cursor\":null,\"has_more\":false}}\n");
    assert_eq!(shown, printed(&whole, None));
}

#[tokio::test]
async fn a_page_states_how_to_get_the_next_one() {
    let stub = Stub::start(|number| page(number, Some("c1"))).await;
    let shown = perform_at(&stub, "business list --limit 1").await.unwrap();
    assert_eq!(shown.note.as_deref(), Some("there is more: --cursor c1"));
    assert_eq!(stub.requests().len(), 1);
}

#[tokio::test]
async fn an_empty_page_is_not_the_end_of_a_list() {
    let empty = r#"{"data":[],"next_cursor":"c","has_more":true}"#;
    let pages = move |number| match number {
        0 | 1 | 3 => response("200 OK", empty),
        2 => page(7, Some("d")),
        _ => page(8, None),
    };
    let stub = Stub::start(pages).await;
    let shown = perform_at(&stub, "business list --limit 5").await.unwrap();
    assert!(shown.output.contains("N7") && !shown.output.contains("N8"), "{}", shown.output);
    assert_eq!(shown.note.as_deref(), Some("there is more: --cursor d"));
    assert_eq!(stub.requests().len(), 3, "the command must stop after the first page with a row");
    let shown = perform_at(&Stub::start(pages).await, "business list").await.unwrap();
    assert!(shown.output.contains("N7") && shown.output.contains("N8"), "{}", shown.output);
    let shown = perform_at(&Stub::start(pages).await, "business list --limit 5 --json").await.unwrap();
    let json: Value = serde_json::from_str(&shown.output).unwrap();
    assert_eq!((&json["data"][0]["id"], &json["next_cursor"]), (&"7".into(), &"d".into()));
}

#[tokio::test]
async fn the_number_of_pages_is_limited() {
    let last = WALK_PAGES_MAX - 1;
    let stub = Stub::start(move |number| page(number, (number < last).then_some("c"))).await;
    let shown = perform_at(&stub, "business list").await.unwrap();
    assert_eq!(shown.output.lines().count(), WALK_PAGES_MAX + 1);

    let stub = Stub::start(|number| page(number, Some("c"))).await;
    let error = perform_at(&stub, "business list").await.unwrap_err();
    assert!(error.to_string().starts_with("the list has more than 1000 pages"), "{error}");
    assert_eq!(stub.requests().len(), WALK_PAGES_MAX);
}

#[tokio::test]
async fn a_page_that_has_more_rows_but_no_cursor_is_refused() {
    let body = r#"{"data":[],"next_cursor":null,"has_more":true}"#;
    let form = "the operator API answered 200 OK with an unexpected body";
    check_error(&response("200 OK", body), "business list", form).await;
}

#[tokio::test]
async fn if_a_page_fails_nothing_is_printed() {
    let stub = Stub::start(|number| match number {
        0 => page(0, Some("c")),
        _ => response("503 Service Unavailable", r#"{"error":{"code":"internal_error","message":"busy"}}"#),
    })
    .await;
    let error = perform_at(&stub, "business list").await.unwrap_err();
    assert_eq!(error.to_string(), "internal_error: busy");
}

#[tokio::test]
async fn a_refusal_is_its_code_message_and_details() {
    let body = r#"{"error":{"code":"invalid_request","message":"the request is invalid","details":[
        {"path":"timezone","message":"is not a time zone"},{"path":"hours[0].open","message":"is not a time"}]}}"#;
    check_error(
        &response("400 Bad Request", body),
        "business create --name N --timezone Mars",
        "invalid_request: the request is invalid\n  timezone: is not a time zone\n  hours[0].open: is not a time",
    )
    .await;
    // With `--json`, the function returns the same failure. The failure becomes JSON only when it is printed.
    let body = r#"{"error":{"code":"not_found","message":"there is no such business"}}"#;
    let expected = "not_found: there is no such business";
    check_error(&response("404 Not Found", body), "business show b1 --json", expected).await;
}

#[tokio::test]
async fn a_response_of_another_form_is_reported_with_its_status() {
    for (status, body) in [
        ("200 OK", "<html>"),
        ("200 OK", ""),
        ("200 OK", r#"{"data":[]}"#),
        ("502 Bad Gateway", "no"),
        ("500 Internal Server Error", r#"{"error":"oops"}"#),
        ("302 Found", ""),
    ] {
        let form = format!("the operator API answered {status} with an unexpected body");
        check_error(&response(status, body), "business show b1", &form).await;
    }
    let form = "the operator API answered 200 OK with an unexpected body";
    check_error(&response("200 OK", "<html>"), "business show b1 --json", form).await;
}

#[tokio::test]
async fn an_incomplete_response_is_an_error() {
    for (answer, reason) in [
        ("", "connection closed before message completed"),
        ("HTTP/1.1 200 OK\r\ncontent-le", "connection closed before message completed"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{\"data\":{}}", "unexpected end of file"),
    ] {
        let expected = format!("the response of the operator API on HERE ended early: {reason}");
        check_error(answer, "business show b1", &expected).await;
    }
}

#[tokio::test]
async fn the_length_of_a_response_is_limited() {
    let record = r#"{"data":{"id":"1"}}"#;
    let body = |length: usize| format!("{record}{}", " ".repeat(length - record.len()));
    let shown = answered(response("200 OK", &body(ANSWER_BYTES_MAX)), "business show b1").await.unwrap();
    assert_eq!(shown.output, "id: 1\n");
    let error = "the response of the operator API is longer than 16777216 bytes";
    check_error(&response("200 OK", &body(ANSWER_BYTES_MAX + 1)), "business show b1", error).await;
}

#[tokio::test]
async fn a_missing_service_is_reported() {
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error = perform_within(CALL_TIMEOUT, address, "business list").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "cannot reach the operator API on {address}: connection refused; check that `receptionist serve` runs, \
             and set its address with --admin-listen or --admin-url"
        )
    );
    assert_eq!(error.exit_status, 1);
}

#[tokio::test]
async fn the_command_waits_for_a_silent_service_until_the_time_limit() {
    // The listener accepts connections and never responds.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap();
    let error = perform_within(Duration::from_millis(20), address, "business list").await.unwrap_err();
    assert_eq!(error.to_string(), format!("the operator API on {address} sent no response within 20ms"));
}
