# Messages, calls, contacts and knowledge.

# Shared by these pages.
records-show = Show
records-incomplete = There are too many entries to search at once. This page shows the first results. “Older” continues the search.
records-yesterday = yesterday at { $time }
records-short-day = { $day } { short-month } { $year }

# Messages.
messages-sub = Messages that callers left for the team
messages-sub-new = { $urgent ->
    [0] { $count } new
   *[other] { $count } new, { $urgent } of them urgent
}
messages-which = Status of the messages
messages-tab-new = New
messages-tab-read = Read
messages-tab-resolved = Resolved
messages-all-new = New messages
messages-all-read = Read messages
messages-all-resolved = Resolved messages
messages-none = No messages here
messages-none-text = Messages that callers leave for the team appear here.
messages-for = for { $name }

# A message.
message-is-new = New
message-is-read = Read
message-is-resolved = Resolved
message-is-urgent-new = Urgent, new
message-is-urgent-read = Urgent, read
message-is-urgent-resolved = Urgent, resolved
message-from = Message from { $name }
message-call-back = Call back
message-resolve = Resolve
message-mark-read = Mark as read
message-mark-new = Mark as new
message-reopen = Reopen
message-said = What was said
message-erased = The text of this message was erased together with the contact.
message-the-call = The call, { $long }
message-about = About this message
message-who = Assigned to
message-staff = Staff member
message-unassigned = Not assigned yet
message-assign = Assign
message-contact = Contact
message-no-contact = No contact has this number.
message-done-new = Marked as new.
message-done-read = Marked as read.
message-done-resolved = Resolved.
message-done-assigned = The assignment is saved.
message-snoozed-until = Snoozed until { $when }
message-snooze-end = End the snooze
message-snooze-week = For a week
message-snooze-tomorrow = Until tomorrow, 08:00
message-snooze-hour = For an hour
message-snooze-about = A snoozed message is not listed under “Needs you” until the snooze ends.
message-snooze = Snooze
message-done-awake = The snooze is ended.
message-done-snoozed = Snoozed. The message is not listed under “Needs you” until the snooze ends.
message-done-added = The message is saved.
message-is-urgent = Urgent
message-new-do = Save the message
message-new = Write down a message

# Calls.
calls-sub = Newest first. Times are in the time zone { $zone }.
calls-filter = Filter calls
calls-outcome = Outcome
calls-direction = Direction
calls-status = Status
calls-day = Day
calls-none = No calls yet
calls-none-text = Calls that the receptionist answers appear here, with their summary and results.
calls-none-such = No calls found
calls-none-such-text = No call matches these filters.
calls-show-all = Show all calls

# A call.
call-direction-inbound = Inbound
call-direction-outbound = Outbound
call-status-completed = Completed
call-status-missed = Missed
call-status-failed = Dropped
call-status-unhandled = Not handled
call-outcome-appointment_booked = Appointment booked
call-outcome-appointment_rescheduled = Appointment moved
call-outcome-appointment_cancelled = Appointment cancelled
call-outcome-message_taken = Message taken
call-outcome-question_answered = Question answered
call-outcome-transferred = Transferred
call-outcome-voicemail = Voicemail
call-outcome-spam = Spam
call-outcome-hangup = Hung up
call-outcome-other = Other
call-anonymous = Anonymous number
call-from = Call from { $name }
call-to = Call to { $name }
call-contact = A contact without a name
call-summary = Summary
call-no-summary = There is no summary of this call.
call-came-of-it = Results
call-nothing-came = No appointment and no message.
call-facts = Facts
call-from-number = From
call-to-number = To
call-no-number = No number
call-ended = Ended
call-recording = Recording
call-new-minutes = Minutes
call-new-time = Time
call-new-do = Save the call
call-new = Log a call
call-done-added = The call is recorded.
call-done-open = Marked as open.
call-done-handled = Marked as handled.
call-handled-at = Handled: { $when }
call-reopen = Mark as open
call-handle = Mark as handled

