//! A second, simple implementation of the booking rules. The model uses it to check responses.

use chrono::TimeDelta;
use domain::booking::{BookRequest, Party};
use domain::{AuditEntry, BudgetKind, ResourceId, Timestamp};
use engine::business::commands::ForOperator;
use engine::business::commands::appointments::{Book, BookingContact};
use engine::business::commands::guarded::BookOnce;
use serde_json::{Value, json};
use store::Tombstone;
use uuid::Uuid;

use crate::assistants::{CancelAt, MoveFrom};
use crate::hooks::Hook;
use crate::model::{Effects, Model};
use crate::ops::Op;

fn id_in(body: &Value, field: &str) -> Uuid {
    body[field].as_str().unwrap().parse().unwrap()
}

pub(crate) fn instant(body: &Value, field: &str) -> Timestamp {
    Timestamp::parse(body[field].as_str().unwrap()).unwrap()
}

fn is_active(appointment: &Value) -> bool {
    appointment["status"] == "pending" || appointment["status"] == "confirmed"
}

fn length(appointment: &Value) -> TimeDelta {
    instant(appointment, "ends_at") - instant(appointment, "starts_at")
}

fn is_time_off(shown: &Value) -> bool {
    shown["staff_id"].is_string() && shown["ends_at"].is_string() && shown["status"].is_null()
}

/// Returns the resource in a response, without the field `affected`.
fn alone(body: &Value) -> Value {
    let mut body = body.clone();
    if let Some(body) = body.as_object_mut() {
        body.remove("affected");
    }
    body
}

/// Returns a call or a message as integrations see it.
fn for_integrations(body: &Value) -> Value {
    let mut body = body.clone();
    for field in ["handled_at", "notes", "snoozed_until"] {
        body.as_object_mut().unwrap().remove(field);
    }
    body
}

