//! Keys, webhooks, people, notifications, the mail log and the audit log.

use super::{Row, SIGN_IN};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // People, notifications, mail.
    ("GET", "/dashboard/b/{business_id}/settings/people", [200, 200, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/people/invite", [200, 200, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/people/invite", [422, 422, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/people/{person_id}", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/people/{person_id}", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/people/{person_id}/disable", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/people/{person_id}/disable", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/people/{person_id}/enable", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/people/{person_id}/enable", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/people/{person_id}/remove", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/people/{person_id}/remove", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/notifications", [200, 200, 200, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/notifications", [422, 422, 422, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/notifications/test", [409, 409, 409, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/mail", [200, 200, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/mail/{mail_id}/resend", [404, 404, 404, 404, SIGN_IN]),
];
