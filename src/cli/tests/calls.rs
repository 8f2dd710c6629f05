//! The requests of the commands that set up a business. A request contains only the values in the command.

use clap::CommandFactory;
use serde_json::{Value, json};

use super::{B, Cli, check, check_usage, parse};

#[test]
fn the_command_line_is_well_formed() {
    Cli::command().debug_assert();
}

#[test]
fn businesses() {
    let all = "/admin/v1/businesses";
    // The region is computed from the time zone later. The module `meanings` tests this.
    check(
        "business create --name 'Salon Lumière' --timezone europe/paris",
        "POST",
        all,
        json!({"name": "Salon Lumière", "timezone": "Europe/Paris", "phone_region": "Europe/Paris"}),
    );
    check(
        "business create --name S --timezone UTC --locale fr --website-url https://s.example --booking-mode request \
         --hours mon=9:00-18:00 --hours 'Friday 18:00-2:00' --phone-region fr",
        "POST",
        all,
        json!({
            "name": "S", "timezone": "UTC", "locale": "fr", "website_url": "https://s.example",
            "booking_mode": "request", "phone_region": "FR",
            "hours": [
                {"day": "monday", "open": "09:00", "close": "18:00"},
                {"day": "friday", "open": "18:00", "close": "02:00"},
            ],
        }),
    );
    check("business list", "GET", all, Value::Null);
    check("business show b1", "GET", B, Value::Null);
    check("business update b1", "PATCH", B, json!({}));
    check(
        "business update b1 --name N --timezone UTC --suspended true --clear-website-url --closed",
        "PATCH",
        B,
        json!({"name": "N", "timezone": "UTC", "suspended": true, "website_url": null, "hours": []}),
    );
    check(
        "business update b1 --suspended false --booking-mode off --website-url https://s.example",
        "PATCH",
        B,
        json!({"suspended": false, "booking_mode": "off", "website_url": "https://s.example"}),
    );
    check_usage("business create --name S", "--timezone");
    check_usage("business update b1 --hours monday", "DAY=OPEN-CLOSE, such as monday=09:00-18:00");
    check_usage("business update b1 --closed --hours monday=1-2", "cannot be used with");
    check_usage("business update b1 --clear-website-url --website-url u", "cannot be used with");
}

#[test]
fn calendars() {
    let all = format!("{B}/calendars");
    // The program reads the password later. Until then, the request contains a placeholder: the path from
    // `--password-file`, or the word `password` if the program will ask for the password.
    for (flag, password) in [("--password-file f", "f"), ("", "password")] {
        check(
            &format!("calendar discover --business b1 --url U --username ada {flag}"),
            "POST",
            &format!("{all}/discover"),
            json!({"url": "U", "username": "ada", "password": password}),
        );
    }
    check(
        "calendar connect --business b1 --staff s1 --kind caldav --url U --username ada --calendar C",
        "POST",
        &all,
        json!({
            "staff_id": "s1", "kind": "caldav", "url": "U", "username": "ada", "calendar": "C",
            "password": "password",
        }),
    );
    check(
        "calendar connect --business b1 --staff s1 --kind ics --url U",
        "POST",
        &all,
        json!({"staff_id": "s1", "kind": "ics", "url": "U"}),
    );
    let one = format!("{all}/c1");
    check("calendar change c1 --business b1 --username eve", "PATCH", &one, json!({"username": "eve"}));
    check("calendar change c1 --business b1 --ask-password", "PATCH", &one, json!({"password": "password"}));
    check("calendar change c1 --business b1 --password-file f", "PATCH", &one, json!({"password": "f"}));
    check("calendar change c1 --business b1 --write true", "PATCH", &one, json!({"write": true}));
    let leaving = format!("{one}?remove_events=true");
    check("calendar disconnect c1 --business b1 --remove-events", "DELETE", &leaving, Value::Null);
    let failed = format!("{one}/appointments?status=failed");
    check("calendar appointments c1 --business b1 --status failed", "GET", &failed, Value::Null);
    let again = format!("{one}/appointments/a1/write");
    check("calendar write c1 a1 --business b1", "POST", &again, Value::Null);
    check_usage("calendar change c1 --business b1 --password x", "unexpected argument");
    check_usage("calendar discover --business b1 --url U --username ada --password=x", "unexpected argument");
    check_usage("calendar change c1 --ask-password --password-file f", "cannot be used with");
}