impl Model {
    /// Applies to the model a change that the service carried out. Returns the effects that the change must have.
    pub(crate) fn apply(
        &mut self,
        op: &Op,
        body: &Value,
        group: &[AuditEntry],
        window: (i64, i64),
    ) -> Effects {
        let mut effects = Effects::default();
        let body = &alone(body);
        if let Some((phone, email)) = op.newcomer() {
            let phone = phone.map(|phone| phone.as_str().to_owned());
            let email = email.map(|email| email.as_str().to_owned());
            let known = phone.as_ref().and_then(|phone| self.phones.get(phone));
            let known = known.or_else(|| email.as_ref().and_then(|email| self.emails.get(email))).copied();
            let full = self.contacts_max.is_some_and(|most| self.contacts >= most);
            if let (Op::RecordCall(_), None, true) = (op, known, full) {
                assert!(body["contact_id"].is_null(), "a contact was created above the limit: {body}");
                self.keep(op, body, &mut effects);
                return effects;
            }
            let contact = known.unwrap_or_else(|| {
                let id = group[0].resource_id;
                let mut shown = json!({ "id": id, "phone": phone, "email": email });
                if let Op::BookOnline(online) = op {
                    shown["name"] = online.name.as_str().into();
                    if phone.is_some() {
                        // The email address is not stored: a form is no evidence that the phone number and the address
                        // belong to the same person.
                        shown["email"] = Value::Null;
                    }
                }
                self.keep_contact(id, &shown);
                effects.noted.push(("contact.created", id));
                effects.events.insert("contact.created", shown);
                id
            });
            assert_eq!(id_in(body, "contact_id"), contact, "another contact was found for {body}");
        }
        match op {
            Op::Book(Book { request, contact }) => self.book(request, Some(contact), body, &mut effects),
            Op::BookOnce(BookOnce(book)) => {
                self.check_once(book, body);
                self.book(&book.request, Some(&book.contact), body, &mut effects);
            }
            Op::BookOnline(online) => self.book(&online.request, None, body, &mut effects),
            Op::Reschedule(_)
            | Op::Confirm(_)
            | Op::Decline(_)
            | Op::Cancel(_)
            | Op::MoveFrom(_)
            | Op::CancelAt(_)
            | Op::MoveOnline(_)
            | Op::CancelOnline(_) => {
                self.amend(op, body, &mut effects);
            }
            Op::PatchAppointment(change) => {
                self.patch_appointment(change, body, group[0].at);
                effects.noted.push(("appointment.updated", change.id.uuid()));
            }
            Op::CreateWebhook(_) | Op::PatchWebhook(_) | Op::RotateSecret(_) | Op::DeleteWebhook(_) => {
                self.change_hook(op, body, window, &mut effects);
            }
            // The budget is a setting of the business, so its audit entry names the id of the business.
            Op::PatchBudget(patch) => {
                for (_, limit) in patch.limits.iter().filter(|(kind, _)| *kind == BudgetKind::Contacts) {
                    self.contacts_max = limit.rows_max.unwrap_or(self.contacts_max);
                }
                effects.noted.push(("budget.updated", self.id.uuid()));
            }
            Op::RevokeKey(revoke) => {
                self.revoked.insert(Tombstone::RevokedKey(revoke.id));
                effects.noted.push(("api_key.revoked", revoke.id.uuid()));
            }
            Op::RevokeFeed(revoke) => {
                self.revoked.insert(Tombstone::RevokedFeed(revoke.id));
                effects.noted.push(("feed.revoked", revoke.id.uuid()));
            }
            Op::DeleteKnowledge(gone) => {
                self.newest.remove(&gone.id.uuid());
                effects.noted.push(("knowledge.deleted", gone.id.uuid()));
            }
            Op::SetServiceStaff(change) => {
                let service = json!(change.id);
                for (id, member) in &mut self.newest {
                    let Some(offered) = member.get_mut("service_ids").and_then(Value::as_array_mut) else {
                        continue;
                    };
                    let offers = change.staff_ids.iter().any(|staff| staff.uuid() == *id);
                    match (offers, offered.contains(&service)) {
                        (true, false) => offered.push(service.clone()),
                        (false, true) => offered.retain(|one| *one != service),
                        _ => continue,
                    }
                    member["updated_at"] = group[0].at.to_string().into();
                    effects.noted.push(("staff.updated", *id));
                }
            }
            Op::RemoveService(gone) => {
                let id = gone.id.uuid();
                self.check_unused(id);
                effects.noted.push(("service.deleted", id));
            }
            Op::RemoveStaff(gone) => {
                let id = gone.id.uuid();
                // If a staff member is deleted, the time off of the staff member is deleted too.
                self.newest.retain(|_, shown| !(is_time_off(shown) && id_in(shown, "staff_id") == id));
                self.check_unused(id);
                effects.noted.push(("staff.deleted", id));
            }
            Op::SetSpecialDay(_) | Op::DeleteSpecialDay(_) | Op::AddTimeOff(_) | Op::DeleteTimeOff(_) => {
                self.change_diary(op, body, &mut effects);
            }
            _ => self.keep(op, body, &mut effects),
        }
        effects
    }

    /// Removes a service or a staff member from the model. Checks that no record refers to it.
    fn check_unused(&mut self, id: Uuid) {
        assert!(self.newest.remove(&id).is_some(), "{id} was deleted twice");
        let named = id.to_string();
        let refers = |shown: &Value| {
            shown["service_id"] == named.as_str()
                || shown["staff_id"] == named.as_str()
                || shown["service_ids"]
                    .as_array()
                    .is_some_and(|ids| ids.iter().any(|id| id == named.as_str()))
        };
        let user = self.newest.values().find(|shown| refers(shown));
        assert!(user.is_none(), "{id} was deleted, but {} refers to it", user.unwrap());
    }

