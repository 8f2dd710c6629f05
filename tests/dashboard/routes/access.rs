//! Keys, webhooks, people, notifications, the mail log and the audit log.

use super::{Row, SIGN_IN};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("GET", "/dashboard/b/{business_id}/settings/keys", [200, 200, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/keys/new", [200, 200, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/keys/new", [422, 422, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/keys/{key_id}/revoke", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/keys/{key_id}/revoke", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/webhooks", [200, 200, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/webhooks/new", [200, 200, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/webhooks/new", [422, 422, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/edit", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/edit", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/test", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/test", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/on", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/off", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/rotate", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/rotate", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/delete", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/delete", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/resend-missed", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/deliveries/{delivery_id}", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/settings/webhooks/{webhook_id}/deliveries/{delivery_id}/resend", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/settings/audit", [200, 200, 404, 404, SIGN_IN]),
];
