# The audit log.

audit-sub = Who changed what
audit-filter = Filter the audit log
audit-by = Changed by
audit-did = Action
audit-to = Record
audit-everybody = Everybody
audit-anything-done = All actions
audit-anything = All records
audit-none-title = No changes yet
audit-none-text = Changes by people, keys and the service itself appear here.
audit-one-record = All changes to one record:
audit-all-of-it = its history
audit-what-changed = What changed
audit-became = became
