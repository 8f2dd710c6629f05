//! Changes to the team's notes and to the attendance, which are fields of an appointment that
//! integrations do not see.

use chrono::TimeDelta;
use domain::{Attendance, ResourceId, Timestamp};
use engine::business::commands::appointments::PatchAppointment;
use serde_json::{Value, json};

use crate::model::Model;
use crate::rules::instant;

/// The length of the longest local day, which is the day when clocks are set back.
const DAY_MAX: TimeDelta = TimeDelta::hours(25);

impl Model {
    /// Replays a change to the fields that only the team sees. The change was made at the time `at`.
    pub(crate) fn patch_appointment(&mut self, change: &PatchAppointment, body: &Value, at: Timestamp) {
        let id = change.id.uuid();
        let before = &self.newest[&id];
        for field in ["status", "starts_at", "staff_id", "updated_at"] {
            assert_eq!(body[field], before[field], "{change:?} changed other fields: {body}");
        }
        let notes = change.notes.as_ref().map(|notes| json!(notes.as_ref().map(|notes| notes.as_str())));
        let attendance = change.attendance.map(|attendance| json!(attendance));
        for (field, given) in [("notes", notes), ("attendance", attendance)] {
            if let Some(expected) = given.as_ref().or(before.get(field)) {
                assert_eq!(&body[field], expected, "{change:?} got the response {body}");
            }
        }
        if let Some(Some(attendance)) = change.attendance {
            let begins = match attendance {
                Attendance::Arrived => instant(body, "starts_at") - DAY_MAX,
                Attendance::Completed | Attendance::NoShow => instant(body, "starts_at"),
            };
            assert!(
                body["status"] == "confirmed" && at >= begins,
                "{change:?} was too early at {at}: {body}"
            );
        }
        self.keep_shown(id, body);
    }
}