#[test]
fn people() {
    let all = format!("{B}/people");
    let one = format!("{B}/people/p1");
    check(
        "person add --business b1 --email ada@example.com --role owner",
        "POST",
        &all,
        json!({"email": "ada@example.com", "role": "owner"}),
    );
    check(
        "person add --business b1 --email a@b --name Ada --role member --staff Anna --locale fr",
        "POST",
        &all,
        json!({"email": "a@b", "name": "Ada", "role": "member", "staff_id": "Anna", "locale": "fr"}),
    );
    check("person list --business b1", "GET", &all, Value::Null);
    check("person show p1 --business b1", "GET", &one, Value::Null);
    check(
        "person change p1 --business b1 --role admin --clear-staff --name '' --status disabled",
        "PATCH",
        &one,
        json!({"role": "admin", "staff_id": null, "name": "", "status": "disabled"}),
    );
    check("person remove p1 --business b1", "DELETE", &one, Value::Null);
    check("person link p1 --business b1", "POST", &format!("{one}/link"), json!({}));
    check(
        "person link p1 --business b1 --kind enter",
        "POST",
        &format!("{one}/link"),
        json!({"kind": "enter"}),
    );
    let alerts = format!("{one}/notifications");
    check("person notifications p1 --business b1", "GET", &alerts, Value::Null);
    check(
        "person notifications p1 --business b1 --kind call_missed --email daily --in-app false --scope mine",
        "PATCH",
        &alerts,
        json!({"call_missed": {"email": "daily", "in_app": false, "scope": "mine"}}),
    );
    check("audit installation", "GET", "/admin/v1/audit", Value::Null);
    check_usage("person add --email a@b", "--role");
    check_usage("person change p1 --staff s --clear-staff", "cannot be used with");
    check_usage("person notifications p1 --email now", "--kind");
    check_usage("person notifications p1 --kind call_lost", "call_missed");
}

#[test]
fn services() {
    let all = format!("{B}/services");
    let one = format!("{B}/services/s1");
    check(
        "service create --business b1 --name Cut --duration-minutes 30",
        "POST",
        &all,
        json!({"name": "Cut", "duration_minutes": 30}),
    );
    check(
        "service create --business b1 --name Cut --duration-minutes 30 --description '' --active false",
        "POST",
        &all,
        json!({"name": "Cut", "duration_minutes": 30, "description": "", "active": false}),
    );
    check("service list --business b1", "GET", &all, Value::Null);
    check(
        "service update s1 --business b1 --active true --duration-minutes 45",
        "PATCH",
        &one,
        json!({"active": true, "duration_minutes": 45}),
    );
    check("service delete s1 --business b1", "DELETE", &one, Value::Null);
    check(
        "service update s1 --business b1 --category Hair --position 2 --color 12",
        "PATCH",
        &one,
        json!({"category": "Hair", "position": 2, "color": 12}),
    );
    check(
        "service update s1 --business b1 --clear-category --clear-color",
        "PATCH",
        &one,
        json!({"category": null, "color": null}),
    );
    let staff = format!("{one}/staff");
    check(
        "service staff s1 --business b1 --staff m1 --staff m2",
        "PUT",
        &staff,
        json!({"staff_ids": ["m1", "m2"]}),
    );
    check("service staff s1 --business b1", "PUT", &staff, json!({"staff_ids": []}));
}

#[test]
fn staff() {
    let all = format!("{B}/staff");
    let one = format!("{B}/staff/m1");
    check(
        "staff create --business b1 --name Ana --service s1 --service s2 --timezone UTC --active true",
        "POST",
        &all,
        json!({"name": "Ana", "service_ids": ["s1", "s2"], "timezone": "UTC", "active": true}),
    );
    check("staff create --business b1 --name Ana", "POST", &all, json!({"name": "Ana", "service_ids": []}));
    check("staff list --business b1", "GET", &all, Value::Null);
    check("staff update m1 --business b1 --active false", "PATCH", &one, json!({"active": false}));
    check("staff update m1 --business b1 --service s3", "PATCH", &one, json!({"service_ids": ["s3"]}));
    check("staff update m1 --business b1 --no-services", "PATCH", &one, json!({"service_ids": []}));
    check("staff delete m1 --business b1", "DELETE", &one, Value::Null);
    check_usage("staff update m1 --business b1 --no-services --service s3", "cannot be used with");
}

