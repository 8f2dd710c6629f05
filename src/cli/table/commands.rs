//! The table of commands.

use clap::{ArgMatches, Args, FromArgMatches};

use super::super::appointment::Book;
use super::super::arguments::Final;
use super::super::request::Term;
use super::super::typed::{Kind, Typed};
use super::flag::Shape;
use super::resource::{Resource, Shown, Verb};

const AUDIT: &[&str] = &["at", "actor.type", "actor.id", "action", "resource_type", "resource_id", "changes"];
const BUDGET: &[&str] = &["kind", "rows", "rows_max", "bytes", "bytes_max"];

/// The order is that of the program's help.
pub(in crate::cli) const RESOURCES: &[Resource] = &[
    Resource {
        name: "business",
        about: "Businesses: create, list, show, change and delete them",
        shapes: &[
            Shape::of("hours").clears("closed", "Remove all opening hours"),
            Shape::of("phone_region").default("the country of the time zone"),
        ],
        verbs: &[
            Verb { follows: Some(region), ..Verb::of("create", "createBusiness", "Create a business") },
            Verb::of("list", "listBusinesses", "List all businesses").shown(Shown::List(&[
                "id",
                "name",
                "timezone",
                "booking_mode",
                "suspended",
                "created_at",
            ])),
            Verb::of("show", "getBusiness", "Show a business"),
            Verb::of("update", "updateBusiness", "Change a business; omitted values stay the same"),
            Verb {
                asks: Some(Final::Ends),
                ..Verb::of(
                    "delete",
                    "endBusiness",
                    "Delete a business permanently: its keys stop working and all its data is deleted",
                )
                .shown(Shown::Done("deleted; its data is removed in the background"))
            },
        ],
    },
    Resource {
        name: "service",
        about: "Services of a business, which customers can book",
        shapes: &[
            Shape::of("duration_minutes").alias("minutes"),
            Shape::of("price_cents").clears("clear-price", "Clear the price").cleared_with("currency"),
            Shape::of("currency").cleared_with("price_cents"),
        ],
        verbs: &[
            Verb::of("create", "createService", "Create a service"),
            Verb::of("list", "listServices", "List the services of a business, including inactive ones").shown(Shown::List(
                &[
                    "id",
                    "name",
                    "duration_minutes",
                    "active",
                    "buffer_before_minutes",
                    "buffer_after_minutes",
                    "min_notice_minutes",
                    "max_advance_days",
                    "price_cents",
                    "currency",
                    "description",
                ],
            )),
            Verb::of("update", "updateService", "Change a service; omitted values stay the same"),
            Verb::of("delete", "deleteService", "Delete a service without any references").shown(Shown::Done("deleted")),
        ],
    },
    Resource {
        name: "staff",
        about: "Staff members of a business, who provide the services",
        shapes: &[],
        verbs: &[
            Verb::of("create", "createStaffMember", "Add a staff member"),
            Verb::of("list", "listStaff", "List the staff of a business, including inactive members").shown(Shown::List(&[
                "id",
                "name",
                "active",
                "timezone",
                "service_ids",
                "hours",
            ])),
            Verb::of("update", "updateStaffMember", "Change a staff member; omitted values stay the same"),
            Verb::of("delete", "deleteStaffMember", "Delete a staff member without any references")
                .shown(Shown::Done("deleted")),
        ],
    },
    Resource {
        name: "special-day",
        about: "Special days of a business: dates with other opening hours, or without any",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listSpecialDays", "List special days, in order of their dates")
                .shown(Shown::List(&["date", "closed", "windows", "note"])),
            Verb::of("set", "setSpecialDay", "Set the opening hours of a date, instead of those of the week"),
            Verb::of("delete", "deleteSpecialDay", "Remove the special hours of a date"),
            Verb::of(
                "import",
                "getBusiness",
                "Close on the days of a public-holiday calendar; existing special days stay the same",
            )
            .shown(Shown::Holidays),
        ],
    },
    Resource {
        name: "time-off",
        about: "Time off of staff members",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listTimeOff", "List the time off of a staff member in local time, in order of its start")
                .shown(Shown::Away),
            Verb::of("add", "addTimeOff", "Give a staff member time off"),
            Verb::of("delete", "deleteTimeOff", "Delete time off").shown(Shown::Done("deleted")),
        ],
    },
    Resource {
        name: "key",
        about: "API keys of a business",
        shapes: &[],
        verbs: &[
            Verb::of("create", "createKey", "Create a key and print it; the key is not shown again")
                .shown(Shown::Noted("store the key in a safe place now: it is not shown again")),
            Verb::of("list", "listKeys", "List the keys of a business, including revoked ones").shown(Shown::List(&[
                "id",
                "prefix",
                "name",
                "scopes",
                "created_at",
                "last_used_at",
                "revoked_at",
            ])),
            Verb::of("revoke", "revokeKey", "Revoke a key immediately and permanently").shown(Shown::Done("revoked")),
        ],
    },
    Resource {
        name: "appointment",
        about: "Appointments of a business: list, book, move and cancel them on behalf of the team",
        shapes: &[Shape::of("starts_at").alias("at")],
        verbs: &[
            Verb::of("list", "listAppointments", "List appointments, in order of their start").shown(Shown::List(&[
                "id",
                "starts_at@timezone",
                "status",
                "service_name",
                "staff_name",
                "contact_name",
                "contact_phone",
                "source",
            ])),
            Verb::of("show", "getAppointment", "Show an appointment"),
            Verb {
                own: Some((Book::augment_args, |matches| Ok(Book::from_arg_matches(matches)?.into_task()))),
                ..Verb::of("book", "bookAppointment", "Book an appointment")
            },
            Verb::of("confirm", "confirmAppointment", "Confirm a pending appointment"),
            Verb::of("decline", "declineAppointment", "Decline a pending appointment"),
            Verb::of("cancel", "cancelAppointment", "Cancel an appointment"),
            Verb {
                without: &["allow_pending", "source"],
                ..Verb::of(
                    "reschedule",
                    "rescheduleAppointment",
                    "Move an appointment to another time or staff member",
                )
            },
            Verb::of("update", "updateAppointment", "Change the team's notes of an appointment"),
        ],
    },
    Resource {
        name: "contact",
        about: "Contacts of a business: list, create, change and erase them",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listContacts", "List contacts, newest first")
                .shown(Shown::List(&["id", "name", "phone", "email", "locale", "created_at"])),
            Verb::of("show", "getContact", "Show a contact"),
            Verb::of(
                "create",
                "createContact",
                "Create a contact; a name, a phone number or an email address is required",
            ),
            Verb::of(
                "import",
                "getBusiness",
                "Create contacts from a CSV file; existing contacts with the same phone or email stay the same",
            )
            .shown(Shown::Contacts),
            Verb::of("update", "updateContact", "Change a contact; omitted values stay the same"),
            Verb {
                alias: Some("delete"),
                asks: Some(Final::Erases),
                ..Verb::of(
                    "erase",
                    "eraseContact",
                    "Erase a contact permanently, including their data in calls, messages and appointments",
                )
                .shown(Shown::Done("erased; related data is removed in the background"))
            },
        ],
    },
    Resource {
        name: "call",
        about: "Calls of a business: list them, and record ended calls",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listCalls", "List calls, newest first").shown(Shown::List(&[
                "id",
                "started_at",
                "direction",
                "status",
                "outcome",
                "duration_seconds",
                "from_number",
                "to_number",
                "contact_name",
                "summary",
            ])),
            Verb::of("show", "getCall", "Show a call"),
            Verb::of("create", "recordCall", "Record an ended call"),
        ],
    },
    Resource {
        name: "message",
        about: "Messages for the team of a business: list, take and close them",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listMessages", "List messages, newest first").shown(Shown::List(&[
                "id",
                "created_at",
                "status",
                "urgency",
                "caller_name",
                "caller_phone",
                "body",
            ])),
            Verb::of("create", "takeMessage", "Take a message for the team"),
            Verb::of("update", "updateMessage", "Change a message; omitted values stay the same"),
        ],
    },
    Resource {
        name: "knowledge",
        about: "Knowledge of the receptionist of a business: list, add, change and delete entries",
        shapes: &[Shape::of("content").in_file()],
        verbs: &[
            Verb::of("list", "listKnowledge", "List the knowledge entries")
                .shown(Shown::List(&["id", "title", "locale", "source_url", "updated_at"])),
            Verb::of("show", "getKnowledge", "Show a knowledge entry with its content"),
            Verb::of(
                "add",
                "addKnowledge",
                "Add a knowledge entry; its content comes from --content, --file or standard input",
            ),
            Verb::of("update", "updateKnowledge", "Change a knowledge entry; omitted values stay the same"),
            Verb::of("delete", "deleteKnowledge", "Delete a knowledge entry").shown(Shown::Done("deleted")),
        ],
    },
    Resource {
        name: "webhook",
        about: "Webhook endpoints of a business, with their delivery log and resending",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listWebhooks", "List the endpoints").shown(Shown::List(&[
                "id",
                "status",
                "disabled_reason",
                "url",
                "events",
                "description",
            ])),
            Verb::of("show", "getWebhook", "Show an endpoint"),
            Verb::of(
                "create",
                "createWebhook",
                "Subscribe an endpoint to events and print its secret; the secret is not shown again",
            )
            .shown(Shown::Noted("store the secret now, it is not shown again; receivers verify signatures with it")),
            Verb::of("delete", "deleteWebhook", "Delete an endpoint; its waiting events are discarded")
                .shown(Shown::Done("deleted")),
            Verb::of(
                "enable",
                "updateWebhook",
                "Enable an endpoint again; missed events are sent only if you resend them",
            )
            .says("status", "enabled"),
            Verb::of("disable", "updateWebhook", "Disable an endpoint").says("status", "disabled"),
            Verb::of("deliveries", "listDeliveries", "Show the delivery log of an endpoint, newest first").shown(
                Shown::List(&[
                    "event_id",
                    "type",
                    "status",
                    "attempts",
                    "last_response_status",
                    "last_error",
                    "next_attempt_at",
                    "created_at",
                ]),
            ),
            Verb::of("resend", "resendDelivery", "Resend one event"),
            Verb::of("resend-missed", "resendMissed", "Resend all missed and failed events"),
            Verb::of(
                "rotate-secret",
                "rotateWebhookSecret",
                "Create a new secret for an endpoint and print it; the secret is not shown again",
            )
            .shown(Shown::Noted("store the secret now, it is not shown again; the old one has stopped working")),
        ],
    },
    Resource {
        name: "budget",
        about: "The storage budget of a business: the limit and the usage of each kind of record",
        shapes: &[Shape::of("rows_max").null("default"), Shape::of("bytes_max").null("default")],
        verbs: &[
            Verb::of("show", "getBudget", "Show the limit and the usage of each kind")
                .shown(Shown::ByField(BUDGET)),
            Verb::of("set", "updateBudget", "Set the limits of one kind; omitted values stay the same")
                .shown(Shown::ByField(BUDGET)),
        ],
    },
    Resource {
        name: "retention",
        about: "The retention periods of the records of a business, in days",
        shapes: &[
            Shape::of("appointments_days").null("forever"),
            Shape::of("audit_days").null("forever"),
            Shape::of("calls_days").null("forever"),
            Shape::of("messages_days").null("forever"),
        ],
        verbs: &[
            Verb::of("show", "getRetention", "Show the retention period of each kind"),
            Verb::of(
                "set",
                "updateRetention",
                "Set the retention periods of some kinds; omitted values stay the same",
            ),
        ],
    },
    Resource {
        name: "audit",
        about: "The audit log of a business or of the installation",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listAuditEntries", "List the changes, newest first").shown(Shown::List(AUDIT)),
            Verb::of(
                "installation",
                "listInstallationAuditEntries",
                "List changes to people's accounts, started exports and backups, and deleted businesses",
            )
            .shown(Shown::List(AUDIT)),
        ],
    },
];

/// The default phone region, from the country of the time zone.
fn region(matches: &ArgMatches) -> (&'static str, Term) {
    let zone = matches.get_one::<String>("timezone").cloned().unwrap_or_default();
    ("phone_region", Typed::new("--phone-region", Kind::RegionOfZone, zone).into())
}
