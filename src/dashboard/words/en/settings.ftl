# What a business sets: profile, hours, services, staff, data.

# What several of its pages say.
settings-added = Added.
settings-removed = Removed.
settings-deleted = Deleted.
settings-remove = Remove
settings-changed-meanwhile = Somebody else has changed this meanwhile, so nothing was done. Look at it as it is now, and do it again.
settings-and-more = { $names } and { $count } more
outside = { $count ->
    [one] One appointment to come lies outside the hours.
   *[other] { $count } appointments to come lie outside the hours.
}
outside-stay = They stay as they are until you move or cancel them.
outside-more = { $count ->
    [one] And one more.
   *[other] And { $count } more.
}
count-minutes = { $count } min
count-hours = { $count ->
    [one] 1 hour
   *[other] { $count } hours
}
count-days = { $count ->
    [one] 1 day
   *[other] { $count } days
}
count-weeks = { $count ->
    [one] 1 week
   *[other] { $count } weeks
}
count-years = { $count ->
    [one] 1 year
   *[other] { $count } years
}
language-en = English
language-fr = French

# The profile.
business-sub = What callers hear first, and how they may book
business-profile = The business
business-profile-about = Callers hear the name. Every time in these pages is meant in the time zone.
business-name-hint = As the receptionist says it when picking up.
business-locale = Language of callers
business-locale-hint = Used until a caller speaks another.
business-zone = Time zone
business-zone-hint = Opening hours are meant in it.
business-website = Website
business-booking = Booking
business-booking-about = For callers and programs. You and your team may book in every mode.
business-instant = Booked at once
business-instant-hint = An open time that a caller takes is confirmed on the spot.
business-request = Asked, then confirmed by you
business-request-hint = The time is held, and the request waits under Today until somebody confirms or declines.
business-off = No booking
business-off-hint = The receptionist takes a message instead.
business-phones = Phone numbers
business-phones-about = A number that somebody gives without its country is read as one of this country.
business-region = Numbers without a country are from

# Hours.
hours-sub = When { $business } is open, in { $place } time. A closing time earlier than the opening one means the next day.
hours-week = The week
hours-save = Save the week
hours-room = Room for another break
hours-same = Same hours on all open days
hours-open = Open
hours-break = Break
hours-open-on = Open on
hours-opens-at = { $day }, opens at
hours-closes-at = { $day }, closes at
hours-break-from = { $day }, break from, optional
hours-break-to = { $day }, break until, optional
hours-closed = Closed
hours-with-break = break { $times }
hours-days = { $from } to { $to }
hours-days-title = Special days
hours-days-to-come = Those to come
hours-days-past = Those that are over
hours-days-none = No special days to come
hours-days-none-past = No special days that are over
hours-days-none-text = Holidays, and days with other hours than those of the week, stand here.
hours-days-hint = Leave both times empty for a day that is closed. More than one opening on a day: add it, then open it.
hours-date = Day
hours-opens = Opens
hours-closes = Closes
hours-note = Occasion
hours-window = { $count ->
    [1] First opening
    [2] Second opening
    [3] Third opening
   *[other] Fourth opening
}
hours-day-sub = Up to four openings. Leave all times empty for a day that is closed.

# Services.
services-sub = What can be booked, and how long it takes
services-add = Add a service
services-none = No services yet
services-none-text = Callers can book once there is a service and somebody who carries it out.
services-before-after = Before, after
services-around = { $before }, { $after } min
services-notice = Notice
services-no-notice = None
services-status = Status
services-nobody = Nobody yet
services-everybody = Everybody
service = Service
service-about-title = The service
service-about = As callers know it.
service-name = Name
service-description = Description
service-description-hint = The receptionist reads it out when asked.
service-time = Time
service-time-about = Appointments that are booked already keep their length.
service-takes = Takes
service-minutes = minutes
service-before = Kept free before
service-after = Kept free after
service-notice = Booked at the latest
service-any-time = Any time before
service-time-before = { $time } before
service-ahead = Booked at the earliest
service-any-day = As early as they like
service-time-ahead = { $time } ahead
service-price = Price
service-price-about = For you and your team; callers are not told.
service-currency = Currency
service-currency-hint = Three letters, such as EUR.
service-done-by = Done by
service-done-by-about = Who carries it out is said on the page of each staff member.
service-offered = Offered
service-not-offered = Not offered
service-offered-hint = When off nobody can book it; what is booked stays.
service-delete-about = Only while no appointment and no staff member refers to it.
service-delete-text = The service goes for good. That is possible only while no appointment, past or to come, and no staff member refers to it.

