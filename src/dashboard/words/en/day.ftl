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
today-closed-by-now = already closed
today-appointments = Appointments
to-confirm = To confirm
somebody = Somebody
today-notices = { Customers } get no emails about their appointments yet.
today-notices-do = Decide about notices
today-empty = The day is empty
today-empty-text = Once there is a staff member, their day appears on this page.
today-more = There are more entries than this page shows.
today-by-staff = Today by person
today-whole-day = The whole day
today-day-of-somebody = { $count }, until { $until }
today-in-without = No appointments · works { $hours }
today-now = Now
today-now-until = { $service }, until { $until }
today-next = Next
today-needs-you = Needs you
today-needs-messages = All messages
today-needs-nothing = Nothing needs you
today-needs-nothing-text = Requests, messages for the team and missed calls appear here as they arrive.
today-call-back = Call back
today-resolve = Resolved
today-handle = Handled
today-resolved = The message is resolved.
today-with-staff = with { $name }
today-need-urgent = Urgent message
today-need-message = New message
today-need-request = To confirm
today-need-request-text = Requested by { $who } ({ $source }, { $when }). The time is held until somebody confirms or declines the request.
today-need-missed = Missed call
today-need-failed = Dropped call
today-need-missed-known = The call was not answered.
today-need-missed-text = The call was not answered. The number belongs to no contact.
today-need-failed-text = The call was dropped.
today-need-unknown-number = Anonymous number
today-need-webhook = Webhook turned off
today-need-webhook-text = Off since { $since }, because all attempts to send an event failed. You can resend the events that the endpoint missed.
today-need-failing = Webhook failing
today-need-failing-text = No attempt has succeeded since { $since }. The deliveries are retried.
today-need-see = See what happened
today-older-missed = { $count ->
    [one] One older missed call is not handled
   *[other] { $shown } older missed calls are not handled
}
today-talks-all = All conversations
today-gaps = { $count ->
    [one] One question has no answer
   *[other] { $count } questions have no answer
}

# The first steps of a new business.
steps-first = First steps
steps-welcome = Welcome, { $name }
steps-welcome-unnamed = Welcome
steps-left = { $count ->
    [one] One more step
   *[other] { $count } more steps
}
steps-for = and everything is set up for { $name }.
steps-done = { $count } of 5 done
steps-is-done = done
steps-hide = Hide
steps-do-hours = Set the hours
steps-do-service = Add a service
steps-do-staff = Add a staff member
steps-do-booking = Book a time
steps-do-key = Create the key
steps-go-on = Continue with the next step
steps-change = Change
steps-hours = Set your opening hours
steps-hours-text = The hours of the week; you can add special days later
steps-hours-done = { $count ->
    [one] One day a week
   *[other] { $count } days a week
}
steps-service = Add a service
steps-service-text = A service that can be booked, and its duration
steps-staff = Add a staff member
steps-staff-text = At least one staff member who offers a service
steps-booking = Book a first appointment
steps-booking-text = This shows what a day looks like; you can cancel the appointment later
steps-key = Create a key
steps-key-text = For your website or an assistant; you can do this later

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
calendar-times-in = times in { $place }
calendar-open-from-to = open { $from } to { $to }
calendar-closed-all-day = closed all day
calendar-closed = Closed
calendar-break = Break
calendar-busy = Busy in a connected calendar
calendar-not-in = Not working
calendar-time-off = Time off
calendar-time-off-for = Time off: { $note }
calendar-kept-free = Buffer
calendar-asks = Requested
calendar-free = free
calendar-free-with = book with { $name }
calendar-now = Now, { $time }
calendar-legend = What the marks mean
calendar-legend-asks = Requested, to be confirmed
calendar-legend-away = Break, buffer, time off or not working
calendar-legend-free = Free times appear when you point at them. Select one to book it.
calendar-no-staff = No staff members yet
calendar-no-staff-text = Each staff member gets a column on this page.
calendar-filter = Filter appointments
calendar-from = From
calendar-to = To
calendar-everybody = Everybody
calendar-show = Show
calendar-list-from = From { $day }
calendar-list-none = No appointments found
calendar-list-none-text = Try another day or other filters.
calendar-list-searched = The search is not finished: continue with later appointments.
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
appointment-came-by = Booked via
appointment-source-voice = phone
appointment-source-sms = text message
appointment-source-website = website
appointment-source-dashboard = dashboard
appointment-source-api = integration
appointment-source-mcp = assistant
appointment-their-calendar = Calendar sync
appointment-sync-not_connected = Not connected
appointment-sync-pending = Being sent
appointment-sync-synced = Added to the calendar
appointment-sync-failed = Could not be added
appointment-minutes = { $count } min
appointment-lasts = { $count ->
    [one] One minute
   *[other] { $count } minutes
}
appointment-lasts-before = { $count } min buffer before
appointment-lasts-after = { $count } min buffer after
appointment-waits = { $who } requested this time. The time is held until somebody confirms or declines the request.
appointment-confirm = Confirm
appointment-move = Move
appointment-decline = Decline
appointment-cancel = Cancel
appointment-cancel-instead = Cancel this appointment instead
appointment-contact = Contact
appointment-contact-gone = This contact was erased.
appointment-phone = Phone
appointment-attendance = Attendance
appointment-attendance-arrived = Arrived
appointment-attendance-completed = Completed
appointment-attendance-no_show = No-show
appointment-attendance-none = Not recorded
appointment-customer-note = Note { customer-of }
appointment-booked-as = As the { customer } entered it
appointment-booked-differs = differs from the contact
appointment-texts = Agreed to text messages
appointment-stale = Somebody has changed this appointment since you opened this page. Your action was not carried out. The page now shows the current appointment.
appointment-done-moved = Moved.
appointment-done-confirmed = Confirmed.
appointment-done-declined = Declined. The time is open again.
appointment-done-cancelled = Cancelled. The time is open again.
appointment-history = History
appointment-history-none = The audit log no longer contains anything about this appointment.
appointment-history-part = This list may be incomplete. See the audit log for the other changes.
appointment-history-requested = Requested
appointment-history-booked = Booked
appointment-history-confirmed = Confirmed
appointment-history-rescheduled = Moved
appointment-history-declined = Declined
appointment-history-cancelled = Cancelled
appointment-history-noted = Notes changed
appointment-history-attended = Attendance changed
appointment-history-changed = Changed
appointment-history-from-to = from { $from } to { $to }

