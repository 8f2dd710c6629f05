//! The requests of the commands for appointments, contacts, calls and messages.

use serde_json::{Value, json};

use super::{B, check, check_usage};

#[test]
fn appointments() {
    let all = format!("{B}/appointments");
    let book = "appointment book --business b1 --service s1 --starts-at 2026-03-02T09:00:00Z";
    check(
        &format!("{book} --contact c1"),
        "POST",
        &all,
        json!({"service_id": "s1", "starts_at": "2026-03-02T09:00:00Z", "contact_id": "c1"}),
    );
    check(
        &format!(
            "{book} --staff m1 --source voice --contact-name Zoë --contact-phone +33612345678 \
             --contact-email z@example.com --contact-locale fr --contact-timezone Europe/Paris"
        ),
        "POST",
        &all,
        json!({
            "service_id": "s1", "starts_at": "2026-03-02T09:00:00Z", "staff_id": "m1", "source": "voice",
            "contact": {
                "name": "Zoë", "phone": "+33612345678", "email": "z@example.com",
                "locale": "fr", "timezone": "Europe/Paris",
            },
        }),
    );
    check(book, "POST", &all, json!({"service_id": "s1", "starts_at": "2026-03-02T09:00:00Z"}));
    for action in ["confirm", "decline", "cancel"] {
        let path = format!("{all}/a1/{action}");
        check(&format!("appointment {action} a1 --business b1"), "POST", &path, Value::Null);
    }
    check(
        "appointment reschedule a1 --business b1 --starts-at 2026-03-03T09:00:00+01:00 --staff m2",
        "POST",
        &format!("{all}/a1/reschedule"),
        json!({"starts_at": "2026-03-03T09:00:00+01:00", "staff_id": "m2"}),
    );
    check(
        &format!("{book} --contact-name Zoë --duration-minutes 45 --staff m1 --override"),
        "POST",
        &all,
        json!({
            "service_id": "s1", "starts_at": "2026-03-02T09:00:00Z", "duration_minutes": 45, "override": true,
            "staff_id": "m1", "contact": {"name": "Zoë"},
        }),
    );
    check(
        "appointment reschedule a1 --business b1 --starts-at 2026-03-03T09:00:00Z --duration-minutes 90 \
         --staff m1 --override",
        "POST",
        &format!("{all}/a1/reschedule"),
        json!({"starts_at": "2026-03-03T09:00:00Z", "duration_minutes": 90, "override": true, "staff_id": "m1"}),
    );
    check_usage(&format!("{book} --override"), "--staff");
    check_usage(&format!("{book} --contact c1 --contact-phone 1"), "cannot be used with");
    check("appointment show a1 --business b1", "GET", &format!("{all}/a1"), Value::Null);
    check("appointment list --business b1", "GET", &all, Value::Null);
    check(
        "appointment list --business b1 --status pending,confirmed --service s1 --staff m1 --contact c1 \
         --from 2026-03-02 --to 2026-03-03T00:00:00Z --attendance arrived,none --updated-since 2026-03-01",
        "GET",
        &format!(
            "{all}?status=pending%2Cconfirmed&from=2026-03-02&to=2026-03-03T00%3A00%3A00Z&service_id=s1\
             &staff_id=m1&contact_id=c1&attendance=arrived%2Cnone&updated_since=2026-03-01"
        ),
        Value::Null,
    );
    let update = "appointment update a1 --business b1";
    for (flags, body) in [
        ("--attendance no_show --clear-booked-as", json!({"attendance": "no_show", "booked_as": null})),
        ("--clear-attendance --clear-notes", json!({"attendance": null, "notes": null})),
    ] {
        check(&format!("{update} {flags}"), "PATCH", &format!("{all}/a1"), body);
    }
    check_usage(&format!("{update} --clear-booked-as x"), "unexpected argument");
}

#[test]
fn open_times() {
    let all = format!("{B}/availability");
    check(
        "availability --business b1 --service s1 --staff m1 --start-date 2026-03-02 --end-date tomorrow",
        "GET",
        &format!("{all}?service_id=s1&staff_id=m1&start_date=2026-03-02&end_date=tomorrow"),
        Value::Null,
    );
    check_usage("availability --business b1", "--service");
}

