//! The routes for the settings of a business: profile, hours, services, staff and data.

use super::{Row, SIGN_IN};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("GET", "/dashboard/b/{business_id}/settings/business", [200, 200, 200, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/business", [422, 422, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/hours", [200, 200, 200, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/hours", [422, 422, 403, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/hours/days", [422, 422, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/hours/days/{date}", [404, 404, 403, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/hours/days/{date}", [404, 404, 403, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/hours/days/{date}/remove", [404, 404, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/services", [200, 200, 200, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/services/new", [200, 200, 403, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/services/new", [422, 422, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/services/{service_id}", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/services/{service_id}", [404, 404, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/services/{service_id}/delete", [404, 404, 403, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/services/{service_id}/delete", [404, 404, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/staff", [200, 200, 200, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/staff/new", [200, 200, 403, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/staff/new", [422, 422, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/staff/{staff_id}", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/staff/{staff_id}", [404, 404, 403, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/staff/{staff_id}/time-off", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/staff/{staff_id}/time-off/{time_off_id}/remove", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/staff/{staff_id}/delete", [404, 404, 403, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/staff/{staff_id}/delete", [404, 404, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/website", [200, 200, 200, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/website", [303, 303, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/notices", [200, 200, 200, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/notices", [422, 422, 403, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/notices/{notice_id}/send-again", [404, 404, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/data", [200, 200, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/data", [422, 422, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/data/export", [200, 200, 404, 404, SIGN_IN]),
];