    /// Records the response to a change. This function handles the kinds of changes that have few rules of their own.
    fn keep(&mut self, op: &Op, body: &Value, effects: &mut Effects) {
        let id = id_in(body, "id");
        let (action, event, given) = match op {
            Op::CreateContact(_) => ("contact.created", Some("contact.created"), json!({})),
            Op::PatchContact(change) => {
                let mut given = json!({ "id": change.id });
                if let Some(phone) = &change.patch.phone {
                    given["phone"] = phone.as_ref().map(|phone| phone.as_str()).into();
                }
                if let Some(email) = &change.patch.email {
                    given["email"] = email.as_ref().map(|email| email.as_str()).into();
                }
                if let Some(name) = &change.patch.name {
                    given["name"] = name.as_ref().map(|name| name.as_str()).into();
                }
                ("contact.updated", None, given)
            }
            Op::NoteContact(ForOperator(change)) => {
                let notes =
                    change.patch.notes.as_ref().map(|notes| notes.as_ref().map(|notes| notes.as_str()));
                // Integrations do not see a change to the notes, so the change keeps `updated_at`.
                let before = self.seen_at(change.id, body);
                let alert =
                    change.patch.alert.as_ref().map(|alert| alert.as_ref().map(|alert| alert.as_str()));
                let given = json!({ "id": change.id, "notes": notes, "alert": alert, "updated_at": before });
                ("contact.updated", None, given)
            }
            Op::RecordCall(_) => ("call.completed", Some("call.completed"), json!({})),
            Op::MarkCall(change) => {
                let is_handled = body["handled_at"].is_string();
                assert_eq!(is_handled, change.handled, "{change:?} got the response {body}");
                (
                    "call.updated",
                    None,
                    json!({ "id": change.id, "updated_at": self.seen_at(change.id, body) }),
                )
            }
            Op::TakeMessage(_) => ("message.taken", Some("message.taken"), json!({})),
            Op::PatchMessage(change) => {
                let mut given = json!({ "id": change.id });
                if let Some(status) = change.status {
                    given["status"] = status.as_str().into();
                }
                if let Some(staff) = change.staff_id {
                    given["staff_id"] = staff.map(|staff| staff.to_string()).into();
                }
                if let Some(notes) = &change.notes {
                    given["notes"] = notes.as_ref().map(|notes| notes.as_str()).into();
                }
                if let Some(until) = change.snoozed_until {
                    given["snoozed_until"] = json!(until);
                }
                let before = &self.newest[&id];
                if ["status", "staff_id"].iter().all(|field| body[field] == before[field]) {
                    given["updated_at"] = before["updated_at"].clone();
                }
                ("message.updated", None, given)
            }
            Op::AddKnowledge(_) => ("knowledge.created", None, json!({})),
            Op::PatchKnowledge(change) => {
                let mut given = json!({ "id": change.id });
                if let Some(content) = &change.patch.content {
                    given["content"] = content.as_str().into();
                }
                ("knowledge.updated", None, given)
            }
            Op::CreateService(_) => ("service.created", None, json!({})),
            Op::PatchService(change) => {
                let mut given = json!({ "id": change.id });
                for (name, value) in [
                    ("active", change.active.map(Value::from)),
                    ("buffer_before_minutes", change.buffer_before_minutes.map(Value::from)),
                    ("buffer_after_minutes", change.buffer_after_minutes.map(Value::from)),
                    ("min_notice_minutes", change.min_notice_minutes.map(Value::from)),
                    ("max_advance_days", change.max_advance_days.map(Value::from)),
                ] {
                    value.into_iter().for_each(|value| given[name] = value);
                }
                ("service.updated", None, given)
            }
            Op::CreateStaff(_) => ("staff.created", None, json!({})),
            Op::PatchStaff(change) => {
                let active = change.active.map(|active| json!({ "id": change.id, "active": active }));
                ("staff.updated", None, active.unwrap_or_else(|| json!({ "id": change.id })))
            }
            Op::PatchBusiness(change) => {
                let mode = change.booking_mode.map(|mode| json!({ "booking_mode": mode }));
                ("business.updated", None, mode.unwrap_or_else(|| json!({})))
            }
            Op::CreateKey(_) => ("api_key.created", None, json!({})),
            Op::CreateFeed(_) => ("feed.created", None, json!({})),
            other => unreachable!("{other:?} has its own rules"),
        };
        for (field, value) in given.as_object().unwrap() {
            assert_eq!(&body[field], value, "{op:?} got the response {body}");
        }
        effects.noted.push((action, id));
        if let Some(event) = event {
            effects.events.insert(event, for_integrations(body));
        }
        match op {
            Op::CreateContact(_) | Op::PatchContact(_) | Op::NoteContact(_) => self.keep_contact(id, body),
            _ => _ = self.newest.insert(id, body.clone()),
        }
    }

