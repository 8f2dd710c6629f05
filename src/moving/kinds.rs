//! The kinds of records in an export, each in both directions.
//!
//! What always holds: a kind stands in one table, with the word that its line begins with.

use actors::domain::Problem;
use actors::moving::Moved;

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

/// The word that the line of a business begins with.
pub(super) const BUSINESS: &str = "business";

/// Every kind of records: the word that its line begins with, and the line.
macro_rules! kinds {
    ($($word:expr => $kind:ident: $line:ty;)*) => {
        /// The word that the line of a record begins with.
        pub(super) fn kind(moved: &Moved) -> &'static str {
            match moved {
                $(Moved::$kind(_) => $word,)*
                Moved::End { .. } => "business_end",
            }
        }

        /// The line with the properties of a record.
        pub(super) fn written(moved: &Moved, line: Written) -> Written {
            match moved {
                $(Moved::$kind(it) => <$line>::write(it, line),)*
                Moved::End { records } => line.put("records", records),
            }
        }

        /// The record in a line of this kind, or what is wrong with the line; none where it is no kind of records.
        pub(super) fn of_kind(kind: &str, line: &Json) -> Option<Result<Moved, Vec<Problem>>> {
            $(if kind == $word {
                let read = from_json::<$line>(line, Reading::PLAIN);
                return Some(read.map(|line| Moved::$kind(line.made())).map_err(|invalid| invalid.0));
            })*
            None
        }
    };
}

kinds! {
    BUSINESS => Business: BusinessLine;
    "retention" => Retention: RetentionLine;
    "service" => Service: ServiceLine;
    "staff" => Staff: StaffLine;
    "special_day" => SpecialDay: SpecialDayLine;
    "time_off" => TimeOff: TimeOffLine;
    "contact" => Contact: ContactLine;
    "appointment" => Appointment: AppointmentLine;
    "call" => Call: CallLine;
    "message" => Message: MessageLine;
    "knowledge" => Knowledge: KnowledgeLine;
    "webhook" => Webhook: WebhookLine;
}