# Staff.
staff-sub = With whom appointments are made.
staff-sub-people = Who may sign in is under People.
staff-add = Add a staff member
staff-list = Staff members
staff-none = Nobody yet
staff-none-text = Add whoever takes appointments, with what they do and when they are there.
staff-no-services = No services
staff-all-services = All services
staff-whenever = Whenever the business is open
staff-never = Never there
staff-own-hours = At hours of their own
staff-bookable = Bookable
staff-not-bookable = Not bookable
staff-bookable-hint = When off nobody can be booked with them; what is booked stays in the calendar.
staff-name-hint = As callers hear it.
staff-zone = Time zone for display
staff-zone-hint = Hours are always meant in the time zone of the business.
staff-services-about = What can be booked with them.
staff-no-services-yet = There are no services yet.
staff-hours-about = Counted only at hours of their own, and within the opening hours. A day that is not ticked is a day off.
staff-works = Works
staff-works-again = and
staff-works-on = Works on
staff-works-from = { $day }, works from
staff-works-to = { $day }, works until
staff-room = Room for one more time a day
staff-delete-about = Only while no appointment, message or person refers to them.
staff-delete-text = The staff member and their time off go for good. That is possible only while no appointment, past or to come, no message and none of the people refers to them.
off-title = Time off
off-to-come = What is to come
off-past = What is over
off-none = No time off to come.
off-none-past = No time off that is over.
off-more = { $count ->
    [one] One more is not shown.
   *[other] { $count } more are not shown.
}
off-from = From
off-to = Until
off-time = At
off-note = Reason
off-hint = Without times whole days are off. Leave “Until” empty for one day.
off-day = { $from }
off-days = { $from } to { $to }
off-hours = { $from }, { $from_time } – { $to_time }
off-span = { $from }, { $from_time } to { $to }, { $to_time }

# Deleting a service or a staff member.
deletion-title = Delete { $name }?
deletion-or-off = It can be turned off instead, on its own page: then it cannot be booked, and everything that tells of it stays.
deletion-not = Nothing was deleted.
deletion-appointment = An appointment refers to it.
deletion-message = A message was left for them.
deletion-staff = A staff member offers it.
deletion-person = One of the people is this staff member.
deletion-look = Look at it
deletion-back = Back to its page

# Data.
data-sub = How long things are kept, and how to take them with you
data-kept = Kept for
data-kept-about = What is older goes by itself, once a day.
data-appointments = Appointments that are over
data-for-ever = For ever
data-log = Audit log, 90 days at least
data-log-owner = The audit log is kept: { $time }. Only owners change that.
data-export = Export
data-export-about = Everything the business keeps, in one file.
data-export-do = Download everything
data-export-hint = Profile, services, staff, contacts, appointments, calls, messages and knowledge as JSON Lines: one record on a line. Keys, people and webhook endpoints are not in it. Whoever runs the service can see who took it.
data-erase = Erasing a person
data-erase-text = Erasing takes a contact away at once and for good. Calls, messages and appointments with them stay with their times, and lose name, number, email and text, in the audit log and in alerts too.
data-erase-how = A contact is erased on their own page.
data-shorter = Keep for less time?
data-shorter-text = This goes within a day and cannot be brought back:
data-goes = { $what }: everything from before { $before }
data-shorter-stays = Everything else stays.
data-shorter-do = Keep for less time

# What the engine says is wrong with these.
special-days-there = That day is a special day already: open it in the list to change it.
