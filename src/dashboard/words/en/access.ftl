# Keys, webhooks, people, notifications, the mail log and the audit log.
