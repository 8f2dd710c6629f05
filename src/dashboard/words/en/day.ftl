# Today, the calendar and appointments.

# Today.
today-sub = { $time } in { $place } · { $open } · { $count }
appointments-count = { $count ->
    [0] no appointments
    [one] one appointment
   *[other] { $count } appointments
}
today-open-until = open until { $time }
today-opens-at = opens at { $time }
today-closed-today = closed today
today-closed-by-now = closed by now
today-appointments = Appointments
to-confirm = To confirm
somebody = Somebody
today-empty = The day is empty
today-empty-text = Once somebody works here, their day stands on this page.
today-more = There are more than are shown here.
today-by-staff = Today by person
today-whole-day = The whole day
today-day-of-somebody = { $count }, until { $until }
today-in-without = No appointments · in { $hours }
today-now = Now
today-now-until = { $service }, until { $until }
today-needs-you = Needs you
today-needs-messages = All messages
today-needs-nothing = Nothing needs you
today-needs-nothing-text = Requests, messages for the team and missed calls appear here as they come in.
today-call-back = Call back
today-resolve = Resolved
today-resolved = The message is resolved.
today-with-staff = with { $name }
today-need-urgent = Urgent message
today-need-message = New message
today-need-request = To confirm
today-need-request-text = Asked for by { $who } ({ $source }, { $when }). The time is held until somebody confirms or declines.
today-need-missed = Missed call
today-need-failed = Broken-off call
today-need-missed-known = Nobody answered.
today-need-missed-text = Nobody answered; not a known contact.
today-need-failed-text = The call broke off.
today-need-unknown-number = A number that was not shown
today-need-webhook = Webhook off
today-need-webhook-text = Turned off since { $since }: an event failed all its attempts. What was missed can be sent again.
today-need-see = See what happened

# The first steps of a new business.
steps-first = First steps
steps-welcome = Welcome, { $name }
steps-welcome-nobody = Welcome
steps-left = { $count ->
    [one] One more step
   *[other] { $count } more steps
}
steps-for = and everything is set up for { $name }.
steps-done = { $count } of 5 done
steps-is-done = done
steps-do-hours = Set the hours
steps-do-service = Add a service
steps-do-staff = Add somebody
steps-do-booking = Book a time
steps-do-key = Create the key
steps-go-on = Go on to the next step
steps-change = Change
steps-hours = Say when you are open
steps-hours-text = Opening hours of the week; special days can follow
steps-hours-done = { $count ->
    [one] One day a week
   *[other] { $count } days a week
}
steps-service = Name a service
steps-service-text = What can be booked, and how long it takes
steps-staff = Say who does it
steps-staff-text = At least one staff member who offers a service
steps-booking = Book a first appointment
steps-booking-text = To see how a day looks; it can be cancelled afterwards
steps-key = Create a key
steps-key-text = For your website or an assistant; can wait

# The calendar.
calendar-views = View
calendar-day = Day
calendar-week = Week
calendar-list = List
calendar-book = Book
calendar-week-number = Week { $number }
calendar-week-title = { $from } to { $to }
calendar-weekday = { $count ->
    [1] Mon
    [2] Tue
    [3] Wed
    [4] Thu
    [5] Fri
    [6] Sat
   *[7] Sun
}
calendar-this-week = This week
calendar-all-staff = All staff
calendar-by-staff = The day by staff member
calendar-week-of = The week of { $name }
calendar-jump = Staff of this day
calendar-times-in = times in { $place }
calendar-open-from-to = open { $from } to { $to }
calendar-closed-all-day = closed all day
calendar-closed = Closed
calendar-break = Break
calendar-not-in = Not in
calendar-time-off = Time off
calendar-time-off-for = Time off: { $note }
calendar-kept-free = Kept free
calendar-asks = Asks
calendar-free = free
calendar-free-with = book with { $name }
calendar-now = Now, { $time }
calendar-legend = What the marks mean
calendar-legend-asks = Asks, to be confirmed
calendar-legend-away = Break, not in, time off or kept free
calendar-legend-free = Free times show when you point at them; select one to book it.
calendar-nobody = Nobody works here yet
calendar-nobody-text = Each staff member gets a column of this page.
calendar-filter = Filter appointments
calendar-from = From
calendar-to = To
calendar-everybody = Everybody
calendar-show = Show
calendar-list-from = From { $day }
calendar-list-none = No appointments found
calendar-list-none-text = Another day or other filters may show some.
calendar-list-searched = Not everything was looked through yet: go on to later ones.
calendar-to-beginning = To the beginning
calendar-to-later = Later