# Contacts.
contacts-sub = Everybody who called, wrote or booked
contacts-add = Add a contact
contacts-import = Import contacts
contacts-imported = The contacts were imported.
contacts-imported-none = The file contained no new contact.
contacts-import-sub = From a CSV file of a spreadsheet or another program
contacts-import-file = CSV file
contacts-import-hint = At most 10 MB and 20,000 rows.
contacts-import-columns = The first row contains the names of the columns: name (or first name and last name), phone, email, locale, timezone, notes and alert.
contacts-import-skips = A row is skipped if its phone number or email already exists. Existing contacts do not change.
contacts-import-erased = The file can bring back people who were erased. Remove their rows from the file first.
contacts-import-look = Show a preview
contacts-import-other = Choose another file
contacts-import-preview = Preview
contacts-import-created = { $count ->
    [0] No contact will be created.
    [one] One contact will be created.
   *[other] { $count } contacts will be created.
}
contacts-import-skipped = { $count ->
    [0] No row will be skipped.
    [one] One row will be skipped.
   *[other] { $count } rows will be skipped.
}
contacts-import-more = { $count ->
    [one] And one more row.
   *[other] And { $count } more rows.
}
contacts-import-do = { $count ->
    [one] Import one contact
   *[other] Import { $count } contacts
}
contacts-import-read = Check that letters with accents look right. If they are not, save the file again as “CSV UTF-8”.
contacts-import-read-rows = Rows of the file
contacts-import-skipped-rows = Skipped rows
contacts-import-line = Line
contacts-import-reason = Reason
contacts-import-phone-exists = A contact has this phone number.
contacts-import-email-exists = A contact has this email address.
contacts-import-phone-repeated = An earlier row has this phone number.
contacts-import-email-repeated = An earlier row has this email address.
contacts-import-refused = Nothing was imported. Correct the file and choose it again:
contacts-import-at = Line { $line }:
contacts-import-at-column = Line { $line }, { $column }:
contact-alert-aside = Alert:
contacts-search = Search by name, phone or email
contacts-search-hint = Name, phone or email
contacts-caption = Contacts, newest first
contacts-since = Known since
contacts-none = No contacts yet
contacts-none-text = People who call, write or book are added here automatically.
contacts-not-found = No contact found
contacts-not-found-text = No contact has “{ $q }” in the name, or as phone number or email.
contacts-show-all = Show all contacts
contacts-order = Order of the contacts
contacts-newest = Newest first
contacts-by-name = A to Z
contacts-by-name-hint = Contacts without a name are only in the list “Newest first”.
contacts-caption-by-name = Contacts, A to Z
contacts-erased = The contact is erased. Other data about the contact is deleted within moments.

# A contact.
contact-phone = Phone
contact-email = Email
contact-zone = Time zone
contact-since = Known since { $day }
contact-about = About { $name }
contact-details = Details
contact-book = Book
contact-book-again = Book again
contact-alert = Alert
contact-alert-hint = A short text that the team sees next to the name, for example an allergy.
contact-next = Next visit
contact-last = Last visit
contact-visits = Visits
contact-cancelled = Cancellations
contact-no-show = No-shows
contact-usual = Usually
contact-usual-service = Service
contact-usual-staff = Staff member
contact-to-come = Upcoming appointments
contact-none-to-come = No upcoming appointments.
contact-past = Past appointments
contact-none-past = No past appointments.
contact-call-them = Call
contact-no-calls = No calls.
contact-no-conversations = No conversations.
contact-no-messages = No messages.
contact-show-all = Show all
contact-appointment = { $service }, { $time }
contact-with = With { $staff }
contact-call = { $time }, { $long }
contact-message = Message from { $time }
contact-data = Personal data
contact-data-text = All data that is kept about this person, as a file that you can give to the person.
contact-export = Export as JSON
contact-erase = Erase…
contact-added = Added.
contact-edit = Edit the contact
contact-one-is-enough = A name, a phone number or an email: one of the three is enough.
contact-phone-hint = A number without a country code is read as a number of this country: { $region }.
contact-zone-hint = If empty: { $zone }, the time zone of the business.
notes = Notes
contact-notes-hint = For the team. Contacts and integrations do not see the notes.
contact-language-hint = The language to use with this person.
contact-language-unknown = Not known
contact-add-do = Add the contact
contact-taken-by = Existing contact:

# Merging two contacts.
contact-merge = Merge…
contact-merged = Merged. The other contact’s appointments, calls and messages move here within moments.
merge-title = Merge another contact into { $name }
merge-sub = For a person who has two contacts. Search for the contact that should disappear.
merge-choose = Choose the other contact
merge-kept = This contact is kept
merge-gone = This contact disappears
merge-moves = All appointments, calls and messages of the contact that disappears move to the contact that is kept. If either contact refuses emails or texts, the contact that is kept refuses them too.
merge-notes = The phone numbers and emails that you do not choose, and the name, notes and alert of the contact that disappears, are added to the notes of the contact that is kept. A phone number or email in the notes no longer identifies this person: the next call from that number creates a new contact.
merge-none = None
merge-final = A merge cannot be undone.
merge-do = Merge permanently
merge-other = Choose another contact

# Erasing a contact.
erase-title = Erase { $name }?
erase-sub = This cannot be undone, not even by the operator of the service.
erase-goes = What is erased
erase-goes-person = Name, phone number, email, language and time zone
erase-goes-text = The text of their messages, and the summaries and phone numbers of their calls
erase-goes-traces = Their data in the audit log, alerts, emails and webhook deliveries
erase-stays = What is kept
erase-stays-appointments = Appointments with their times, but without the name
erase-stays-times = The dates and times of calls and messages
erase-stays-sent = Data that was already sent to others. An event that is waiting to be sent to a webhook endpoint is still sent within a day
erase-ahead = Upcoming appointments
erase-ahead-text = These appointments stay in the calendar without the name. First cancel the appointments that will not take place.
erase-sure = Yes, erase { $name } and all their data
erase-do = Erase permanently
erase-export-first = Export first