#[test]
fn contacts() {
    let all = format!("{B}/contacts");
    let one = format!("{all}/c1");
    let full = json!({
        "name": "Zoë", "phone": "+33612345678", "email": "z@example.com", "locale": "fr", "timezone": "Europe/Paris",
    });
    let flags = "--name Zoë --phone +33612345678 --email z@example.com --locale fr --timezone europe/paris";
    check(&format!("contact create --business b1 {flags}"), "POST", &all, full.clone());
    check("contact create --business b1", "POST", &all, json!({}));
    check(&format!("contact update c1 --business b1 {flags}"), "PATCH", &one, full);
    check(
        "contact update c1 --business b1 --clear-name --clear-phone --clear-email --clear-locale --clear-timezone --clear-notes \
         --clear-alert",
        "PATCH",
        &one,
        json!({"name": null, "phone": null, "email": null, "locale": null, "timezone": null, "notes": null, "alert": null}),
    );
    check("contact show c1 --business b1", "GET", &one, Value::Null);
    check(
        "contact list --business b1 --phone 1 --email e --q zo --updated-since 2026-03-01",
        "GET",
        &format!("{all}?phone=1&email=e&q=zo&updated_since=2026-03-01"),
        Value::Null,
    );
    check(
        "contact merge c1 --business b1 --from c2 --phone +33612345678 --email z@example.com",
        "POST",
        &format!("{one}/merge"),
        json!({"from": "c2", "phone": "+33612345678", "email": "z@example.com"}),
    );
    check_usage("contact merge c1 --business b1", "--from");
    check_usage("contact update c1 --name N --clear-name", "cannot be used with");
}

#[test]
fn calls() {
    let all = format!("{B}/calls");
    let create = "call create --business b1 --direction inbound --status completed --outcome message_taken \
                  --started-at 2026-03-02T09:00:00Z --ended-at 2026-03-02T09:01:00Z";
    let needed = json!({
        "direction": "inbound", "status": "completed", "outcome": "message_taken",
        "started_at": "2026-03-02T09:00:00Z", "ended_at": "2026-03-02T09:01:00Z",
    });
    check(create, "POST", &all, needed.clone());
    let mut full = needed;
    for (name, value) in [
        ("duration_seconds", json!(50)),
        ("from_number", json!("+33612345678")),
        ("to_number", json!("+33112345678")),
        ("contact_id", json!("c1")),
        ("contact_name", json!("Zoë")),
        ("locale", json!("fr")),
        ("summary", json!("Rappeler")),
        ("recording_url", json!("https://r.example/1")),
        ("appointment_id", json!("a1")),
        ("message_id", json!("m1")),
    ] {
        full[name] = value;
    }
    check(
        &format!(
            "{create} --duration-seconds 50 --from-number +33612345678 --to-number +33112345678 --contact c1 \
             --contact-name Zoë --locale fr --summary Rappeler --recording-url https://r.example/1 \
             --appointment a1 --message m1"
        ),
        "POST",
        &all,
        full,
    );
    check_usage("call create --business b1 --direction inbound", "--status");
    for handled in [true, false] {
        check(
            &format!("call update k1 --business b1 --handled {handled}"),
            "PATCH",
            &format!("{all}/k1"),
            json!({"handled": handled}),
        );
    }
    check_usage("call update k1 --business b1", "--handled");
    check("call show k1 --business b1", "GET", &format!("{all}/k1"), Value::Null);
    check(
        "call list --business b1 --direction inbound --outcome spam --contact c1 --from 2026-03-02 --to 2026-03-03 \
         --updated-since 2026-03-01",
        "GET",
        &format!(
            "{all}?from=2026-03-02&to=2026-03-03&direction=inbound&outcome=spam&contact_id=c1\
             &updated_since=2026-03-01"
        ),
        Value::Null,
    );
}

