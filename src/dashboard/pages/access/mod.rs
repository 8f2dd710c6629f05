//! Keys, webhooks, people, notifications, the mail log and the audit log. One file per page, beside its template.