# Knowledge.
knowledge-sub = Answers that the receptionist may give to callers, in addition to hours and services
knowledge-search = Search the knowledge
knowledge-entries = Entries, newest first
knowledge-detail = { $language } · changed on { $when }
knowledge-both = Both languages
knowledge-none = Nothing yet
knowledge-none-text = Add answers to what callers ask: parking, vouchers, what to bring.
knowledge-not-found = Nothing found
knowledge-not-found-text = No title and no text contains “{ $q }”.
knowledge-show-all = Show all entries
knowledge-added = The entry is added. The receptionist knows it from now on.
knowledge-deleted = The entry is deleted.
knowledge-new = Add an entry
knowledge-gone = Somebody has deleted this entry meanwhile. Your input is shown below: save it to create the entry again.
knowledge-new-sub = The receptionist knows the entry as soon as it is saved.
knowledge-title = Title
knowledge-title-hint = The question as a caller would ask it. Up to 200 characters.
knowledge-content = What the receptionist should say
knowledge-content-hint = Write as you would say it. Up to 50,000 characters.
knowledge-language-hint = The language of this entry.
knowledge-source = Source
knowledge-source-hint = The web page with this information, with https://.
knowledge-delete-ask = Delete…
knowledge-delete-title = Delete “{ $title }”?
knowledge-delete-sub = The receptionist no longer uses the entry. This cannot be undone.
knowledge-delete-do = Delete permanently

# Refusals of the engine.

# Insights.
insights-sub = Figures by week or month, from the records that are stored
insights-filter = Period of the figures
insights-by = By
insights-by-week = Week
insights-by-month = Month
insights-show = Show
insights-download = Download as CSV
insights-wrong-dates = The last day must not be before the first day, and must be at most 24 months after it.
insights-period = Period
insights-total = Total
insights-appointments = Appointments
insights-bookings = Bookings
insights-cancellations = Cancellations
insights-no-shows = No-shows
insights-customers = { customers-alone }
insights-new = New
insights-returning = Returning
insights-unknown = Erased
insights-calls = Calls
insights-calls-all = Calls
insights-answered = Answered
insights-converted = Booked
insights-lead = Booked in advance
insights-lead-about = Half of the appointments were booked further in advance than this.
insights-staff = Staff
insights-hours = Booked hours
insights-utilisation = Booked, { $period }
insights-staff-about = For this week and later weeks, the percentage shows how much of the bookable time is booked.
insights-chart = Chart: { $what }. The table has the same figures.
insights-none = –
insights-day = { $day } { $month_number ->
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
insights-month = { $month_number ->
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
} { $year }
insights-percent = { $number }%
conversations = Conversations
conversations-sub = Conversations of the receptionist with callers, newest first
conversations-filter = Filter conversations
conversations-channel = Channel
conversations-status = Status
conversations-outcome = Outcome
conversations-none = No conversations
conversations-none-text = The conversations of the receptionist in calls, text messages and chats appear here.
conversation = Conversation
conversation-unknown = Unknown number
conversation-visitor = Visitor of the booking page
conversation-turns = Transcript
conversation-by-caller = Caller
conversation-by-visitor = Visitor
conversation-contact = Show the contact
conversation-by-team = Team
conversation-end = End the conversation
conversation-ended = The conversation has ended.
conversation-reply = Reply of the team
conversation-reply-hint = The service saves the reply in the conversation, but does not send it as a text message yet. After a reply, the receptionist does not answer in this conversation for 30 minutes.
conversation-send = Save
conversation-replied = The reply is in the conversation. The service sends no text message.
conversation-channel-voice = Call
conversation-channel-sms = Text messages
conversation-channel-website = Website
conversation-channel-assistant = Assistant
conversation-status-open = Open
conversation-status-ended = Ended
conversation-effect-offered = Times were offered
conversation-effect-booked = An appointment was booked
conversation-effect-requested = An appointment was requested
conversation-effect-moved = An appointment was moved
conversation-effect-cancelled = An appointment was cancelled
conversation-effect-message_taken = A message was taken
conversation-effect-code_sent = A code was sent
conversation-effect-verified = The caller was verified
conversation-effect-answered = A question was answered
conversation-effect-transferred = The call was transferred
conversation-effect-emergency = An emergency number was named
conversation-effect-consent = The caller agreed to receive text messages
conversation-effect-opted_out = The caller wants no more text messages
gaps = Unanswered questions
gaps-sub = Questions of callers that the receptionist could not answer, newest first
gaps-none = No unanswered questions
gaps-none-text = Questions that the receptionist cannot answer appear here for 90 days.
gaps-answer = Write an answer
gaps-delete = Remove
gaps-deleted = The question is removed.
gaps-count = { $count ->
    [one] asked once
   *[other] asked { $count } times
}
