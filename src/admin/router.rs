//! The routes of the operator API: method, path, handler, and text of the API document.

use std::future::ready;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware;
use axum::response::IntoResponse;
use engine::Engine;
use view::{OperatorAppointmentView, OperatorCallView, OperatorMessageView};

use super::gate::{Token, TokenGate};
use super::hosts::AdminHosts;
use super::{
    appointments, audit, backup, budget, businesses, calendars, calls, contacts, conversations, diary, feeds,
    insights, keys, knowledge, mail, messages, moving, notices, people, receptionist, retention, search,
    services, staff, webhooks, website,
};
use crate::api;
use crate::config::AdminToken;
use crate::metrics::Metrics;
use crate::rest::error::{ApiError, Code};
use crate::rest::route::{Route, delete, get, patch, post, put};
use crate::rest::router::{self, Gate};

const TEAM_MOVE: &[Code] = &[Code::SlotUnavailable];
/// The error codes of a booking by the team. `Conflict` means that the limit on stored appointments is
/// reached.
const TEAM_BOOKING: &[Code] = &[Code::SlotUnavailable, Code::Conflict];
const CONFLICT: &[Code] = &[Code::Conflict];

/// The table from which the router and the API document are made.
#[rustfmt::skip] // keeps each route in one paragraph
pub(crate) fn table() -> Vec<Route<Token>> {
    macro_rules! b {
        ($path:literal) => {
            concat!("/admin/v1/businesses/{business_id}", $path)
        };
    }
    vec![
        post("/admin/v1/businesses", Token, businesses::create)
            .named("createBusiness", "Create a business"),
        get("/admin/v1/businesses", Token, businesses::list)
            .named("listBusinesses", "List the businesses")
            .details("Ordered by creation."),
        get(b!(""), Token, businesses::show)
            .named("getBusiness", "Get a business"),
        patch(b!(""), Token, businesses::update)
            .named("updateBusiness", "Change, suspend or resume a business")
            .details("A property that is left out keeps its value. `hours` replaces the whole week, and `breaks` replaces all breaks. Appointments do not change. `affected` lists the appointments that are now outside bookable time. If a change affects only `customer_word` or `grid_minutes`, `updated_at` does not change."),
        delete(b!(""), Token, businesses::end)
            .named("endBusiness", "Delete a business permanently")
            .details("After the response, the API keys of the business no longer work, and requests for the business get a 404. The service then deletes the data in steps. A deletion cannot be undone."),
        post(b!("/services"), Token, services::create)
            .named("createService", "Add a service")
            .refuses(CONFLICT),
        get(b!("/services"), Token, services::list)
            .named("listServices", "List the services, including inactive ones")
            .details("Ordered by creation."),
        patch(b!("/services/{service_id}"), Token, services::update)
            .named("updateService", "Change a service")
            .details("A property that is left out keeps its value. Existing appointments keep their duration and buffers. If a change affects only `category`, `position` or `color`, `updated_at` does not change."),
        put(b!("/services/{service_id}/staff"), Token, services::set_staff)
            .named("setServiceStaff", "Set the staff members who offer a service")
            .details("The list replaces the staff members who offered the service. Appointments do not change. `affected` lists the appointments for this service that are now outside bookable time."),
        delete(b!("/services/{service_id}"), Token, services::delete)
            .named("deleteService", "Delete a service that no record refers to")
            .details("A service cannot be deleted while a staff member or any past or future appointment refers to it. Make the service inactive instead.")
            .refuses(CONFLICT),
        post(b!("/staff"), Token, staff::create)
            .named("createStaffMember", "Add a staff member")
            .refuses(CONFLICT),
        get(b!("/staff"), Token, staff::list)
            .named("listStaff", "List the staff members, including inactive ones")
            .details("Ordered by creation."),
        patch(b!("/staff/{staff_id}"), Token, staff::update)
            .named("updateStaffMember", "Change a staff member")
            .details("A property that is left out keeps its value. `service_ids` and `hours` replace the whole list. Appointments do not change. `affected` lists the appointments that are now outside bookable time. If a change affects only `position` or `color`, `updated_at` does not change."),
        delete(b!("/staff/{staff_id}"), Token, staff::delete)
            .named("deleteStaffMember", "Delete a staff member that no record refers to")
            .details("A staff member who has a past or future appointment, or to whom a message refers, cannot be deleted. Make the staff member inactive instead.")
            .refuses(CONFLICT),
        post(b!("/keys"), Token, keys::create)
            .named("createKey", "Create an API key")
            .details("Only this response contains the `key`.")
            .refuses(CONFLICT),
        get(b!("/keys"), Token, keys::list)
            .named("listKeys", "List the API keys, including revoked ones")
            .details("The list is ordered by creation and contains only the beginning of each key."),
        delete(b!("/keys/{key_id}"), Token, keys::revoke)
            .named("revokeKey", "Revoke an API key"),
        post(b!("/feeds"), Token, feeds::create)
            .named("createFeed", "Create a feed of appointments for calendar services")
            .details("Only this response contains the `url`. Every client that knows the URL can read the feed until the feed is revoked. The business and each staff member have at most 10 feeds that are not revoked. Google fetches a feed every 8 to 24 hours.")
            .refuses(CONFLICT),
        get(b!("/feeds"), Token, feeds::list)
            .named("listFeeds", "List the feeds, including revoked ones")
            .details("The list is ordered by creation. It does not contain the addresses of the feeds."),
        delete(b!("/feeds/{feed_id}"), Token, feeds::revoke)
            .named("revokeFeed", "Revoke a feed"),
        post(b!("/calendars/discover"), Token, calendars::discover)
            .named("discoverCalendars", "List the calendars of an account on a CalDAV server")
            .details("The request stores nothing. The service tries the address and then `/.well-known/caldav`, for at most 20 seconds in total. To connect a Google calendar, use the kind `ics` and the calendar's secret iCal address."),
        post(b!("/calendars"), Token, calendars::create)
            .named("connectCalendar", "Connect a calendar of a staff member")
            .details("The service reads the calendar once before it responds. Until the first complete read ends, `status` is `connecting` and the calendar blocks nothing. With `write`, the service writes the appointments of the staff member to the calendar, except appointments that have ended. A staff member has at most 10 calendars, and at most one with `write`. No response contains the address or the password.")
            .refuses(CONFLICT),
        get(b!("/calendars"), Token, calendars::list)
            .named("listCalendars", "List the connected calendars")
            .details("Ordered by creation."),
        get(b!("/calendars/{calendar_id}"), Token, calendars::show)
            .named("getCalendar", "Get a connected calendar"),
        patch(b!("/calendars/{calendar_id}"), Token, calendars::update)
            .named("updateCalendar", "Change a connected calendar")
            .details("Before the service responds, it checks a new address or new credentials with one read. A stopped calendar is read again after a change of the address, the credentials, `busy`, `all_day` or `own_addresses`. If `write` becomes false, the events that the service has already written stay in the calendar.")
            .refuses(CONFLICT),
        delete(b!("/calendars/{calendar_id}"), Token, calendars::disconnect)
            .named("disconnectCalendar", "Disconnect a calendar")
            .details("The busy times of the calendar no longer block bookings, and the service deletes the credentials. The written events stay in the calendar. With `remove_events=true`, the service first deletes the written events that have not ended. For this, it keeps the credentials for at most 24 hours. The response is 202, and `status` is `disconnecting`."),
        post(b!("/calendars/{calendar_id}/read"), Token, calendars::read)
            .named("readCalendar", "Read a calendar completely, as soon as possible")
            .details("If reads of the calendar had stopped, the service reads the calendar again."),
        get(b!("/calendars/{calendar_id}/appointments"), Token, calendars::appointments)
            .named("listCalendarAppointments", "List the appointments that are written to a calendar")
            .details("Ordered by the creation of the appointments."),
        post(b!("/calendars/{calendar_id}/appointments/{appointment_id}/write"), Token, calendars::write)
            .named("writeCalendarAppointment", "Write an appointment to its calendar again")
            .details("The service writes the event again as soon as possible. This write replaces the event in the calendar, so changes that a person made to it there are lost."),
        get(b!("/special-days"), Token, diary::special_days)
            .named("listSpecialDays", "List the special days")
            .details("Ordered by date."),
        put(b!("/special-days/{date}"), Token, diary::set_special_day)
            .named("setSpecialDay", "Set the opening hours of a date")
            .details("The hours replace the weekly hours on that date. If the date already has special hours, they are replaced too. Hours of the previous day that run past midnight still apply, and so do breaks. A business has at most 1,000 special days. `affected` lists all future appointments of that date that are outside bookable time after the change, even if they were outside before it.")
            .refuses(CONFLICT),
        delete(b!("/special-days/{date}"), Token, diary::delete_special_day)
            .named("deleteSpecialDay", "Delete a special day")
            .conditional()
            .details("The weekly hours apply to the date again. `affected` lists the future appointments of that date that are then outside bookable time.")
            .refuses(CONFLICT),
        post(b!("/staff/{staff_id}/time-off"), Token, diary::add_time_off)
            .named("addTimeOff", "Add time off for a staff member")
            .details("Time off lasts from `starts_at` to `ends_at`, or for the whole days from `from` to `to`. A staff member has at most 1,000 periods of time off, and a business 10,000; at the limit, the period that ended first is deleted. Whole days are converted to instants when the time off is created, in the time zone of the business. If the zone changes later, the instants stay the same.")
            .refuses(CONFLICT),
        get(b!("/staff/{staff_id}/time-off"), Token, diary::times_off)
            .named("listTimeOff", "List the time off of a staff member")
            .details("The list is ordered by start."),
        delete(b!("/staff/{staff_id}/time-off/{time_off_id}"), Token, diary::delete_time_off)
            .named("deleteTimeOff", "Delete time off")
            .conditional()
            .refuses(CONFLICT),
        get(b!("/website"), Token, website::show)
            .named("getWebsite", "Get the booking page of a business"),
        patch(b!("/website"), Token, website::update)
            .named("updateWebsite", "Change the booking page of a business")
            .refuses(CONFLICT),
        get(b!("/receptionist"), Token, receptionist::show)
            .named("getReceptionist", "Get the settings of the receptionist"),
        patch(b!("/receptionist"), Token, receptionist::update)
            .named("updateReceptionist", "Change the settings of the receptionist")
            .details("A property that is left out keeps its value, and null restores its default. In the objects `channels` and `greeting`, too, a property that is left out keeps its value. If `knowledge_public` is true, the text of all knowledge entries is public."),
        get(b!("/receptionist/gaps"), Token, receptionist::gaps)
            .named("listGaps", "List the questions that the receptionist could not answer")
            .details("The list is ordered from newest to oldest. It contains the newest 500 questions of the last 90 days."),
        delete(b!("/receptionist/gaps/{gap_id}"), Token, receptionist::delete_gap)
            .named("deleteGap", "Delete a question from the list"),
        get(b!("/conversations"), Token, conversations::list)
            .named("listConversations", "List the conversations of the receptionist")
            .details("Ordered from newest to oldest; with `updated_since`, ordered by `updated_at`. The items do not contain the turns."),
        get(b!("/conversations/{conversation_id}"), Token, conversations::show)
            .named("getConversation", "Get a conversation with all its turns"),
        post(b!("/conversations"), Token, conversations::create)
            .named("startConversation", "Start a conversation as a caller")
            .details("The operator speaks as a caller. No call is made and no text message is sent, but the changes are real: the service books appointments and saves messages. In a conversation with the channel `sms`, the service treats the caller as the contact with the phone number `from`.")
            .refuses(CONFLICT),
        post(b!("/conversations/{conversation_id}/turns"), Token, conversations::take_turn)
            .named("takeTurn", "Say something as a caller")
            .details("The request contains exactly one of `text`, `keys` and `choice`. The response contains the new turns and the choices that the caller has now.")
            .refuses(CONFLICT),
        post(b!("/conversations/{conversation_id}/end"), Token, conversations::end)
            .named("endConversation", "End a conversation for the team")
            .refuses(CONFLICT),
        post(b!("/conversations/{conversation_id}/reply"), Token, conversations::reply)
            .named("replyInConversation", "Send a text message by the team")
            .details("The team can reply only in conversations with the channel `sms`. For 30 minutes after a reply, the receptionist does not answer in the conversation.")
            .refuses(CONFLICT),
        delete(b!("/conversations/{conversation_id}"), Token, conversations::delete)
            .named("deleteConversation", "Delete a conversation")
            .conditional(),
        get(b!("/notices"), Token, website::notices)
            .named("getNotices", "Get the settings of the notices to customers"),
        patch(b!("/notices"), Token, website::update_notices)
            .named("updateNotices", "Change the settings of the notices to customers")
            .refuses(CONFLICT),
        get(b!("/notices/log"), Token, notices::log)
            .named("listNotices", "List the notices to customers")
            .details("The list is ordered from newest to oldest. It contains the waiting notices and the notices of the last 30 days."),
        post(b!("/notices/log/{notice_id}/send-again"), Token, notices::send_again)
            .named("resendNotice", "Send a notice again")
            .details("The service creates a new notice with the current state of the appointment. A notice that is waiting cannot be sent again.")
            .refuses(CONFLICT),
        post(b!("/people"), Token, people::create)
            .named("addPerson", "Add a person to a business")
            .details("If no account has this address, the service creates one. The person chooses a password at `link`, which is null if the account has a password or the service has no public URL. If the address of an existing account is not confirmed, the service first removes the account's password, sessions and links.")
            .refuses(CONFLICT),
        get(b!("/people"), Token, people::list)
            .named("listPeople", "List the people of a business")
            .details("The list is ordered by the time at which the people's accounts were created."),
        get(b!("/people/{person_id}"), Token, people::show)
            .named("getPerson", "Get a person"),
        patch(b!("/people/{person_id}"), Token, people::update)
            .named("updatePerson", "Change the role, staff member, access or account of a person")
            .details("A property that is left out keeps its value. `name`, `clock` and `week_start` belong to the account, so they change in all of the person's businesses.")
            .refuses(CONFLICT),
        delete(b!("/people/{person_id}"), Token, people::remove)
            .named("removePerson", "Remove a person from a business")
            .details("The person's sessions lose access to the business immediately. The last owner can be removed too."),
        post(b!("/people/{person_id}/link"), Token, people::link)
            .named("createSignInLink", "Create a link with which a person signs in or chooses a password")
            .details("The link works once. Earlier links of the person stop working. Only this response contains the `link`.")
            .refuses(CONFLICT),
        get(b!("/people/{person_id}/notifications"), Token, people::notifications)
            .named("getNotifications", "Get the alert settings of a person"),
        patch(b!("/people/{person_id}/notifications"), Token, people::notify)
            .named("updateNotifications", "Change the alert settings of a person")
            .details("A property that is left out keeps its value."),
        get(b!("/availability"), Token, diary::availability)
            .named("listAvailability", "List the times at which the team can book a service")
            .details("The list is the same in every booking mode, and ignores `min_notice_minutes` and `max_advance_days` of the service."),
        get(b!("/appointments"), Token, appointments::list)
            .named("listAppointments", "List appointments")
            .details("The list is ordered by start. With `updated_since`, it is ordered by the last change, oldest first."),
        get(b!("/appointments.csv"), Token, appointments::table)
            .named("downloadAppointments", "Get the appointments as a CSV file")
            .details("The file is ordered by start. Times are in the time zone of the business, except `starts_at_utc`. A cell that begins like a formula gets a leading apostrophe. The audit log records the download."),
        get(b!("/appointments/{appointment_id}"), Token, api::appointments::show::<OperatorAppointmentView>)
            .named("getAppointment", "Get an appointment"),
        patch(b!("/appointments/{appointment_id}"), Token, appointments::update)
            .named("updateAppointment", "Change the team's notes and the attendance of an appointment, or clear the data that the customer entered")
            .details("`updated_at` does not change and no event is sent, so integrations see no change.")
            .refuses(CONFLICT),
        post(b!("/appointments"), Token, appointments::book)
            .named("bookAppointment", "Book an appointment on behalf of the team")
            .details("The body has exactly one of `contact_id` and `contact`. A `contact` with a name alone is always a new contact. The appointment is confirmed in every booking mode. `min_notice_minutes` and `max_advance_days` of the service do not apply. If `ignore_buffers` is true, buffers do not apply either. With `ignore_calendars`, the appointment can overlap busy times of connected calendars. With `duration_minutes`, the staff member must be bookable for the whole duration. If `override` is true, the time does not have to be bookable, and the audit log lists the rules that were overridden.")
            .refuses(TEAM_BOOKING),
        post(b!("/appointments/{appointment_id}/confirm"), Token, appointments::confirm)
            .named("confirmAppointment", "Confirm a pending appointment")
            .details("An appointment that is already confirmed is returned unchanged."),
        post(b!("/appointments/{appointment_id}/decline"), Token, appointments::decline)
            .named("declineAppointment", "Decline a pending appointment")
            .details("An appointment that is already declined is returned unchanged."),
        post(b!("/appointments/{appointment_id}/cancel"), Token, appointments::cancel)
            .named("cancelAppointment", "Cancel an appointment")
            .details("An appointment that is already cancelled or declined is returned unchanged."),
        post(b!("/appointments/{appointment_id}/reschedule"), Token, appointments::reschedule)
            .named("rescheduleAppointment", "Move an appointment on behalf of the team, or change its duration")
            .details("The appointment is confirmed in every booking mode. Buffers do not apply if `ignore_buffers` is true. With `ignore_calendars`, the appointment can overlap busy times of connected calendars. A change to the duration alone is a move. If `override` is true, the time does not have to be bookable, and the audit log lists the rules that were overridden.")
            .refuses(TEAM_MOVE),
        get(b!("/search"), Token, search::find)
            .named("search", "Search contacts, appointments, calls and messages")
            .details("The response has at most 20 records. An appointment is found by its contact, and a call or message by its contact, or by the name or phone number of its caller. Each word of `q` must match, as in the `search` of contacts."),
        get(b!("/insights"), Token, insights::show)
            .named("getInsights", "Get figures about appointments and calls by week or month")
            .details("The dates are in the business's time zone. The first and the last period contain only the days from `from` to `to`. The figures count the records that are stored, so records that were deleted after their retention period do not count. The figures may not include changes that are made during the request."),
        get(b!("/insights.csv"), Token, insights::table)
            .named("downloadInsights", "Get figures about appointments and calls as a CSV file")
            .details("The file has a row for each period and two columns for each staff member. A cell that begins like a formula gets a leading apostrophe."),
        get(b!("/contacts"), Token, contacts::list)
            .named("listContacts", "List contacts")
            .details("The list is ordered from newest to oldest. With `updated_since`, it is ordered by the last change, oldest first. Each word of `search` must match the beginning of a word of the name, the beginning of the email or of a part of it, or at least three digits of the phone number. Upper and lower case, accents and apostrophes make no difference."),
        post(b!("/contacts"), Token, contacts::create)
            .named("createContact", "Create a contact")
            .refuses(CONFLICT),
        get(b!("/contacts.csv"), Token, contacts::table)
            .named("downloadContacts", "Get the contacts as a CSV file")
            .details("The file is ordered by creation. If a cell begins like a formula, the service adds an apostrophe before it. An import removes this apostrophe. The audit log records the download."),
        post(b!("/contacts/import"), Token, contacts::import)
            .named("importContacts", "Create contacts from a CSV file")
            .details("The file has at most 10 MiB and 20,000 rows, and a header row with the names of the columns: `name` (or `first name` and `last name`), `phone`, `email`, `locale`, `timezone`, `notes` and `alert`, or usual English and French names of these columns. The separator is a comma or a semicolon, and the encoding is UTF-8 or Windows-1252. One apostrophe at the beginning of a cell is removed. A row is skipped if its phone or email exists in the business or in an earlier row. Either all other rows become contacts, at the same time, or none. No event is sent. A refusal contains at most 100 problems with their line numbers. The file can bring back people who were erased.")
            .refuses(CONFLICT),
        get(b!("/contacts/{contact_id}"), Token, contacts::show)
            .named("getContact", "Get a contact and a summary of its appointments")
            .details("The `ETag` does not depend on `visits`, so it can be sent as `If-Match` with a change to the contact."),
        patch(b!("/contacts/{contact_id}"), Token, contacts::update)
            .named("updateContact", "Change a contact")
            .details("A property that is left out keeps its value; null clears it. The contact must keep a name, a phone or an email.")
            .refuses(CONFLICT),
        get(b!("/contacts/{contact_id}/consent"), Token, notices::consent)
            .named("getConsent", "Get the consent of a contact to emails and texts"),
        put(b!("/contacts/{contact_id}/consent"), Token, notices::set_consent)
            .named("setConsent", "Set the consent of a contact to emails and texts")
            .details("The consent belongs to the contact's email address and phone number. It also applies to later appointments."),
        post(b!("/contacts/{contact_id}/merge"), Token, contacts::merge)
            .named("mergeContacts", "Merge another contact into this contact")
            .details("This contact gets the appointments, calls and messages of `from`. Their `updated_at` does not change. After the response, the id of `from` means this contact in paths, filters and bookings. This contact keeps its name, language, time zone and alert. If one of these is missing, this contact gets the value of `from`. This contact has the `phone` and the `email` of the request. The other values of `from`, and each phone number or email address that the request does not choose, are added at the end of the notes of this contact. A phone number or email address in the notes no longer identifies a contact. If the notes would have more than 1,000 characters, the request is refused. An erasure of either id erases both. A merge cannot be undone.")
            .refuses(CONFLICT),
        delete(b!("/contacts/{contact_id}"), Token, contacts::erase)
            .named("eraseContact", "Erase a contact")
            .details("After the response, requests for the contact get a 404. The service then removes, in steps, the names, numbers and texts from the contact's calls, messages and appointments, but not their ids and times. It removes the same data from the audit log, stored responses and responses of webhook receivers. Waiting events are sent unchanged for at most 24 hours and are then wiped. An erasure cannot be undone."),
        get(b!("/calls"), Token, api::conversations::calls::<OperatorCallView>)
            .named("listCalls", "List calls")
            .details("The list is ordered from newest to oldest. With `updated_since`, it is ordered by the last change, oldest first."),
        get(b!("/calls/{call_id}"), Token, api::conversations::call::<OperatorCallView>)
            .named("getCall", "Get a call"),
        post(b!("/calls"), Token, calls::create)
            .named("recordCall", "Record a call that has ended")
            .refuses(CONFLICT),
        patch(b!("/calls/{call_id}"), Token, calls::update)
            .named("updateCall", "Mark a call as handled, or remove the mark")
            .details("`updated_at` does not change and no event is sent, so integrations see no change."),
        get(b!("/messages"), Token, api::conversations::messages::<OperatorMessageView>)
            .named("listMessages", "List messages")
            .details("The list is ordered from newest to oldest. With `updated_since`, it is ordered by the last change, oldest first."),
        post(b!("/messages"), Token, messages::create)
            .named("takeMessage", "Record a message for the team")
            .refuses(CONFLICT),
        patch(b!("/messages/{message_id}"), Token, messages::update)
            .named("updateMessage", "Change a message")
            .details("A property that is left out keeps its value. If a change affects only `notes` or `snoozed_until`, `updated_at` does not change."),
        get(b!("/knowledge"), Token, knowledge::list)
            .named("listKnowledge", "List the knowledge entries")
            .details("Ordered by creation."),
        post(b!("/knowledge"), Token, api::conversations::add_knowledge)
            .named("addKnowledge", "Add a knowledge entry")
            .refuses(CONFLICT),
        get(b!("/knowledge/{knowledge_id}"), Token, knowledge::show)
            .named("getKnowledge", "Get a knowledge entry"),
        patch(b!("/knowledge/{knowledge_id}"), Token, knowledge::update)
            .named("updateKnowledge", "Change a knowledge entry")
            .details("A property that is left out keeps its value.")
            .refuses(CONFLICT),
        delete(b!("/knowledge/{knowledge_id}"), Token, knowledge::delete)
            .named("deleteKnowledge", "Delete a knowledge entry"),
        post(b!("/webhooks"), Token, webhooks::create)
            .named("createWebhook", "Create a webhook endpoint")
            .details("Only this response contains the `secret`. A response that is repeated for an `Idempotency-Key` has null instead.")
            .refuses(CONFLICT),
        delete(b!("/webhooks/{webhook_id}"), Token, api::webhooks::delete)
            .named("deleteWebhook", "Delete a webhook endpoint")
            .details("The service stops sending to the endpoint. It never sends the pending deliveries of this endpoint."),
        get(b!("/webhooks"), Token, webhooks::list)
            .named("listWebhooks", "List the webhook endpoints")
            .details("The list is ordered by creation and contains no secrets."),
        get(b!("/webhooks/{webhook_id}"), Token, webhooks::show)
            .named("getWebhook", "Get a webhook endpoint"),
        patch(b!("/webhooks/{webhook_id}"), Token, webhooks::update)
            .named("updateWebhook", "Enable or disable a webhook endpoint"),
        get(b!("/webhooks/{webhook_id}/deliveries"), Token, webhooks::deliveries)
            .named("listDeliveries", "List the deliveries to a webhook endpoint")
            .details("The list contains the last 30 days, from newest to oldest."),
        post(b!("/webhooks/{webhook_id}/deliveries/{event_id}/resend"), Token, webhooks::resend)
            .named("resendDelivery", "Resend an event")
            .details("The event keeps its id and bytes and gets a new schedule.")
            .refuses(CONFLICT),
        post(b!("/webhooks/{webhook_id}/deliveries/{event_id}/try-now"), Token, webhooks::try_now)
            .named("tryDeliveryNow", "Make the next attempt of a pending delivery now")
            .details("The attempt takes the place of the next scheduled attempt. After it, the schedule continues.")
            .refuses(CONFLICT),
        post(b!("/webhooks/{webhook_id}/resend-missed"), Token, webhooks::resend_missed)
            .named("resendMissed", "Resend all missed and failed events of an endpoint")
            .details("The service resends as many events as fit in the budget of waiting deliveries.")
            .refuses(CONFLICT),
        post(b!("/webhooks/{webhook_id}/rotate-secret"), Token, webhooks::rotate_secret)
            .named("rotateWebhookSecret", "Rotate the secret of a webhook endpoint")
            .details("Only this response contains the new secret. The old secret stops working immediately."),
        get(b!("/budget"), Token, budget::show)
            .named("getBudget", "Get the limit and the usage of each kind of record"),
        patch(b!("/budget"), Token, budget::update)
            .named("updateBudget", "Change the limits of a business")
            .details("A property that is left out keeps its value; null restores the default."),
        get(b!("/retention"), Token, retention::show)
            .named("getRetention", "Get the retention periods of a business"),
        patch(b!("/retention"), Token, retention::update)
            .named("updateRetention", "Change the retention periods of a business")
            .details("A property that is left out keeps its value. With null, records are kept without limit. Records that are older than the new period are deleted within an hour. Other records are usually deleted within two days after their period ends. Records that refer to a deleted record keep its id."),
        post("/admin/v1/backup", Token, backup::create)
            .named("createBackup", "Start a backup of the running service")
            .details("The backup is written to a directory on the service's machine. One backup runs at a time.")
            .refuses(CONFLICT),
        get("/admin/v1/backup/{backup_id}", Token, backup::show)
            .named("getBackup", "Get the progress of a backup")
            .details("The service remembers the last 32 backups since its start."),
        get("/admin/v1/export", Token, moving::export_all)
            .named("exportBusinesses", "Export all businesses")
            .details("The response is JSON Lines. Each business is exported as it is at one point in time. The topic `export` of the documentation describes the lines."),
        get(b!("/export"), Token, moving::export)
            .named("exportBusiness", "Export a business")
            .details("The response is JSON Lines. The business is exported as it is at one point in time."),
        get("/admin/v1/audit", Token, audit::installation)
            .named("listInstallationAuditEntries", "List the changes to the installation")
            .details("The list contains exports, backups, deletions of businesses, and changes to people's accounts, newest first. Changes within a business are in the business's own audit log."),
        post("/admin/v1/mail/test", Token, mail::test)
            .named("testMail", "Send a test mail")
            .details("The service makes one attempt and returns the relay's response. If the settings contain no relay, the service responds with 409.")
            .refuses(CONFLICT),
        post("/admin/v1/import", Token, moving::import)
            .named("importBusinesses", "Import exported businesses")
            .details("The body is JSON Lines from an export. If any line is wrong, nothing is imported. No record is visible before the whole import is complete. A refusal lists the first problems (about 100) with their line numbers. Only one import can run at a time.")
            .refuses(CONFLICT),
        get(b!("/audit"), Token, audit::list)
            .named("listAuditEntries", "List the changes to a business")
            .details("The list is ordered from newest to oldest."),
    ]
}

pub(crate) fn router(
    engine: Engine,
    token: AdminToken,
    hosts: AdminHosts,
    others: Router,
    metrics: Arc<Metrics>,
) -> Router {
    let gate = TokenGate::new(engine, token, metrics);
    let (fallback, lists) = (gate.clone(), router::lists(&table()));
    // Unknown paths need the token too.
    let no_such_path = |request: Request| async move {
        let answer = ApiError::NoSuchPath(router::list_above(&lists, request.uri().path())).into_response();
        fallback.authenticate(request, |_, ()| ready(answer)).await
    };
    let check = middleware::from_fn(move |request, next| hosts.clone().check(request, next));
    router::router(table(), &gate).merge(others).fallback(no_such_path).layer(check)
}