#[test]
fn the_diary() {
    let days = format!("{B}/special-days");
    let one = format!("{days}/2026-12-24");
    let windows = json!([{"open": "09:00", "close": "12:00"}, {"open": "14:00", "close": "16:00"}]);
    check(
        "special-day set 2026-12-24 --business b1 --window 9:00-12:00 --window 14:00-16:00 --note Eve",
        "PUT",
        &one,
        json!({"windows": windows, "note": "Eve"}),
    );
    check("special-day set 2026-12-24 --business b1 --closed", "PUT", &one, json!({"closed": true}));
    check("special-day delete 2026-12-24 --business b1", "DELETE", &one, Value::Null);
    check("special-day list --business b1", "GET", &days, Value::Null);
    for either in ["--closed", "--window <OPEN-CLOSE>"] {
        check_usage("special-day set 2026-12-24 --business b1", either);
    }
    check_usage(
        "special-day set 2026-12-24 --business b1 --closed --window 9:00-10:00",
        "cannot be used with",
    );
    let off = format!("{B}/staff/m1/time-off");
    check(
        "time-off add --staff m1 --business b1 --from 2026-08-03 --to 2026-08-16 --note holiday",
        "POST",
        &off,
        json!({"from": "2026-08-03", "to": "2026-08-16", "note": "holiday"}),
    );
    check(
        "time-off add --staff m1 --business b1 --starts-at 2026-08-03T09:00:00Z --ends-at 2026-08-03T10:00:00Z",
        "POST",
        &off,
        json!({"starts_at": "2026-08-03T09:00:00Z", "ends_at": "2026-08-03T10:00:00Z"}),
    );
    check("time-off list --staff m1 --business b1", "GET", &off, Value::Null);
    check("time-off delete t1 --staff m1 --business b1", "DELETE", &format!("{off}/t1"), Value::Null);
    check_usage("time-off add --staff m1 --business b1 --from 2026-08-03", "--to");
    check_usage("time-off add --staff m1 --business b1", "--from");
    // In earlier versions, the first positional argument was the staff member. Such commands must still work.
    check("time-off list m1 --business b1", "GET", &off, Value::Null);
    check("time-off delete m1 t1 --business b1", "DELETE", &format!("{off}/t1"), Value::Null);
    let days = json!({"from": "2026-08-03", "to": "2026-08-16"});
    check("time-off add m1 --business b1 --from 2026-08-03 --to 2026-08-16", "POST", &off, days);
    for command in ["list", "delete t1", "add --from 2026-08-03 --to 2026-08-16"] {
        check_usage(&format!("time-off {command} --business b1"), "--staff");
    }
    check_usage("time-off list m1 --staff m2 --business b1", "cannot be used with");
    check_usage("time-off delete m1 t1 --staff m2 --business b1", "cannot be used with");
    check(
        "staff update m1 --business b1 --hours mon=9:00-13:00 --hours mon=14:00-18:00",
        "PATCH",
        &format!("{B}/staff/m1"),
        json!({"hours": [{"day": "monday", "open": "09:00", "close": "13:00"},
            {"day": "monday", "open": "14:00", "close": "18:00"}]}),
    );
    let one = format!("{B}/staff/m1");
    check("staff update m1 --business b1 --no-hours", "PATCH", &one, json!({"hours": []}));
    check(
        "staff update m1 --business b1 --clear-hours",
        "PATCH",
        &format!("{B}/staff/m1"),
        json!({"hours": null}),
    );
    check(
        "business update b1 --break mon=12:00-13:00",
        "PATCH",
        B,
        json!({"breaks": [{"day": "monday", "from": "12:00", "to": "13:00"}]}),
    );
    check("business update b1 --no-breaks", "PATCH", B, json!({"breaks": []}));
    check(
        "business update b1 --customer-word patient --grid-minutes 10",
        "PATCH",
        B,
        json!({"customer_word": "patient", "grid_minutes": 10}),
    );
    check(
        "person change p1 --business b1 --clock 24 --week-start sunday",
        "PATCH",
        &format!("{B}/people/p1"),
        json!({"clock": "24", "week_start": "sunday"}),
    );
    check(
        "service update s1 --business b1 --buffer-before-minutes 5 --buffer-after-minutes 10 \
         --min-notice-minutes 60 --max-advance-days 30 --price-cents 4550 --currency EUR",
        "PATCH",
        &format!("{B}/services/s1"),
        json!({"buffer_before_minutes": 5, "buffer_after_minutes": 10, "min_notice_minutes": 60,
            "max_advance_days": 30, "price_cents": 4550, "currency": "EUR"}),
    );
    check(
        "service update s1 --business b1 --clear-max-advance-days --clear-price",
        "PATCH",
        &format!("{B}/services/s1"),
        json!({"max_advance_days": null, "price_cents": null}),
    );
}

