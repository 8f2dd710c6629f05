//! Every operation of the operator API has a command, with a flag for each filter and property.

use std::collections::BTreeSet;

use super::parse_with_flags;
use crate::openapi::operator_document;

/// One command for each operation. The ids in the commands are the names of the path parameters.
const COMMANDS: &[&str] = &[
    "business create --name N --timezone UTC",
    "business list",
    "business show business_id",
    "business update business_id",
    "business delete business_id",
    "service create --name N --duration-minutes 30",
    "service list",
    "service update service_id",
    "service delete service_id",
    "service staff service_id",
    "staff create --name N",
    "staff list",
    "staff update staff_id",
    "staff delete staff_id",
    "special-day list",
    "special-day set date --closed",
    "special-day delete date",
    "time-off list --staff staff_id",
    "time-off add --staff staff_id --from F --to T",
    "time-off delete time_off_id --staff staff_id",
    "person add --email E --role R",
    "person list",
    "person show person_id",
    "person change person_id",
    "person remove person_id",
    "person link person_id",
    "person notifications person_id",
    "person notifications person_id --kind call_missed",
    "key create --name N --all-scopes",
    "key list",
    "key revoke key_id",
    "feed create --staff staff_id",
    "feed list",
    "feed revoke feed_id",
    "calendar discover --url U --username N",
    "calendar connect --staff S --kind ics --url U",
    "calendar list",
    "calendar show calendar_id",
    "calendar change calendar_id",
    "calendar read calendar_id",
    "calendar appointments calendar_id",
    "calendar write calendar_id appointment_id",
    "calendar disconnect calendar_id",
    "availability --service S",
    "insights --from F --to T --by week",
    "insights --from F --csv",
    "appointment list",
    "appointment export",
    "appointment show appointment_id",
    "appointment book --service S --starts-at T",
    "appointment confirm appointment_id",
    "appointment decline appointment_id",
    "appointment cancel appointment_id",
    "appointment reschedule appointment_id --starts-at T",
    "appointment update appointment_id",
    "contact list",
    "contact search --q Q",
    "contact create",
    "contact export",
    "contact import --from F",
    "contact show contact_id",
    "contact update contact_id",
    "contact erase contact_id",
    "contact merge contact_id --from F",
    "contact consent contact_id",
    "contact consent contact_id --email all",
    "call list",
    "call show call_id",
    "call create --direction D --status S --outcome O --started-at T --ended-at T",
    "call update call_id --handled true",
    "message list",
    "message create --body B",
    "message update message_id",
    "knowledge list",
    "knowledge add --title T",
    "knowledge show knowledge_id",
    "knowledge update knowledge_id",
    "knowledge delete knowledge_id",
    "webhook list",
    "webhook create --url U --all-events",
    "webhook show webhook_id",
    "webhook enable webhook_id",
    "webhook delete webhook_id",
    "webhook deliveries webhook_id",
    "webhook resend webhook_id event_id",
    "webhook try-now webhook_id event_id",
    "webhook resend-missed webhook_id",
    "webhook rotate-secret webhook_id",
    "budget show",
    "budget set --kind contacts",
    "retention show",
    "retention set",
    "website show",
    "website set",
    "receptionist show",
    "receptionist set",
    "receptionist gaps",
    "receptionist delete-gap gap_id",
    "conversation list",
    "conversation get conversation_id",
    "conversation start --channel C",
    "conversation say conversation_id",
    "conversation end conversation_id",
    "conversation reply conversation_id --text T",
    "conversation delete conversation_id",
    "notice show",
    "notice set",
    "notice list",
    "notice send-again notice_id",
    "audit list",
    "audit installation",
];

