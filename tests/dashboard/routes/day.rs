//! The rows for the Today page, the calendar, and the pages of appointments.

use super::{Row, SIGN_IN};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("GET", "/dashboard/b/{business_id}/today", [200, 200, 200, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/today/hide-steps", [303, 303, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/stream", [200, 200, 200, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/calendar", [200, 200, 200, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/search", [200, 200, 200, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/appointments/new", [200, 200, 200, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/appointments/new", [422, 422, 422, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/appointments/{appointment_id}", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/appointments/{appointment_id}/confirm", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/appointments/{appointment_id}/notes", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/appointments/{appointment_id}/attendance", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/appointments/{appointment_id}/move", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/appointments/{appointment_id}/move", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/appointments/{appointment_id}/shift", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/appointments/{appointment_id}/shift", [404, 404, 404, 404, SIGN_IN]),
    // The salon has no staff member, so no time can be blocked and the page redirects.
    ("GET", "/dashboard/b/{business_id}/calendar/block", [303, 303, 303, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/calendar/block", [303, 303, 303, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/shortcuts", [200, 200, 200, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/appointments/{appointment_id}/decline", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/appointments/{appointment_id}/decline", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/appointments/{appointment_id}/cancel", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/appointments/{appointment_id}/cancel", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/alerts", [200, 200, 200, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/alerts", [303, 303, 303, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/alerts/{number}/read", [404, 404, 404, 404, SIGN_IN]),
];