    /// Returns the `updated_at` of a record. A change that integrations do not see leaves this value unchanged.
    fn seen_at(&self, id: impl ResourceId, body: &Value) -> Value {
        self.newest[&id.uuid()].get("updated_at").unwrap_or(&body["updated_at"]).clone()
    }

    /// Stores the newest response about a record, and returns the response before it. Responses of the public API lack
    /// the fields that only the team sees, so these fields keep their values from the earlier response.
    pub(crate) fn keep_shown(&mut self, id: Uuid, shown: &Value) -> Option<Value> {
        let mut shown = shown.clone();
        for field in ["notes", "attendance", "alert"] {
            let value = self.newest.get(&id).and_then(|before| before.get(field));
            if let (None, Some(value)) = (shown.get(field), value) {
                shown[field] = value.clone();
            }
        }
        self.newest.insert(id, shown)
    }

    /// Records the present state of a contact. Each phone number and email address belongs to only one contact.
    fn keep_contact(&mut self, id: Uuid, shown: &Value) {
        self.phones.retain(|_, holder| *holder != id);
        self.emails.retain(|_, holder| *holder != id);
        for (field, holders) in [("phone", &mut self.phones), ("email", &mut self.emails)] {
            if let Some(value) = shown[field].as_str() {
                let other = holders.insert(value.to_owned(), id);
                assert_eq!(other, None, "two contacts have the {field} {value}");
            }
        }
        if self.keep_shown(id, shown).is_none() {
            let full = self.contacts_max.is_some_and(|most| self.contacts >= most);
            assert!(!full, "a contact was created above the limit: {shown}");
            self.contacts += 1;
        }
    }

    /// Checks that a new booking does not repeat an existing one with the same contact, service, time and (if one was
    /// requested) staff member.
    fn check_once(&self, book: &Book, body: &Value) {
        assert_eq!(body["already_booked"], false, "an existing booking was returned as new: {body}");
        let same = |field: &str, other: &Value| other[field] == body[field];
        for other in self.announced.keys().map(|other| &self.newest[other]) {
            let twin = is_active(other)
                && ["contact_id", "service_id", "starts_at"].iter().all(|field| same(field, other))
                && (book.request.staff_id.is_none() || same("staff_id", other));
            assert!(!twin, "{body} repeats {other}");
        }
    }

    fn book(
        &mut self,
        request: &BookRequest,
        contact: Option<&BookingContact>,
        body: &Value,
        effects: &mut Effects,
    ) {
        let id = id_in(body, "id");
        if let Some(BookingContact::Known(contact)) = contact {
            assert_eq!(id_in(body, "contact_id"), contact.uuid());
        }
        assert_eq!(instant(body, "starts_at"), request.starts_at);
        assert_eq!(id_in(body, "service_id"), request.service_id.uuid());
        assert!(request.staff_id.is_none_or(|staff| id_in(body, "staff_id") == staff.uuid()), "{body}");
        let service = &self.newest[&request.service_id.uuid()];
        assert_eq!(service["active"], true, "an inactive service was booked: {body}");
        let minutes =
            request.duration.map_or(service["duration_minutes"].clone(), |it| it.num_minutes().into());
        assert_eq!(length(body).num_minutes(), minutes, "{body}");
        assert_eq!(body["status"], self.admitted(request.party), "{body}");
        let minutes = |name: &str| service[name].as_i64().unwrap();
        self.buffers.insert(id, (minutes("buffer_before_minutes"), minutes("buffer_after_minutes")));
        self.hold(id, body, request.party);
        let confirmed = body["status"] == "confirmed";
        self.announced.insert(id, (confirmed, false));
        effects.noted.push((if confirmed { "appointment.booked" } else { "appointment.requested" }, id));
        if confirmed {
            effects.events.insert("appointment.booked", body.clone());
        }
    }