#[test]
fn keys() {
    let all = format!("{B}/keys");
    check(
        "key create --business b1 --name CRM --scope calls:read --scope contacts:read",
        "POST",
        &all,
        json!({"name": "CRM", "scopes": ["calls:read", "contacts:read"]}),
    );
    check(
        "key create --business b1 --name CRM --all-scopes",
        "POST",
        &all,
        json!({"name": "CRM", "scopes": [
            "business:read", "business:write", "calls:read", "contacts:read", "contacts:write",
            "appointments:read", "appointments:write", "messages:read", "knowledge:write", "webhooks:manage",
        ]}),
    );
    let feeds = all.replace("/keys", "/feeds");
    let made = json!({"staff_id": "s1", "detail": "times"});
    check("feed create --business b1 --staff s1 --detail times", "POST", &feeds, made);
    check("feed list --business b1", "GET", &feeds, Value::Null);
    check("feed revoke f1 --business b1", "DELETE", &format!("{feeds}/f1"), Value::Null);
    check("key list --business b1", "GET", &all, Value::Null);
    check("key revoke k1 --business b1", "DELETE", &format!("{all}/k1"), Value::Null);
    check_usage("key create --business b1 --name CRM", "--scope");
    check_usage("key create --business b1 --name CRM --scope contacts:reed", "contacts:read");
    check_usage("webhook create --business b1 --url https://a.example --event x", "appointment.booked");
    check_usage("key create --business b1 --name CRM --all-scopes --scope calls:read", "cannot be used with");
}

#[test]
fn the_audit_log() {
    check("audit list --business b1", "GET", &format!("{B}/audit"), Value::Null);
}

#[test]
fn a_limit_requests_one_page_and_without_it_the_whole_list_is_read() {
    for (line, whole, target) in [
        ("key list --business b1", true, "?limit=100"),
        ("key list --business b1 --cursor c", true, "?limit=100&cursor=c"),
        ("key list --business b1 --limit 7 --cursor c", false, "?limit=7&cursor=c"),
    ] {
        let task = parse(line).unwrap().task;
        let target = format!("{B}/keys{target}");
        let is_whole = task.part.enough == usize::MAX;
        assert_eq!((is_whole, task.part.target(&task.request.call(), None)), (whole, target), "{line}");
    }
}

#[test]
fn the_options_can_precede_or_follow_the_command() {
    for line in [
        "business --json --admin-listen 127.0.0.1:9 --admin-token t list",
        "business list --json --admin-listen 127.0.0.1:9 --admin-token t",
    ] {
        let options = parse(line).unwrap().options;
        let access = options.access().unwrap();
        assert!(options.json, "{line}");
        assert_eq!(access.address.to_string(), "127.0.0.1:9", "{line}");
        assert_eq!(access.authorization, "Bearer t", "{line}");
    }
}

#[test]
fn the_booking_page_and_notices() {
    let path = format!("{B}/website");
    check("website show --business b1", "GET", &path, Value::Null);
    check(
        "website set --business b1 --enabled true --slug salon --origin https://a.example --origin \
         http://localhost:80 --color #1a2b3c --change-notice-minutes default --change-by-caller false",
        "PATCH",
        &path,
        json!({
            "enabled": true, "slug": "salon", "origins": ["https://a.example", "http://localhost:80"],
            "color": "#1a2b3c", "change_notice_minutes": null, "change_by_caller": false,
        }),
    );
    check("website set --business b1 --no-origins", "PATCH", &path, json!({"origins": []}));
    check("website set --business b1 --clear-address", "PATCH", &path, json!({"address": null}));
    let path = format!("{B}/notices");
    check("notice show --business b1", "GET", &path, Value::Null);
    let set = "notice set --business b1 --email all --reminder-hour 24 --reminder-hour 2";
    check(set, "PATCH", &path, json!({"email": "all", "reminder_hours": [24, 2]}));
    check("notice set --business b1 --no-reminder-hours", "PATCH", &path, json!({"reminder_hours": []}));
    check("notice send-again n1 --business b1", "POST", &format!("{path}/log/n1/send-again"), Value::Null);
    let path = format!("{B}/contacts/c1/consent");
    check("contact consent c1 --business b1", "GET", &path, Value::Null);
    check("contact consent c1 --business b1 --email none", "PUT", &path, json!({"email": "none"}));
}

#[test]
fn the_budget() {
    let path = format!("{B}/budget");
    check("budget show --business b1", "GET", &path, Value::Null);
    let set = "budget set --business b1 --kind";
    check(
        &format!("{set} contacts --rows-max 10 --bytes-max default"),
        "PATCH",
        &path,
        json!({"contacts": {"rows_max": 10, "bytes_max": null}}),
    );
    check(
        &format!("{set} waiting_deliveries --bytes-max 0"),
        "PATCH",
        &path,
        json!({"waiting_deliveries": {"bytes_max": 0}}),
    );
    check(&format!("{set} calls"), "PATCH", &path, json!({"calls": {}}));
    check_usage(&format!("{set} clients"), "waiting_deliveries");
    check_usage(&format!("{set} calls --rows-max many"), "must be a whole number or `default`");
}