# Declining and cancelling.
ending-decline-title = Decline the request of { $who }?
ending-decline-do = Decline the request
ending-decline-frees = The time becomes available again immediately.
ending-cancel-title = Cancel the appointment of { $who }?
ending-cancel-do = Cancel the appointment
ending-cancel-frees = The time becomes available again immediately.
ending-cancel-over = This appointment is over. It stays in the list as cancelled.
ending-emailed = The { customer } gets an email about this.
ending-not-emailed = The contact is not notified automatically: call or write to them if they should know.
ending-final = This cannot be undone. The appointment and its history stay visible.

# Booking.
book-title = Book an appointment
book-sub = Times are in { $place } time.
book-what = Service and time
book-close = Close
book-ignore-calendars = Ignore the busy times of connected calendars
book-anybody = First available person
book-day = Day
book-minutes = Length in minutes
book-services-fit = Fit at { $time }
book-services-others = Do not fit at { $time }
book-who = { customer-alone }: name, phone or email
book-search = Search contacts
book-not-found = No contact found for “{ $text }”.
book-incomplete = Too many contacts match. Type more of the name, the number or the email.
book-show-times = Show open times
book-choose-time = Choose a day and a time
book-change-time = Change
book-strip-days = Days with open times
book-strip-open = { $count } open
book-strip-full = full
book-strip-closed = closed
book-strip-over = past
book-strip-earlier = Earlier
book-strip-later = Later
book-time = Time
book-other-time = Another time
book-time-wrong = This time does not exist. Type a time such as 16:15.
book-too-long-ago = The start of an appointment can be at most 30 days ago.
book-part-morning = Morning
book-part-afternoon = Afternoon
book-part-evening = Evening
book-times-none = There is no open time on this day. Choose another day, another person or another service, or type a time.
book-times-now = Choose one of the open times, or type another one.
book-times-changed = Nothing is booked yet. These are the open times for your new choice: choose a time and book it.
book-not-yet = Nothing is booked yet. The form now shows the rules that this time overrides.
book-override = The rules do not allow this time, but you can book it anyway:
book-override-past = It is in the past.
book-override-opening_hours = It is outside the opening hours.
book-override-special_day = It is outside the opening hours of this special day.
book-override-break = It overlaps a break.
book-override-grid = It is between two regular start times.
book-override-staff_hours = It is outside the working hours of this person.
book-override-time_off = This person has time off then.
book-override-calendar = This person is busy then in a connected calendar.
book-override-buffer = It is too close to another appointment, to time off or to a busy time of a calendar. The buffer would be too short.
book-override-staff = Choose a person to book a time that is not open.
book-for = { customer-alone }
book-somebody-new = A new contact
book-somebody-new-hint = A name is enough. If a contact already has this phone number or email address, the appointment is booked for that contact.
book-walk-in = Book a walk-in
book-walk-in-name = Walk-in
book-notes = Note for the team
book-do = Book
book-do-anyway = Book anyway
book-stopped = No booking is possible
book-suspended = This business is suspended.
book-no-service = No service can be booked yet.
book-no-hours = There are no opening hours yet.
book-no-staff = No staff member offers a service yet.
booked-done = Booked.
booked-known = Booked for the contact who already has this phone number or email address. The name that you typed was not used. You can change the contact’s name on the page of the contact.
blocked-done = The time is blocked.
booked-see = Open the appointment

# Moving.
move-title = Move the appointment of { $who }
move-sub = { $service } · now { $when } with { $staff }
move-do = Move
move-do-anyway = Move anyway

# Refusals of the engine about appointments.
