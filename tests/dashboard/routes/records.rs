//! The routes for messages, calls, contacts and knowledge.

use super::{Row, SIGN_IN};

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    ("GET", "/dashboard/b/{business_id}/messages", [200, 200, 200, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/messages/{message_id}", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/messages/{message_id}/status", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/messages/{message_id}/assign", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/messages/new", [200, 200, 200, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/messages/new", [422, 422, 422, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/messages/{message_id}/notes", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/messages/{message_id}/snooze", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/calls/new", [200, 200, 200, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/calls/new", [422, 422, 422, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/calls/{call_id}/handled", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/calls", [200, 200, 200, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/calls/{call_id}", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/contacts", [200, 200, 200, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/contacts/new", [200, 200, 200, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/contacts/new", [422, 422, 422, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/insights", [200, 200, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/insights/download", [200, 200, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/contacts/{contact_id}", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/contacts/{contact_id}/edit", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/contacts/{contact_id}/edit", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/contacts/{contact_id}/export", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/contacts/{contact_id}/erase", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/contacts/{contact_id}/erase", [404, 404, 404, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/knowledge", [200, 200, 200, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/knowledge/new", [200, 200, 403, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/knowledge/new", [422, 422, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/knowledge/{knowledge_id}", [404, 404, 404, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/knowledge/{knowledge_id}", [404, 404, 403, 404, SIGN_IN]),
    ("GET", "/dashboard/b/{business_id}/knowledge/{knowledge_id}/delete", [404, 404, 403, 404, SIGN_IN]),
    ("POST", "/dashboard/b/{business_id}/knowledge/{knowledge_id}/delete", [404, 404, 403, 404, SIGN_IN]),
];