# One appointment.
appointment-itself = Appointment
appointment-about = { $service } for { $who }, until { $until }
appointment-when = When
appointment-service = Service
appointment-with = With
appointment-status = Status
appointment-status-active = Pending and confirmed
appointment-status-pending = To confirm
appointment-status-confirmed = Confirmed
appointment-status-declined = Declined
appointment-status-cancelled = Cancelled
appointment-came-by = Came by
appointment-source-voice = phone
appointment-source-sms = text message
appointment-source-website = website
appointment-source-dashboard = dashboard
appointment-source-api = integration
appointment-source-mcp = assistant
appointment-their-calendar = Their calendar
appointment-sync-not_connected = Not connected
appointment-sync-pending = On its way
appointment-sync-synced = Entered
appointment-sync-failed = Could not be entered
appointment-minutes = { $count } min
appointment-lasts = { $count ->
    [one] One minute
   *[other] { $count } minutes
}
appointment-lasts-before = { $count } kept free before
appointment-lasts-after = { $count } kept free after
appointment-waits = { $who } asked for this time. It is held until somebody confirms or declines.
appointment-confirm = Confirm
appointment-move = Move
appointment-decline = Decline
appointment-cancel = Cancel
appointment-cancel-instead = Cancel this appointment instead
appointment-contact = Contact
appointment-contact-gone = This contact was erased.
appointment-phone = Phone
appointment-stale = Somebody has changed this appointment since you opened it. Nothing of yours was done: this is how it stands now.
appointment-done-booked = Booked.
appointment-done-booked-known = Booked for { $who }, to whom this number or email belongs already. The name that you typed was not taken: it can be changed on the page of the contact.
appointment-done-moved = Moved.
appointment-done-confirmed = Confirmed.
appointment-done-declined = Declined. The time is open again.
appointment-done-cancelled = Cancelled. The time is open again.
appointment-history = History
appointment-history-none = Nothing of it is in the log any more.
appointment-history-part = Changes in between may be missing here; the audit log has all of them.
appointment-history-requested = Asked for
appointment-history-booked = Booked
appointment-history-confirmed = Confirmed
appointment-history-rescheduled = Moved
appointment-history-declined = Declined
appointment-history-cancelled = Cancelled
appointment-history-noted = Notes changed
appointment-history-changed = Changed
appointment-history-from-to = from { $from } to { $to }

# Declining and cancelling.
ending-decline-title = Decline for { $who }?
ending-decline-do = Decline the request
ending-decline-frees = The time is open for others again at once.
ending-cancel-title = Cancel for { $who }?
ending-cancel-do = Cancel the appointment
ending-cancel-frees = The time is open for others again at once.
ending-cancel-over = This appointment is over. It stays in the list as cancelled.
ending-not-told-by-us = The contact is not told by us; call or write where they should know.
ending-final = This cannot be taken back. The appointment and its history stay to be seen.

# Booking.
book-title = Book an appointment
book-sub = Only times that are open are offered. Times in { $place }.
book-anybody = Anybody who is free
book-day = Day
book-who = For whom: name, phone or email
book-not-found = Nobody found for “{ $text }”.
book-incomplete = There are too many contacts to look through at once: write more of the name, or the whole number or email.
book-show-times = Show open times
book-strip-days = Days with open times
book-strip-open = { $count } open
book-strip-full = full
book-strip-closed = closed
book-strip-over = over
book-strip-earlier = Earlier
book-strip-later = Later
book-time = Time
book-part-morning = Morning
book-part-afternoon = Afternoon
book-part-evening = Evening
book-times-none = No time is open on this day. Choose another day above, somebody else, or another service.
book-times-now = What is open now stands above.
book-times-changed = Nothing is booked yet: these are the times of what you chose meanwhile. Choose one and book it.
book-times-not-open = { $time } is not open for this. What is open stands above.
book-for = For
book-somebody-new = Somebody new
book-somebody-new-hint = Fill in below: a phone number or an email is enough. Who is known by it already is found.
book-do = Book this time
book-stopped = Nothing can be booked
book-suspended = This business is suspended.
book-no-service = There is no service that can be booked yet.
book-no-hours = There are no opening hours yet.
book-no-staff = Nobody on the staff offers a service yet.

# Moving.
move-title = Move { $who }
move-sub = { $service } · now { $when } with { $staff }
move-do = Move here

# What the engine says of appointments.
