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

/// All of them, in the order of the program's help.
pub(in crate::cli) const RESOURCES: &[Resource] = &[
    Resource {
        name: "business",
        about: "Businesses: create, list, show, update, delete",
        shapes: &[
            Shape::of("hours").clears("closed", "No opening hours at all"),
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
            Verb::of("update", "updateBusiness", "Change a business; what is not given stays as it is"),
            Verb {
                asks: Some(Final::Ends),
                ..Verb::of(
                    "delete",
                    "endBusiness",
                    "End a business for good: its keys let nobody in any more, and everything of it is deleted",
                )
                .shown(Shown::Done("ended; its rows go from now on"))
            },
        ],
    },
    Resource {
        name: "service",
        about: "Services of a business: what can be booked",
        shapes: &[
            Shape::of("duration_minutes").alias("minutes"),
            Shape::of("price_cents").clears("clear-price", "Forget its price").cleared_with("currency"),
            Shape::of("currency").cleared_with("price_cents"),
        ],
        verbs: &[
            Verb::of("create", "createService", "Create a service"),
            Verb::of("list", "listServices", "List the services of a business, inactive ones too").shown(Shown::List(
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
            Verb::of("update", "updateService", "Change a service; what is not given stays as it is"),
            Verb::of("delete", "deleteService", "Delete a service that nothing refers to").shown(Shown::Done("deleted")),
        ],
    },
    Resource {
        name: "staff",
        about: "Staff members of a business: who carries services out",
        shapes: &[],
        verbs: &[
            Verb::of("create", "createStaffMember", "Add a staff member"),
            Verb::of("list", "listStaff", "List the staff of a business, inactive members too").shown(Shown::List(&[
                "id",
                "name",
                "active",
                "timezone",
                "service_ids",
                "hours",
            ])),
            Verb::of("update", "updateStaffMember", "Change a staff member; what is not given stays as it is"),
            Verb::of("delete", "deleteStaffMember", "Delete a staff member that nothing refers to")
                .shown(Shown::Done("deleted")),
        ],
    },
    Resource {
        name: "special-day",
        about: "Special days of a business: dates on which it is closed, or open at other hours",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listSpecialDays", "List special days, by their dates")
                .shown(Shown::List(&["date", "closed", "windows", "note"])),
            Verb::of("set", "setSpecialDay", "Say when a business is open on a date, in place of what the week says"),
            Verb::of("delete", "deleteSpecialDay", "Have a date be as the week says again"),
            Verb::of(
                "import",
                "getBusiness",
                "Close on the days of a public-holiday calendar; dates that are special already stay as they are",
            )
            .shown(Shown::Holidays),
        ],
    },
    Resource {
        name: "time-off",
        about: "Time off of a business's staff: when they are away",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listTimeOff", "List what a staff member has off, by its start, on the business's clocks")
                .shown(Shown::Away),
            Verb::of("add", "addTimeOff", "Give a staff member time off"),
            Verb::of("delete", "deleteTimeOff", "Take time off back").shown(Shown::Done("deleted")),
        ],
    },
    Resource {
        name: "key",
        about: "API keys of a business",
        shapes: &[],
        verbs: &[
            Verb::of("create", "createKey", "Create a key and print it; it is shown only this once")
                .shown(Shown::Noted("the key is shown only this once; keep it where secrets are kept")),
            Verb::of("list", "listKeys", "List the keys of a business, revoked ones too").shown(Shown::List(&[
                "id",
                "prefix",
                "name",
                "scopes",
                "created_at",
                "last_used_at",
                "revoked_at",
            ])),
            Verb::of("revoke", "revokeKey", "Revoke a key at once and for good").shown(Shown::Done("revoked")),
        ],
    },
    Resource {
        name: "appointment",
        about: "Appointments of a business: see them, and book and move them as its own team does",
        shapes: &[Shape::of("starts_at").alias("at")],
        verbs: &[
            Verb::of("list", "listAppointments", "List appointments, by their start").shown(Shown::List(&[
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
            Verb::of("update", "updateAppointment", "Change what the team notes of an appointment"),
        ],
    },
    Resource {
        name: "contact",
        about: "Contacts of a business: see, create, change and erase them",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listContacts", "List contacts, the newest first")
                .shown(Shown::List(&["id", "name", "phone", "email", "locale", "created_at"])),
            Verb::of("show", "getContact", "Show a contact"),
            Verb::of(
                "create",
                "createContact",
                "Create a contact, with a name, a phone number or an email address at least",
            ),
            Verb::of(
                "import",
                "getBusiness",
                "Create the contacts of a CSV file; those who are there already, by phone or email, stay as they are",
            )
            .shown(Shown::Contacts),
            Verb::of("update", "updateContact", "Change a contact; what is not given stays as it is"),
            Verb {
                alias: Some("delete"),
                asks: Some(Final::Erases),
                ..Verb::of(
                    "erase",
                    "eraseContact",
                    "Erase a contact for good, and what calls, messages and appointments say of them",
                )
                .shown(Shown::Done("erased; what tells of them goes from now on"))
            },
        ],
    },
    Resource {
        name: "call",
        about: "Calls of a business: see them, and save those that have ended",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listCalls", "List calls, the newest first").shown(Shown::List(&[
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
            Verb::of("create", "recordCall", "Save a call that has ended"),
        ],
    },
    Resource {
        name: "message",
        about: "Messages for the team of a business: see, take and settle them",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listMessages", "List messages, the newest first").shown(Shown::List(&[
                "id",
                "created_at",
                "status",
                "urgency",
                "caller_name",
                "caller_phone",
                "body",
            ])),
            Verb::of("create", "takeMessage", "Take a message for the team"),
            Verb::of("update", "updateMessage", "Change a message; what is not given stays as it is"),
        ],
    },
    Resource {
        name: "knowledge",
        about: "What the receptionist of a business knows: see, add, change and delete it",
        shapes: &[Shape::of("content").in_file()],
        verbs: &[
            Verb::of("list", "listKnowledge", "List what the receptionist knows")
                .shown(Shown::List(&["id", "title", "locale", "source_url", "updated_at"])),
            Verb::of("show", "getKnowledge", "Show a piece of knowledge with its content"),
            Verb::of(
                "add",
                "addKnowledge",
                "Add a piece of knowledge; its content comes from --content, --file or standard input",
            ),
            Verb::of("update", "updateKnowledge", "Change a piece of knowledge; what is not given stays as it is"),
            Verb::of("delete", "deleteKnowledge", "Delete a piece of knowledge").shown(Shown::Done("deleted")),
        ],
    },
    Resource {
        name: "webhook",
        about: "Webhook endpoints of a business, their delivery log, and sending again",
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
                "Subscribe an endpoint to events, and print its secret; it is shown only this once",
            )
            .shown(Shown::Noted("the secret is shown only this once; receivers check signatures with it")),
            Verb::of("delete", "deleteWebhook", "Remove an endpoint; what waits for it is never sent")
                .shown(Shown::Done("deleted")),
            Verb::of(
                "enable",
                "updateWebhook",
                "Turn an endpoint on again; what it missed stays missed until it is resent",
            )
            .says("status", "enabled"),
            Verb::of("disable", "updateWebhook", "Turn an endpoint off").says("status", "disabled"),
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
            Verb::of("resend", "resendDelivery", "Send one event again"),
            Verb::of("resend-missed", "resendMissed", "Send every missed and failed event again"),
            Verb::of(
                "rotate-secret",
                "rotateWebhookSecret",
                "Give an endpoint a new secret, which is shown this once",
            )
            .shown(Shown::Noted("the secret is shown only this once; the old one has stopped working")),
        ],
    },
    Resource {
        name: "budget",
        about: "The budget of a business: how much it may keep of each kind, and how much it keeps",
        shapes: &[Shape::of("rows_max").null("default"), Shape::of("bytes_max").null("default")],
        verbs: &[
            Verb::of("show", "getBudget", "Show what is allowed and what is used of each kind")
                .shown(Shown::ByField(BUDGET)),
            Verb::of("set", "updateBudget", "Set how much of one kind is allowed; what is not given stays as it is")
                .shown(Shown::ByField(BUDGET)),
        ],
    },
    Resource {
        name: "retention",
        about: "For how many days a business keeps what has happened",
        shapes: &[
            Shape::of("appointments_days").null("forever"),
            Shape::of("audit_days").null("forever"),
            Shape::of("calls_days").null("forever"),
            Shape::of("messages_days").null("forever"),
        ],
        verbs: &[
            Verb::of("show", "getRetention", "Show for how many days each kind is kept"),
            Verb::of(
                "set",
                "updateRetention",
                "Set for how many days some kinds are kept; what is not given stays as it is",
            ),
        ],
    },
    Resource {
        name: "audit",
        about: "The audit log of a business, or of the installation: who changed what",
        shapes: &[],
        verbs: &[
            Verb::of("list", "listAuditEntries", "List the changes, the newest first").shown(Shown::List(AUDIT)),
            Verb::of(
                "installation",
                "listInstallationAuditEntries",
                "List what was done to people's accounts, which exports and backups were begun and which businesses ended",
            )
            .shown(Shown::List(AUDIT)),
        ],
    },
];

/// The region of phone numbers is that of the zone's country until it is told.
fn region(matches: &ArgMatches) -> (&'static str, Term) {
    let zone = matches.get_one::<String>("timezone").cloned().unwrap_or_default();
    ("phone_region", Typed::new("--phone-region", Kind::RegionOfZone, zone).into())
}
