//! Today, the calendar and appointments. One file per page, beside its template.

pub(in crate::dashboard) mod alerts;
pub(in crate::dashboard) mod today;