    /// Returns the status that a new appointment gets. It depends on the requester.
    fn admitted(&self, party: Party) -> &'static str {
        let mode = &self.newest[&self.id.uuid()]["booking_mode"];
        match party {
            Party::Team { .. } | Party::Override => "confirmed",
            Party::Integration { .. } if mode == "instant" => "confirmed",
            Party::Integration { allow_pending: true } if mode == "request" => "pending",
            Party::Integration { .. } => "refused",
        }
    }

    /// Records an appointment. Checks that it overlaps no other appointment of the staff member. With an override, the
    /// appointment may overlap time off and buffers. If the team only ignores buffers, the appointment may overlap
    /// buffers. In all other cases, it may overlap neither.
    fn hold(&mut self, id: Uuid, body: &Value, party: Party) {
        let staff = &self.newest[&id_in(body, "staff_id")];
        let offers = staff["service_ids"].as_array().unwrap().contains(&body["service_id"]);
        assert!(staff["active"] == true && offers, "{staff} cannot take {body}");
        let (from, to) = (instant(body, "starts_at"), instant(body, "ends_at"));
        for other in self.announced.keys().filter(|other| **other != id).map(|other| &self.newest[other]) {
            let apart = to <= instant(other, "starts_at") || instant(other, "ends_at") <= from;
            let others = !is_active(other) || other["staff_id"] != body["staff_id"];
            assert!(apart || others, "{body} overlaps {other}");
        }
        if party != Party::Override {
            self.check_kept_free(id, body, !matches!(party, Party::Team { ignore_buffers: true, .. }));
        }
        self.newest.insert(id, body.clone());
    }

    /// Checks that the appointment overlaps no time off and no other appointment of the staff member. If
    /// `heeds_buffers` is true, the buffers of an appointment count as a part of it.
    fn check_kept_free(&self, id: Uuid, body: &Value, heeds_buffers: bool) {
        let minutes = |count: i64| TimeDelta::minutes(if heeds_buffers { count } else { 0 });
        let (before, after) = self.buffers[&id];
        let (from, to) = (instant(body, "starts_at"), instant(body, "ends_at"));
        let (from, to) = (from - minutes(before), to + minutes(after));
        for (other_id, other) in self.newest.iter().filter(|(_, other)| other["staff_id"] == body["staff_id"])
        {
            let is_other = *other_id != id && self.buffers.contains_key(other_id) && is_active(other);
            let (other_before, other_after) = match is_other {
                true => self.buffers[other_id],
                false if is_time_off(other) => (0, 0),
                false => continue,
            };
            let starts = instant(other, "starts_at") - minutes(other_before);
            let ends = instant(other, "ends_at") + minutes(other_after);
            assert!(to <= starts || ends <= from, "{body} overlaps the buffers or the time off of {other}");
        }
    }

    fn change_diary(&mut self, op: &Op, body: &Value, effects: &mut Effects) {
        let (action, id) = match op {
            Op::SetSpecialDay(set) => {
                let count = set.hours.windows().len();
                assert_eq!(body["date"], set.date.to_string());
                assert_eq!(body["closed"], count == 0);
                assert_eq!(body["windows"].as_array().unwrap().len(), count);
                self.special.insert(set.date.to_string(), body.clone());
                ("special_day.set", self.id.uuid())
            }
            Op::DeleteSpecialDay(gone) => {
                let was = self.special.remove(&gone.date.to_string());
                assert!(was.is_some(), "a special day that did not exist was deleted: {body}");
                ("special_day.deleted", self.id.uuid())
            }
            Op::AddTimeOff(add) => {
                let id = id_in(body, "id");
                assert_eq!(id_in(body, "staff_id"), add.staff_id.uuid());
                assert!(
                    self.newest.contains_key(&add.staff_id.uuid()),
                    "the staff member of the time off is missing: {body}"
                );
                assert!(instant(body, "starts_at") < instant(body, "ends_at"), "{body}");
                self.newest.insert(id, body.clone());
                ("time_off.created", id)
            }
            Op::DeleteTimeOff(gone) => {
                assert!(self.newest.remove(&gone.id.uuid()).is_some(), "{gone:?} was deleted twice");
                ("time_off.deleted", gone.id.uuid())
            }
            other => unreachable!("{other:?} is no change to the diary"),
        };
        effects.noted.push((action, id));
    }

    fn amend(&mut self, op: &Op, body: &Value, effects: &mut Effects) {
        let id = id_in(body, "id");
        let before = self.newest[&id].clone();
        let believing;
        let op = match op {
            Op::MoveFrom(MoveFrom { expected, change }) => {
                let starts_at = instant(&before, "starts_at");
                assert!(expected.contains(&starts_at), "the appointment has another start: {body}");
                believing = Op::from(change.clone());
                &believing
            }
            Op::CancelAt(CancelAt { expected, change }) => {
                let starts_at = instant(&before, "starts_at");
                assert!(expected.contains(&starts_at), "the appointment has another start: {body}");
                believing = Op::from(*change);
                &believing
            }
            Op::MoveOnline(_) | Op::CancelOnline(_) => {
                believing = self.made_by_link(op, &before);
                &believing
            }
            other => other,
        };
        let (mut announced, mut moved) = self.announced[&id];
        assert!(is_active(&before), "an appointment that had ended is active again: {before}, {body}");
        let mut event = None;
        let confirmed = body["status"] == "confirmed";
        let (named, action) = match op {
            Op::Reschedule(change) => {
                let request = &change.request;
                assert_eq!(instant(body, "starts_at"), request.starts_at);
                let staff = request.staff_id.map_or(id_in(&before, "staff_id"), ResourceId::uuid);
                assert_eq!(id_in(body, "staff_id"), staff, "{before} {body}");
                let duration = request.duration.unwrap_or(length(&before));
                assert_eq!(length(body), duration, "a move must keep or set the duration");
                assert_eq!(body["status"], self.admitted(request.party), "{body}");
                self.hold(id, body, request.party);
                moved = announced;
                (change.id, "appointment.rescheduled")
            }
            Op::Confirm(change) => {
                assert_eq!((&before["status"], &body["status"]), (&json!("pending"), &json!("confirmed")));
                (change.id, "appointment.confirmed")
            }
            Op::Decline(change) => {
                assert_eq!((&before["status"], &body["status"]), (&json!("pending"), &json!("declined")));
                event = announced.then_some("appointment.cancelled");
                (change.id, "appointment.declined")
            }
            Op::Cancel(change) => {
                assert_eq!(body["status"], "cancelled");
                event = announced.then_some("appointment.cancelled");
                (change.id, "appointment.cancelled")
            }
            other => unreachable!("{other:?} is no change to an appointment"),
        };
        if confirmed {
            event = match (announced, moved) {
                (false, _) => Some("appointment.booked"),
                (true, true) => Some("appointment.rescheduled"),
                (true, false) => None,
            };
            (announced, moved) = (true, false);
        }
        assert_eq!(named.uuid(), id, "another appointment was changed: {body}");
        self.announced.insert(id, (announced, moved));
        let mut shown = body.clone();
        shown["attendance"] = Value::Null;
        self.keep_shown(id, &shown);
        effects.noted.push((action, id));
        if let Some(event) = event {
            effects.events.insert(event, body.clone());
        }
    }

    fn change_hook(&mut self, op: &Op, body: &Value, window: (i64, i64), effects: &mut Effects) {
        let (id, action) = match op {
            Op::CreateWebhook(create) => {
                let id = id_in(body, "id");
                self.hooks.insert(id.into(), Hook::new(create, body, window));
                (id, "webhook.created")
            }
            Op::PatchWebhook(patch) => {
                let hook = self.hooks.get_mut(&patch.id).unwrap();
                hook.patch(patch, body, window);
                (patch.id.uuid(), "webhook.updated")
            }
            Op::RotateSecret(rotate) => {
                self.hooks.get_mut(&rotate.id).unwrap().rotate(&rotate.secret, window);
                (rotate.id.uuid(), "webhook.secret_rotated")
            }
            Op::DeleteWebhook(delete) => {
                self.hooks.get_mut(&delete.id).unwrap().delete(window);
                (delete.id.uuid(), "webhook.deleted")
            }
            other => unreachable!("{other:?} is no change to an endpoint"),
        };
        effects.noted.push((action, id));
        if body.is_null() {
            self.newest.remove(&id);
        } else {
            self.newest.insert(id, body.clone());
        }
    }
}
