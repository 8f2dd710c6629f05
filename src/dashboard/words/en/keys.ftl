# API keys, and what logs say everywhere.

keys-sub = For programs and assistants that work with your business. Keep them on servers, never in a page or an app.
keys-create = Create a key
keys-create-sub = Give it no more than its program needs; a second key costs nothing.
keys-create-do = Create the key
keys-name-hint = Where it will be used, so that you know it again.
keys-may = It may
keys-created = Created
keys-used = Last used
keys-never = Never
keys-idle = { $count } days idle
keys-is-revoked = Revoked
keys-revoke = Revoke
keys-revoked = The key is revoked. What uses it is let in no more.
keys-none-title = No keys yet
keys-none-text = A key lets a program in: your website’s booking page, an assistant, the till.
keys-everything = Everything
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
keys-made-sub = It is shown now and never again. Put it where its program reads it before you leave this page.
keys-made-key = Key
keys-made-try = Try it
keys-made-text = If it is ever lost or seen by others, revoke it and create another; nothing else has to change.
secret-kept = I have kept it
keys-used-last = last used: { $when }
keys-used-never = never used
keys-revoke-title = Revoke “{ $name }”?
keys-revoke-stops = What stops, at once and for good:
keys-revoke-programs = Every program and assistant that uses this key is let in no more
keys-revoke-may = What it may do today:
keys-revoke-stays = Appointments, contacts and webhooks that came in with it stay. No other key changes.
keys-revoke-do = Revoke the key
keys-revoke-keep = Keep it

# When something was.
log-month = { $number ->
    [1] Jan.
    [2] Feb.
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] Aug.
    [9] Sept.
    [10] Oct.
    [11] Nov.
   *[12] Dec.
}
log-when-day = { $day } { $month }
log-when-year = { $day } { $year }
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

# What logs share.
log-status = Status
log-actions = Actions
log-from = From
log-to = To
log-no-day = This is no day.
log-show = Show
log-clear = Show all
log-none-title = Nothing found
log-none-text = Nothing fits these filters. Take one away, or look further back.
log-looked-title = Nothing found so far
log-looked-text = There is more to look through: go on with “Older”.
