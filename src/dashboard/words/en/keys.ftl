# API keys, and texts of all logs.

keys-sub = For programs and assistants that work with your business. Keep keys on servers, never in a web page or an app.
keys-create = Create a key
keys-create-sub = Give the key only the permissions that its program needs. You can create a separate key for each program.
keys-create-do = Create the key
keys-name-hint = For example the program that uses the key, so that you recognise it.
keys-may = Permissions
keys-created = Created
keys-used = Last used
keys-never = Never
keys-idle = { $count } days unused
keys-is-revoked = Revoked
keys-revoke = Revoke
keys-revoked = The key is revoked. Programs that use it no longer have access.
keys-none-title = No keys yet
keys-none-text = A key gives a program access: the booking page of your website, an assistant, the till.
keys-everything = All permissions
keys-scope-business-read = Read the business, services and staff
keys-scope-business-write = Change the business and its hours
keys-scope-calls-read = Read calls
keys-scope-contacts-read = Read contacts
keys-scope-contacts-write = Add and change contacts
keys-scope-appointments-read = Read appointments and open times
keys-scope-appointments-write = Book, move and cancel
keys-scope-messages-read = Read messages
keys-scope-knowledge-write = Add knowledge
keys-scope-webhooks-manage = Manage webhooks
keys-made = The key “{ $name }”
keys-made-sub = The key is shown only once. Before you leave this page, store it where your program reads it.
keys-made-key = Key
keys-made-try = Try it
keys-made-text = If the key is lost or seen by others, revoke it and create another key.
secret-kept = I have saved it
keys-used-last = last used: { $when }
keys-used-never = never used
keys-revoke-title = Revoke “{ $name }”?
keys-revoke-stops = This stops immediately and permanently:
keys-revoke-programs = Programs and assistants that use this key lose access
keys-revoke-may = Its permissions today:
keys-revoke-stays = Appointments, contacts and webhook endpoints that were created with this key are kept. Other keys do not change.
keys-revoke-do = Revoke the key
keys-revoke-keep = Keep the key

# Times.
log-when-at = { $day } { short-month }, { $time }
log-when-year = { $day } { short-month } { $year }
log-when-time = { $day }, { $time }
log-when-just-now = just now
log-when-minutes-ago = { $count ->
    [one] 1 minute ago
   *[other] { $count } minutes ago
}
log-when-today = today
log-when-yesterday = yesterday
log-when-days = { $count ->
    [one] 1 day
   *[other] { $count } days
}
log-when-hours = { $count ->
    [one] 1 hour
   *[other] { $count } hours
}
log-when-minutes = { $count ->
    [one] 1 minute
   *[other] { $count } minutes
}
log-when-under-a-minute = under a minute
log-decimal-point = .

# Texts that the logs share.
log-status = Status
log-actions = Actions
log-from = From
log-to = To
log-no-day = This date does not exist.
log-show = Show
log-clear = Show all
log-none-title = Nothing found
log-none-text = No entry matches these filters. Remove a filter or choose an earlier period.
log-looked-title = Nothing found so far
log-looked-text = Not all entries have been searched yet. To continue, choose “Older”.