#[test]
fn messages() {
    let all = format!("{B}/messages");
    let one = format!("{all}/m1");
    check("message create --business b1 --body 'Ring back'", "POST", &all, json!({"body": "Ring back"}));
    check(
        "message create --business b1 --body Hi --caller-name Zoë --caller-phone +33612345678 --contact c1 \
         --call k1 --urgency urgent --staff s1 --status read",
        "POST",
        &all,
        json!({
            "body": "Hi", "caller_name": "Zoë", "caller_phone": "+33612345678", "contact_id": "c1",
            "call_id": "k1", "urgency": "urgent", "staff_id": "s1", "status": "read",
        }),
    );
    let update = "message update m1 --business b1";
    check(update, "PATCH", &one, json!({}));
    check(
        &format!("{update} --status resolved --staff s1"),
        "PATCH",
        &one,
        json!({"status": "resolved", "staff_id": "s1"}),
    );
    check(&format!("{update} --clear-staff"), "PATCH", &one, json!({"staff_id": null}));
    check_usage(&format!("{update} --clear-staff --staff s1"), "cannot be used with");
    check(
        &format!("{update} --notes 'Left a voicemail' --snoozed-until 2026-03-03T09:00:00Z"),
        "PATCH",
        &one,
        json!({"notes": "Left a voicemail", "snoozed_until": "2026-03-03T09:00:00Z"}),
    );
    check(
        &format!("{update} --clear-notes --clear-snoozed-until"),
        "PATCH",
        &one,
        json!({"notes": null, "snoozed_until": null}),
    );
    check(
        "message list --business b1 --status new --call k1 --contact c1 --from 2026-03-02 --to 2026-03-03 \
         --updated-since 2026-03-01",
        "GET",
        &format!(
            "{all}?from=2026-03-02&to=2026-03-03&status=new&call_id=k1&contact_id=c1&updated_since=2026-03-01"
        ),
        Value::Null,
    );
}

#[test]
fn knowledge() {
    let all = format!("{B}/knowledge");
    let one = format!("{all}/k1");
    check("knowledge list --business b1", "GET", &all, Value::Null);
    check("knowledge show k1 --business b1", "GET", &one, Value::Null);
    check("knowledge delete k1 --business b1", "DELETE", &one, Value::Null);
    // The file name is replaced by the content of the file later. The module `meanings` tests this.
    let add = "knowledge add --business b1 --title T";
    check(add, "POST", &all, json!({"title": "T", "content": "-"}));
    check(&format!("{add} --file f.md"), "POST", &all, json!({"title": "T", "content": "f.md"}));
    check(
        &format!("{add} --content 'Closed in May' --source-url https://s.example --locale en"),
        "POST",
        &all,
        json!({"title": "T", "content": "Closed in May", "source_url": "https://s.example", "locale": "en"}),
    );
    let update = "knowledge update k1 --business b1";
    check(update, "PATCH", &one, json!({}));
    check(
        &format!("{update} --title T --content C --clear-source-url --clear-locale"),
        "PATCH",
        &one,
        json!({"title": "T", "content": "C", "source_url": null, "locale": null}),
    );
    check_usage(&format!("{add} --file f --content c"), "cannot be used with");
}

#[test]
fn webhooks() {
    let all = format!("{B}/webhooks");
    let one = format!("{all}/w1");
    let create = "webhook create --business b1 --url https://h.example";
    check(
        &format!("{create} --event call.completed --event contact.created --description CRM"),
        "POST",
        &all,
        json!({
            "url": "https://h.example", "events": ["call.completed", "contact.created"], "description": "CRM",
        }),
    );
    check(
        &format!("{create} --all-events"),
        "POST",
        &all,
        json!({"url": "https://h.example", "events": [
            "call.completed", "appointment.booked", "appointment.rescheduled", "appointment.cancelled",
            "message.taken", "contact.created",
        ]}),
    );
    check("webhook delete w1 --business b1", "DELETE", &one, Value::Null);
    for (word, status) in [("enable", "enabled"), ("disable", "disabled")] {
        check(&format!("webhook {word} w1 --business b1"), "PATCH", &one, json!({"status": status}));
    }
    let deliveries = format!("{one}/deliveries");
    check(
        "webhook deliveries w1 --business b1 --status failed",
        "GET",
        &format!("{deliveries}?status=failed"),
        Value::Null,
    );
    check("webhook resend w1 e1 --business b1", "POST", &format!("{deliveries}/e1/resend"), Value::Null);
    check("webhook try-now w1 e1 --business b1", "POST", &format!("{deliveries}/e1/try-now"), Value::Null);
    check("webhook resend-missed w1 --business b1", "POST", &format!("{one}/resend-missed"), Value::Null);
    check("webhook rotate-secret w1 --business b1", "POST", &format!("{one}/rotate-secret"), Value::Null);
    check_usage(create, "--event");
}