/// All operations, such as `GET /businesses/{business_id}/keys`, each with the names in its query and body.
fn operations() -> Vec<(String, Vec<String>)> {
    let document = operator_document();
    let mut operations = Vec::new();
    // Other tests cover the operations that are omitted here. `tests/crash` and `tests/cli` test `backup`,
    // which makes several requests, and `export` and `import`, which stream lines. `tests/cli` tests `mail
    // test`, which belongs to no business.
    let moves = |path: &str| path.ends_with("/export") || path == "/import";
    let of_businesses =
        |path: &&String| !path.starts_with("/backup") && !path.starts_with("/mail") && !moves(path);
    let paths = document["paths"].as_object().unwrap();
    for (path, methods) in paths.iter().filter(|(path, _)| of_businesses(path)) {
        for (method, operation) in methods.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let parameters = parameters.map(|parameter| match parameter["$ref"].as_str() {
                Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
                None => parameter,
            });
            let queried = parameters.filter(|parameter| parameter["in"] == "query");
            let mut names: Vec<String> =
                queried.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect();
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let schema = schema["$ref"]
                .as_str()
                .map_or(schema, |reference| document.pointer(reference.trim_start_matches('#')).unwrap());
            // A `oneOf` schema has its properties in each alternative.
            let objects = schema["oneOf"].as_array().into_iter().flatten().chain([schema]);
            let properties = objects.filter_map(|object| object["properties"].as_object());
            names.extend(properties.flat_map(|all| all.keys().cloned()));
            operations.push((format!("{} {path}", method.to_uppercase()), names));
        }
    }
    operations
}

/// The operation that a command calls, with the names of its path parameters.
fn operation(line: &str) -> String {
    let (command, _) = parse_with_flags(line).unwrap();
    let mut call = command.task.request.call();
    let ids = [
        "service",
        "staff",
        "key",
        "feed",
        "calendar",
        "appointment",
        "contact",
        "call",
        "message",
        "knowledge",
        "webhook",
        "person",
        "notice",
        "conversation",
        "gap",
    ];
    call.path = call.path.replace("/special-days/date", "/special-days/{date}");
    for id in ids.iter().copied().chain(["event", "time_off"]).map(|kind| format!("{kind}_id")) {
        call.path = call.path.replace(&id, &format!("{{{id}}}"));
    }
    if call.path == "/admin/v1/audit" {
        return format!("{} /audit", call.method);
    }
    let path = call.path.trim_start_matches("/admin/v1/businesses");
    // The path has no id of the business if the command uses the only business.
    let path = match path.strip_prefix("/business_id").or_else(|| path.strip_prefix('/')) {
        None => path.to_owned(),
        Some("") => "/{business_id}".to_owned(),
        Some(rest) => format!("/{{business_id}}/{}", rest.trim_start_matches('/')),
    };
    format!("{} /businesses{path}", call.method)
}

#[test]
fn every_operation_has_a_command_with_a_flag_for_each_filter_and_property() {
    let operations = operations();
    let there: BTreeSet<&str> = operations.iter().map(|(operation, _)| operation.as_str()).collect();
    let called: Vec<String> = COMMANDS.iter().map(|line| operation(line)).collect();
    assert_eq!(called.iter().map(String::as_str).collect::<BTreeSet<_>>(), there);

    for (line, called) in COMMANDS.iter().zip(&called) {
        let (_, flags) = parse_with_flags(line).unwrap();
        let (_, names) = operations.iter().find(|(operation, _)| operation == called).unwrap();
        for name in names.iter().filter(|name| !needs_no_flag(line, name)) {
            assert!(flags.flag(name).is_some(), "{line}: {name}");
        }
    }
    assert!(operations.iter().any(|(_, names)| names.iter().any(|name| name == "updated_since")));
}

/// Whether the command needs no flag for this property, because the command itself sets the property or because the
/// property has no effect.
fn needs_no_flag(line: &str, name: &str) -> bool {
    match name {
        // `allow_pending` has no effect, because bookings by the team are never pending. `source` has no effect on a
        // move, because a move keeps the source of the appointment.
        "allow_pending" => true,
        "source" => line.starts_with("appointment reschedule"),
        "status" => line.starts_with("webhook enable"),
        // The properties of these two commands are kinds. The flag `--kind` selects a kind.
        _ => line.starts_with("budget set") || line.starts_with("person notifications"),
    }
}
