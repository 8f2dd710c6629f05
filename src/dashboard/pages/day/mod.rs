//! Today, the calendar and appointments. One file per page, beside its template.
//!
//! ```text
//! today      the first page; `needs` what needs somebody, `steps` the first steps of a new business
//! calendar   the calendar: `lanes` a day or a week on a board, `week` the week of all, `list` the list; `above` what
//!            stands above each
//! board      the lanes of a board; `axis` where on one something stands
//! diary      what all of them read
//! booking    a new appointment; `moving` another time for one; `open_times` what both choose from
//! appointment, history, ending    one appointment, what was done with it, declining and cancelling
//! caller     contacts, as all of them show them
//! ```

mod above;
pub(in crate::dashboard) mod alerts;
pub(in crate::dashboard) mod appointment;
mod axis;
mod board;
pub(in crate::dashboard) mod booking;
pub(in crate::dashboard) mod calendar;
mod caller;
mod diary;
pub(in crate::dashboard) mod ending;
mod history;
mod lanes;
mod list;
pub(in crate::dashboard) mod moving;
mod needs;
mod open_times;
pub(in crate::dashboard) mod steps;
pub(in crate::dashboard) mod today;
mod week;
