# Messages, calls, contacts and knowledge.

# Shared by these pages.
records-show = Show
records-incomplete = There is too much to look through at once: this is what was found so far. “Older” goes on looking.
records-yesterday = yesterday at { $time }
records-short-day = { $day } { $month } { $year }
records-month = { $number ->
    [1] Jan
    [2] Feb
    [3] Mar
    [4] Apr
    [5] May
    [6] Jun
    [7] Jul
    [8] Aug
    [9] Sep
    [10] Oct
    [11] Nov
   *[12] Dec
}

# Messages.
messages-sub = What callers left for the team
messages-sub-new = { $urgent ->
    [0] { $count } new
   *[other] { $count } new, { $urgent } of them urgent
}
messages-which = Which messages
messages-tab-new = New
messages-tab-read = Read
messages-tab-resolved = Resolved
messages-all-new = New messages
messages-all-read = Messages that were read
messages-all-resolved = Resolved messages
messages-none = No messages here
messages-none-text = What callers leave for the team appears here.
messages-for = for { $name }

# A message.
message-new = New
message-read = Read
message-resolved = Resolved
message-urgent-new = Urgent, new
message-urgent-read = Urgent, read
message-urgent-resolved = Urgent, resolved
message-from = Message from { $name }
message-call-back = Call back
message-resolve = Resolve
message-mark-read = Mark as read
message-mark-new = Mark as new
message-reopen = Open again
message-said = What was said
message-erased = What was said here was erased, together with whoever said it.
message-the-call = The call, { $long }
message-about = About this message
message-who = Who sees to it
message-staff = Staff member
message-nobody = Nobody yet
message-assign = Assign
message-contact = Contact
message-no-contact = This number belongs to no contact yet.
message-done-new = Marked as new.
message-done-read = Marked as read.
message-done-resolved = Resolved.
message-done-assigned = Saved: who sees to it.

# Calls.
calls-sub = Newest first. Times are those of { $zone }.
calls-filter = Filter calls
calls-outcome = Outcome
calls-direction = Direction
calls-status = Status
calls-day = Day
calls-none = No calls yet
calls-none-text = What the receptionist answers appears here, with what was said and what came of it.
calls-none-such = No such calls
calls-none-such-text = No call is as you ask for.
calls-show-all = Show all calls

# A call.
call-inbound = Inbound
call-outbound = Outbound
call-completed = Completed
call-missed = Missed
call-failed = Broken off
call-booked = Appointment booked
call-moved = Appointment moved
call-cancelled = Appointment cancelled
call-message = Message taken
call-answered = Question answered
call-transferred = Put through
call-voicemail = Voicemail
call-spam = Spam
call-hangup = Hung up
call-other = Other
call-anonymous = Anonymous number
call-from = Call from { $name }
call-to = Call to { $name }
call-contact = A contact without a name
call-summary = Summary
call-no-summary = There is no summary of this call.
call-came-of-it = What came of it
call-nothing-came = No appointment and no message.
call-facts = Facts
call-from-number = From
call-to-number = To
call-no-number = No number
call-ended = Ended
call-recording = Recording

# Contacts.
contacts-sub = Everybody who called, wrote or came
contacts-add = Add a contact
contacts-search = Search by name, phone or email
contacts-search-hint = Name, phone or email
contacts-caption = Contacts, newest first
contacts-since = Known since
contacts-none = No contacts yet
contacts-none-text = Whoever calls, writes or books appears here by themselves.
contacts-nobody = Nobody found
contacts-nobody-text = No contact has “{ $q }” in the name, or this as phone or email.
contacts-show-all = Show everybody
contacts-erased = Erased. What else tells of them goes within moments.

# A contact.
contact-phone = Phone
contact-email = Email
contact-zone = Time zone
contact-since = Known since { $day }
contact-about = About { $name }
contact-details = Details
contact-book = Book
contact-call-them = Call
contact-appointments = Appointments
contact-no-appointments = No appointments.
contact-no-calls = No calls.
contact-no-messages = No messages.
contact-show-all = Show all
contact-appointment = { $service }, { $time }
contact-with = With { $staff }
contact-call = { $time }, { $long }
contact-message = Message of { $time }
contact-confirmed = Confirmed
contact-declined = Declined
contact-cancelled = Cancelled
contact-data = Their data
contact-data-text = All that is kept about this person, as they may ask for it.
contact-export = Export as JSON
contact-erase = Erase…
contact-added = Added.
contact-edit = Edit the contact
contact-one-is-enough = A name, a phone number or an email: one of the three is enough.
contact-phone-hint = A number without a country code is read as one of { $region }.
contact-zone-hint = Empty: { $zone }, as the business.
notes = Notes
contact-notes-hint = For the team. Customers and integrations do not see them.
contact-language-hint = The language they are spoken to in.
contact-language-unknown = Not known
contact-add-do = Add the contact
contact-taken = Another contact has this already.
contact-taken-by = Already there:

# Erasing a contact.
erase-title = Erase { $name }?
erase-sub = Nobody can undo this, not even whoever runs the service.
erase-goes = What goes
erase-goes-person = Name, phone number, email, language and time zone
erase-goes-text = What they said: the text of their messages and the summaries of their calls, with the numbers
erase-goes-traces = What the audit log, alerts, mails and the webhook log tell of them
erase-stays = What stays
erase-stays-appointments = Appointments, with their times and without a name
erase-stays-times = That calls and messages took place, and when
erase-stays-sent = What was sent to others already; what is on its way to a webhook goes out within a day
erase-ahead = Still to come
erase-ahead-text = This stays in the calendar without a name. Cancel it first if it will not take place.
erase-sure = Yes, erase all that belongs to { $name }
erase-do = Erase for good
erase-export-first = Export first

# Knowledge.
knowledge-sub = What the receptionist may tell callers, besides hours and services
knowledge-search = Search the knowledge
knowledge-entries = Entries, newest first
knowledge-detail = { $language } · changed on { $when }
knowledge-both = Both languages
knowledge-none = Nothing yet
knowledge-none-text = Tell the receptionist what callers ask: parking, vouchers, what to bring.
knowledge-not-found = Nothing found
knowledge-not-found-text = “{ $q }” stands in no title and no text.
knowledge-show-all = Show everything
knowledge-added = Added. The receptionist knows it from now on.
knowledge-deleted = Deleted.
knowledge-new = Add to the knowledge
knowledge-gone = Somebody has deleted this meanwhile. What you typed stands below: save it to add it anew.
knowledge-new-sub = The receptionist knows it as soon as it is saved.
knowledge-title = Title
knowledge-title-hint = As a caller would ask for it. Up to 200 characters.
knowledge-content = What the receptionist should say
knowledge-content-hint = Write as you would tell it. Up to 50,000 characters.
knowledge-language-hint = The language it is written in.
knowledge-source = Source
knowledge-source-hint = The page where it stands, with https://.
knowledge-delete-ask = Delete…
knowledge-delete-title = Delete “{ $title }”?
knowledge-delete-sub = The receptionist forgets it at once. This cannot be undone.
knowledge-delete-do = Delete for good

# What the engine finds wrong.
