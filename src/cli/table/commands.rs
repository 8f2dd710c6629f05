//! The table of commands.

use clap::{ArgMatches, Args, FromArgMatches};

use super::super::arguments::Irreversible;
use super::super::own::{Book, Link};
use super::super::request::Term;
use super::super::task::Show;
use super::super::typed::{Kind, Typed};
use super::flag::Shape;
use super::{Resource, Verb};

const AUDIT: &str = "at actor.type actor.id action resource_type resource_id changes";
const BUDGET: &str = "kind rows rows_max bytes bytes_max";

/// The commands, in the order of the program's help.
pub(in crate::cli) const RESOURCES: &[Resource] = &[
    Resource {
        name: "business",
        about: "Businesses: create, list, show, change and delete them",
        shapes: &[
            Shape { clears: Some(("closed", "Remove all opening hours")), ..Shape::of("hours") },
            Shape { default: Some("the country of the time zone"), ..Shape::of("phone_region") },
        ],
        verbs: &[
            Verb { follows: Some(region), ..Verb::new("create", "createBusiness", "Create a business") },
            Verb::new("list", "listBusinesses", "List all businesses")
                .shown(Show::List("id name timezone booking_mode suspended created_at")),
            Verb::new("show", "getBusiness", "Show a business"),
            Verb::new("update", "updateBusiness", "Change a business; omitted values stay the same"),
            Verb {
                confirms: Some(Irreversible::Delete),
                ..Verb::new(
                    "delete",
                    "endBusiness",
                    "Delete a business permanently: its keys stop working and all its data is deleted",
                )
                .shown(Show::Done("deleted; its data is removed in the background"))
            },
        ],
    },
    Resource {
        name: "service",
        about: "Services of a business, which customers can book",
        shapes: &[
            Shape { alias: Some("minutes"), ..Shape::of("duration_minutes") },
            Shape {
                clears: Some(("clear-price", "Clear the price")),
                cleared_with: Some("currency"),
                ..Shape::of("price_cents")
            },
            Shape { cleared_with: Some("price_cents"), ..Shape::of("currency") },
        ],
        verbs: &[
            Verb::new("create", "createService", "Create a service"),
            Verb::new("list", "listServices", "List the services of a business, including inactive ones")
                .shown(Show::List(
                    "id name duration_minutes active buffer_before_minutes buffer_after_minutes \
                     min_notice_minutes max_advance_days price_cents currency category position color \
                     description",
                )),
            Verb::new("update", "updateService", "Change a service; omitted values stay the same"),
            Verb::new(
                "staff",
                "setServiceStaff",
                "Set who offers a service; without --staff, no staff member offers it",
            ),
            Verb::new("delete", "deleteService", "Delete a service to which no other record refers")
                .shown(Show::Done("deleted")),
        ],
    },
    Resource {
        name: "staff",
        about: "Staff members of a business, who provide the services",
        shapes: &[],
        verbs: &[
            Verb::new("create", "createStaffMember", "Add a staff member"),
            Verb::new("list", "listStaff", "List the staff of a business, including inactive members")
                .shown(Show::List("id name active timezone service_ids hours position color")),
            Verb::new("update", "updateStaffMember", "Change a staff member; omitted values stay the same"),
            Verb::new("delete", "deleteStaffMember", "Delete a staff member to whom no other record refers")
                .shown(Show::Done("deleted")),
        ],
    },
    Resource {
        name: "special-day",
        about: "Special days of a business: dates whose opening hours differ from the weekly ones",
        shapes: &[],
        verbs: &[
            Verb::new("list", "listSpecialDays", "List special days, in order of their dates")
                .shown(Show::List("date closed windows note")),
            Verb::new("set", "setSpecialDay", "Set the opening hours of a date, instead of the weekly hours"),
            Verb::new("delete", "deleteSpecialDay", "Remove the special hours of a date"),
            Verb::new(
                "import",
                "getBusiness",
                "Close on the days of a public-holiday calendar; existing special days stay the same",
            )
            .shown(Show::Holidays),
        ],
    },
    Resource {
        name: "time-off",
        about: "Time off of staff members",
        shapes: &[],
        verbs: &[
            Verb::new("list", "listTimeOff", "List the time off of a staff member in local time, in order of its start")
                .shown(Show::TimeOff),
            Verb::new("add", "addTimeOff", "Give a staff member time off"),
            Verb::new("delete", "deleteTimeOff", "Delete time off").shown(Show::Done("deleted")),
        ],
    },
    Resource {
        name: "key",
        about: "API keys of a business",
        shapes: &[],
        verbs: &[
            Verb::new("create", "createKey", "Create a key and print it; the key is not shown again")
                .shown(Show::RecordWithNote("store the key in a safe place now: it is not shown again")),
            Verb::new("list", "listKeys", "List the keys of a business, including revoked ones")
                .shown(Show::List("id prefix name scopes created_at last_used_at revoked_at")),
            Verb::new("revoke", "revokeKey", "Revoke a key immediately and permanently")
                .shown(Show::Done("revoked")),
        ],
    },
    Resource {
        name: "appointment",
        about: "Appointments of a business: list, book, move and cancel them on behalf of the team",
        shapes: &[Shape { alias: Some("at"), ..Shape::of("starts_at") }],
        verbs: &[
            Verb::new("list", "listAppointments", "List appointments, in order of their start")
                .shown(Show::List(
                    "id starts_at@timezone status attendance service_name staff_name contact_name contact_phone \
                     source",
                )),
            Verb::new("export", "downloadAppointments", "Print the appointments as a CSV file").shown(Show::File),
            Verb::new("show", "getAppointment", "Show an appointment"),
            Verb {
                own: Some((Book::augment_args, |matches| Ok(Book::from_arg_matches(matches)?.into_task()))),
                ..Verb::new("book", "bookAppointment", "Book an appointment")
            },
            Verb::new("confirm", "confirmAppointment", "Confirm a pending appointment"),
            Verb::new("decline", "declineAppointment", "Decline a pending appointment"),
            Verb::new("cancel", "cancelAppointment", "Cancel an appointment"),
            Verb {
                without: &["allow_pending", "source"],
                ..Verb::new(
                    "reschedule",
                    "rescheduleAppointment",
                    "Move an appointment to another time or staff member, or change its duration",
                )
            },
            Verb::new("update", "updateAppointment", "Change the team's notes or the attendance of an appointment"),
        ],
    },
    Resource {
        name: "contact",
        about: "Contacts of a business: list, create, change and erase them",
        shapes: &[],
        verbs: &[
            Verb::new(
                "search",
                "search",
                "Search contacts by name, phone or email, with their appointments, calls and messages",
            )
            .shown(Show::Found("kind id title subtitle at")),
            Verb::new("list", "listContacts", "List contacts, newest first")
                .shown(Show::List("id name phone email locale created_at")),
            Verb::new("show", "getContact", "Show a contact"),
            Verb::new(
                "create",
                "createContact",
                "Create a contact; a name, a phone number or an email address is required",
            ),
            Verb::new("export", "downloadContacts", "Print all contacts as a CSV file").shown(Show::File),
            Verb {
                without: &["dry_run"],
                ..Verb::new(
                    "import",
                    "importContacts",
                    "Create contacts from a CSV file, all or none; existing contacts with the same phone or email stay the same",
                )
                .shown(Show::Contacts)
            },
            Verb::new("update", "updateContact", "Change a contact; omitted values stay the same"),
            Verb {
                otherwise: Some("getConsent"),
                ..Verb::new(
                    "consent",
                    "setConsent",
                    "Show the consent of a contact to emails and texts, or change it",
                )
            },
            Verb {
                confirms: Some(Irreversible::Merge),
                ..Verb::new(
                    "merge",
                    "mergeContacts",
                    "Merge the contact --from into this contact; phone numbers and emails other than --phone and --email are added to its notes",
                )
            },
            Verb {
                alias: Some("delete"),
                confirms: Some(Irreversible::Erase),
                ..Verb::new(
                    "erase",
                    "eraseContact",
                    "Erase a contact permanently, including their data in calls, messages and appointments",
                )
                .shown(Show::Done("erased; related data is removed in the background"))
            },
        ],
    },
    Resource {
        name: "call",
        about: "Calls of a business: list them, record ended calls, and mark calls as handled",
        shapes: &[],
        verbs: &[
            Verb::new("list", "listCalls", "List calls, newest first")
                .shown(Show::List(
                    "id started_at direction status outcome duration_seconds from_number to_number \
                     handled_at contact_name summary",
                )),
            Verb::new("show", "getCall", "Show a call"),
            Verb::new("create", "recordCall", "Record an ended call"),
            Verb::new("update", "updateCall", "Mark a call as handled, or remove the mark"),
        ],
    },
    Resource {
        name: "message",
        about: "Messages for the team of a business: list, take and close them",
        shapes: &[],
        verbs: &[
            Verb::new("list", "listMessages", "List messages, newest first")
                .shown(Show::List("id created_at status urgency snoozed_until caller_name caller_phone body")),
            Verb::new("create", "takeMessage", "Record a message for the team"),
            Verb::new("update", "updateMessage", "Change a message; omitted values stay the same"),
        ],
    },
    Resource {
        name: "knowledge",
        about: "Knowledge entries for the receptionist of a business: list, add, change and delete them",
        shapes: &[Shape { in_file: true, ..Shape::of("content") }],
        verbs: &[
            Verb::new("list", "listKnowledge", "List the knowledge entries")
                .shown(Show::List("id title locale source_url updated_at")),
            Verb::new("show", "getKnowledge", "Show a knowledge entry with its content"),
            Verb::new(
                "add",
                "addKnowledge",
                "Add a knowledge entry; its content comes from --content, --file or standard input",
            ),
            Verb::new("update", "updateKnowledge", "Change a knowledge entry; omitted values stay the same"),
            Verb::new("delete", "deleteKnowledge", "Delete a knowledge entry").shown(Show::Done("deleted")),
        ],
    },
    Resource {
        name: "feed",
        about: "Addresses from which calendar services fetch the appointments of a business",
        shapes: &[],
        verbs: &[
            Verb::new("create", "createFeed", "Create a feed and print its address; it is not shown again")
                .shown(Show::RecordWithNote(
                    "add the address to a calendar service now: it is not shown again; Google fetches it every 8 to 24 \
                     hours",
                )),
            Verb::new("list", "listFeeds", "List the feeds of a business, including revoked ones")
                .shown(Show::List("id staff_id detail created_at last_fetched_at revoked_at")),
            Verb::new("revoke", "revokeFeed", "Revoke a feed immediately and permanently")
                .shown(Show::Done("revoked")),
        ],
    },
    Resource {
        name: "calendar",
        about: "Connected calendars, whose busy times block bookings and to which appointments are written",
        shapes: &[Shape { secret_of: Some("username"), ..Shape::of("password") }],
        verbs: &[
            Verb::new("discover", "discoverCalendars", "List the calendars of an account on a CalDAV server")
                .shown(Show::Found("calendar name host writable")),
            Verb::new("connect", "connectCalendar", "Connect a calendar of a staff member"),
            Verb::new("list", "listCalendars", "List the connected calendars of a business")
                .shown(Show::List("id staff_id name kind host status last_read_at error.code events")),
            Verb::new("show", "getCalendar", "Show a connected calendar"),
            Verb::new("change", "updateCalendar", "Change a calendar; omitted values stay the same"),
            Verb::new("read", "readCalendar", "Read a calendar completely, as soon as possible"),
            Verb::new("appointments", "listCalendarAppointments", "List the appointments that are written to a calendar")
                .shown(Show::List(
                    "appointment_id status reason attempts next_attempt_at event_starts_at event_ends_at",
                )),
            Verb::new("write", "writeCalendarAppointment", "Write an appointment to its calendar again"),
            Verb::new("disconnect", "disconnectCalendar", "Disconnect a calendar and delete its credentials")
                .shown(Show::Done("disconnected")),
        ],
    },
    Resource {
        name: "webhook",
        about: "Webhook endpoints of a business: change them, show their deliveries and resend events",
        shapes: &[],
        verbs: &[
            Verb::new("list", "listWebhooks", "List the endpoints")
                .shown(Show::List("id status disabled_reason url events description")),
            Verb::new("show", "getWebhook", "Show an endpoint"),
            Verb::new(
                "create",
                "createWebhook",
                "Subscribe an endpoint to events and print its secret; the secret is not shown again",
            )
            .shown(Show::RecordWithNote("store the secret now, it is not shown again; receivers verify signatures with it")),
            Verb::new("delete", "deleteWebhook", "Delete an endpoint; events that wait for delivery to it are discarded")
                .shown(Show::Done("deleted")),
            Verb::new(
                "enable",
                "updateWebhook",
                "Enable an endpoint again; missed events are sent only if you resend them",
            )
            .says("status", "enabled"),
            Verb::new("disable", "updateWebhook", "Disable an endpoint").says("status", "disabled"),
            Verb::new("deliveries", "listDeliveries", "Show the delivery log of an endpoint, newest first")
                .shown(Show::List(
                    "event_id type status attempts_made last_response_status last_error next_attempt_at \
                     created_at",
                )),
            Verb::new("resend", "resendDelivery", "Resend one event"),
            Verb::new("try-now", "tryDeliveryNow", "Make the next attempt of a pending delivery now"),
            Verb::new("resend-missed", "resendMissed", "Resend all missed and failed events"),
            Verb::new(
                "rotate-secret",
                "rotateWebhookSecret",
                "Create a new secret for an endpoint and print it; the secret is not shown again",
            )
            .shown(Show::RecordWithNote("store the secret now, it is not shown again; the old secret has stopped working")),
        ],
    },
    Resource {
        name: "budget",
        about: "The storage budget of a business: the limits and the usage for each kind of record",
        shapes: &[
            Shape { null: Some("default"), ..Shape::of("rows_max") },
            Shape { null: Some("default"), ..Shape::of("bytes_max") },
        ],
        verbs: &[
            Verb::new("show", "getBudget", "Show the limits and the usage of each kind")
                .shown(Show::ByField(BUDGET)),
            Verb::new("set", "updateBudget", "Set the limits for one kind of record; a limit that is omitted stays the same")
                .shown(Show::ByField(BUDGET)),
        ],
    },
    Resource {
        name: "retention",
        about: "The retention periods of the records of a business, in days",
        shapes: &[
            Shape { null: Some("forever"), ..Shape::of("appointments_days") },
            Shape { null: Some("forever"), ..Shape::of("audit_days") },
            Shape { null: Some("forever"), ..Shape::of("calls_days") },
            Shape { null: Some("forever"), ..Shape::of("messages_days") },
        ],
        verbs: &[
            Verb::new("show", "getRetention", "Show the retention period of each kind"),
            Verb::new(
                "set",
                "updateRetention",
                "Set the retention periods of some kinds; omitted values stay the same",
            ),
        ],
    },
    Resource {
        name: "website",
        about: "The booking page of a business",
        shapes: &[Shape { null: Some("default"), ..Shape::of("change_notice_minutes") }],
        verbs: &[
            Verb::new("show", "getWebsite", "Show the booking page and its address"),
            Verb::new("set", "updateWebsite", "Change the booking page; omitted values stay the same"),
        ],
    },
    Resource {
        name: "receptionist",
        about: "The automated receptionist of a business",
        shapes: &[Shape { null: Some("default"), ..Shape::of("tokens_per_day") }],
        verbs: &[
            Verb::new("show", "getReceptionist", "Show the settings of the receptionist"),
            Verb::new("set", "updateReceptionist", "Change the settings of the receptionist; omitted values stay the same"),
            Verb::new("gaps", "listGaps", "List the questions that the receptionist could not answer, newest first")
                .shown(Show::List("id asked_at count question conversation_id")),
            Verb::new("delete-gap", "deleteGap", "Delete a question from the list").shown(Show::Done("deleted")),
        ],
    },
    Resource {
        name: "conversation",
        about: "Conversations of the receptionist with callers",
        shapes: &[],
        verbs: &[
            Verb::new("list", "listConversations", "List the conversations, newest first").shown(Show::List(
                "id started_at channel status outcome mode locale from contact_id turn_count summary",
            )),
            Verb::new("get", "getConversation", "Show a conversation with its turns"),
            Verb::new("start", "startConversation", "Start a conversation as a caller; the changes are real"),
            Verb::new("say", "takeTurn", "Say something in a conversation as a caller"),
            Verb::new("end", "endConversation", "End a conversation"),
            Verb::new("reply", "replyInConversation", "Send a text message from the team in an SMS conversation"),
            Verb { confirms: Some(Irreversible::Delete), ..Verb::new("delete", "deleteConversation", "Delete a conversation") }
                .shown(Show::Done("deleted")),
        ],
    },
    Resource {
        name: "notice",
        about: "Notices to the customers of a business about their appointments",
        shapes: &[],
        verbs: &[
            Verb::new("show", "getNotices", "Show which customers get notices and when"),
            Verb::new("set", "updateNotices", "Change the notices; omitted values stay the same"),
            Verb::new("list", "listNotices", "List the notices of the last 30 days, newest first").shown(
                Show::List(
                    "id created_at kind channel status reason to attempts last_error appointment_id",
                ),
            ),
            Verb::new("send-again", "resendNotice", "Send a notice again, with the current state of the appointment"),
        ],
    },
    Resource {
        name: "audit",
        about: "The audit log of a business or of the installation",
        shapes: &[],
        verbs: &[
            Verb::new("list", "listAuditEntries", "List the changes, newest first").shown(Show::List(AUDIT)),
            Verb::new(
                "installation",
                "listInstallationAuditEntries",
                "List the exports and backups that were started, the deletions of businesses, and the changes to people's accounts",
            )
            .shown(Show::List(AUDIT)),
        ],
    },
    Resource {
        name: "person",
        about: "People of a business: add and change them, and create sign-in links",
        shapes: &[],
        verbs: &[
            Verb::new("add", "addPerson", "Add a person and print a link to choose a password")
                .shown(Show::RecordWithLink),
            Verb::new("list", "listPeople", "List the people of a business")
                .shown(Show::List("id email name role status staff_id last_sign_in_at")),
            Verb::new("show", "getPerson", "Show a person"),
            Verb::new("change", "updatePerson", "Change a person; omitted values stay the same"),
            Verb::new("remove", "removePerson", "Remove a person from the business; the account stays")
                .shown(Show::Done("removed")),
            Verb {
                own: Some((Link::augment_args, |matches| Ok(Link::from_arg_matches(matches)?.into_task()))),
                ..Verb::new(
                    "link",
                    "createSignInLink",
                    "Create a link and print it; earlier links of the person stop working",
                )
            },
            Verb {
                otherwise: Some("getNotifications"),
                ..Verb::new(
                    "notifications",
                    "updateNotifications",
                    "Show the alert settings of a person, or change those of one kind",
                )
                .shown(Show::ByField("kind email in_app scope"))
            },
        ],
    },
];

/// The default phone region, from the country of the time zone.
fn region(matches: &ArgMatches) -> (&'static str, Term) {
    let zone = matches.get_one::<Vec<Term>>("timezone").into_iter().flatten().next();
    let zone = zone.map(Term::text).unwrap_or_default();
    ("phone_region", Typed::new("--phone-region", Kind::RegionOfZone, zone).into())
}
