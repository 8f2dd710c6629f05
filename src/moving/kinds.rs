//! The line of each kind of records in an export, in both directions.

use actors::domain::Problem;
use actors::moving::{Moved, MovedKind};

use super::conversations::{CallLine, MessageLine};
use super::line::{RecordLine, Written};
use super::records::{
    AppointmentLine, BusinessLine, ContactLine, KnowledgeLine, RetentionLine, ServiceLine, SpecialDayLine,
    StaffLine, TimeOffLine,
};
use super::webhooks::WebhookLine;
use crate::http::json::Json;
use crate::http::read::from_json;
use crate::http::reading::Reading;

/// The line of every kind of records.
macro_rules! lines {
    ($($kind:ident: $line:ty;)*) => {
        /// The line with the properties of a record.
        pub(super) fn written(moved: &Moved, line: Written) -> Written {
            match moved {
                $(Moved::$kind(it) => <$line>::write(it, line),)*
                Moved::End { records } => line.put("records", records),
            }
        }

        /// The record in a line of this kind, or what is wrong with the line.
        pub(super) fn read_line(kind: MovedKind, line: &Json) -> Result<Moved, Vec<Problem>> {
            match kind {
                $(MovedKind::$kind => {
                    let read = from_json::<$line>(line, Reading::PLAIN);
                    read.map(|line| Moved::$kind(line.made())).map_err(|invalid| invalid.0)
                })*
            }
        }
    };
}

lines! {
    Business: BusinessLine;
    Retention: RetentionLine;
    Service: ServiceLine;
    Staff: StaffLine;
    SpecialDay: SpecialDayLine;
    TimeOff: TimeOffLine;
    Contact: ContactLine;
    Appointment: AppointmentLine;
    Call: CallLine;
    Message: MessageLine;
    Knowledge: KnowledgeLine;
    Webhook: WebhookLine;
}
