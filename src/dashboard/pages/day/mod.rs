//! The pages of today, the calendar and appointments. Each page has a template next to its file.
//!
//! ```text
//! today      the first page; `needs` the tasks for the team, `steps` the first steps of a new business
//! calendar   the calendar: `lanes` a day or a week on a board, `month` a month, `list` the list, `above` the
//!            header of each view, `options` the staff members and the density that a person has chosen
//! weeks      the days of the next weeks, in the sidebar
//! board      the lanes of a board; `axis` the position of items, `columns` items that overlap
//! block      the page that adds time off in the calendar
//! shift      the page that moves an appointment in the calendar
//! shortcuts  the keyboard shortcuts
//! diary      the data that these pages read
//! booking    a new appointment; `moving` moves an appointment
//! timing     the choice of a time and a duration in both forms; `open_times` the times to choose from
//! whom       the choice of the contact
//! appointment    one appointment with its history; declining and cancelling it
//! ```

mod above;
pub(in crate::dashboard) mod alerts;
pub(in crate::dashboard) mod appointment;
mod axis;
pub(in crate::dashboard) mod block;
mod board;
pub(in crate::dashboard) mod booking;
pub(in crate::dashboard) mod calendar;
mod columns;
mod diary;
mod lanes;
mod list;
mod month;
pub(in crate::dashboard) mod moving;
mod needs;
mod open_times;
mod options;
pub(in crate::dashboard) mod shift;
pub(in crate::dashboard) mod shortcuts;
pub(in crate::dashboard) mod steps;
mod timing;
pub(in crate::dashboard) mod today;
mod weeks;
mod whom;
