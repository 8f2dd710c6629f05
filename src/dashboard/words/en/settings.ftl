# The settings of a business: profile, hours, services, staff, data.

# Texts that several of these pages share.
settings-added = Added.
settings-removed = Removed.
settings-deleted = Deleted.
settings-remove = Remove
settings-changed-meanwhile = Another person has changed this meanwhile, so your action was not carried out. Check the current state, then try again.
settings-and-more = { $names } and { $count } more
outside = { $count ->
    [one] One upcoming appointment is outside the hours.
   *[other] { $count } upcoming appointments are outside the hours.
}
overlaps = { $count ->
    [one] One appointment of the next 14 days overlaps a busy time of a connected calendar.
   *[other] { $count } appointments of the next 14 days overlap busy times of connected calendars.
}
outside-stay = An appointment stays unchanged until you move or cancel it.
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
business-sub = The name and language for callers, and the rules for their bookings
business-profile = The business
business-profile-about = Callers hear the name. All times on these pages are in this time zone.
business-name-hint = The receptionist says this name when it answers a call.
business-locale = Language of callers
business-locale-hint = The receptionist speaks this language until a caller uses another language.
business-zone = Time zone
business-zone-hint = Opening hours are in this time zone.
business-website = Website
business-booking = Booking
business-booking-about = For callers and programs. You and your team can always book.
business-mode-instant = Confirmed immediately
business-mode-instant-hint = An open time that a caller chooses is confirmed immediately.
business-mode-request = Confirmed by your team
business-mode-request-hint = The time is held, and the request waits on the Today page until somebody confirms or declines it.
business-mode-off = No booking
business-mode-off-hint = The receptionist takes a message instead.
business-phones = Phone numbers
business-phones-about = A phone number without a country code is read as a number of this country.
business-region = Country of numbers without a country code

# Hours.
hours-sub = Opening hours of { $business }, in { $place } time. A closing time earlier than the opening time is on the next day.
hours-week = The week
hours-save = Save the week
hours-room = Add a break
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
hours-two-days = { $from } and { $to }
hours-days-title = Special days
hours-days-to-come = Upcoming
hours-days-past = Past
hours-days-none = No upcoming special days
hours-days-none-past = No past special days
hours-days-none-text = Holidays and days with different hours appear here.
hours-days-hint = Leave both times empty for a closed day. If the day has several opening periods, add the day with the first period. Then select the day in the list and enter the other periods.
hours-holidays = Import public holidays
hours-holidays-sub = From the iCalendar file (.ics) of a calendar of public holidays
hours-holidays-file = iCalendar file
hours-holidays-hint = The business is closed on the days of the file’s all-day events, from today on.
hours-holidays-look = Show a preview
hours-holidays-refused = This file cannot be used, and no day was closed. Correct the file and choose it again:
hours-holidays-many = An import closes at most { $count } days. Choose a calendar with fewer days. No day was closed.
hours-holidays-full = A business has at most { $count } special days. Nothing was changed.
hours-holidays-new = { $count ->
    [0] No day will be closed.
    [one] One day will be closed.
   *[other] { $count } days will be closed.
}
hours-holidays-there = { $count ->
    [one] One special day exists already and does not change.
   *[other] { $count } special days exist already and do not change.
}
hours-holidays-booked = { $count ->
    [one] One appointment stays booked.
   *[other] { $count } appointments stay booked.
}
hours-holidays-do = { $count ->
    [one] Mark one day as closed
   *[other] Mark { $count } days as closed
}
hours-holidays-done = The days are closed.
hours-holidays-other = Choose another file
hours-date = Day
hours-opens = Opens
hours-closes = Closes
hours-note = Reason
hours-window = { $count ->
    [1] First opening
    [2] Second opening
    [3] Third opening
   *[other] Fourth opening
}
hours-day-sub = Up to four opening periods. Leave all times empty for a closed day.

# Services.
services-sub = The services that can be booked, and their duration
services-add = Add a service
services-none = No services yet
services-none-text = Booking is possible once there is a service and a staff member who offers it.
services-before-after = Buffer
services-around = { $before }, { $after } min
services-notice = Minimum notice
services-no-notice = None
services-status = Status
services-not-bookable = Not bookable
services-no-staff = No staff member yet
services-everybody = Everybody
service = Service
service-about-title = The service
service-about = Callers hear the name and the description.
service-name = Name
service-description = Description
service-description-hint = The receptionist reads the description to callers who ask about the service.
service-time = Time
service-time-about = Existing appointments keep their duration and buffers.
service-takes = Duration
service-minutes = minutes
service-before = Buffer before
service-after = Buffer after
service-notice = Minimum notice
service-any-time = None
service-time-before = { $time } before
service-ahead = Bookable up to
service-any-day = No limit
service-time-ahead = { $time } ahead
service-price = Price
service-price-about = For you and your team; callers do not hear it.
service-currency = Currency
service-currency-hint = Three letters, such as EUR.
service-not-bookable = This service cannot be booked, because no active staff member offers it. Choose the staff members under “Offered by”.
service-done-by = Offered by
service-done-by-about = Choose the staff members who offer this service. Without a staff member, it cannot be booked.
service-in-lists = In lists and calendars
service-in-lists-about = These settings do not affect bookings.
service-category = Category
service-category-hint = Services with the same category are listed together.
position = Position
position-hint = Lists begin with the smallest number.
color = Colour
color-none = None
color-1 = Green
color-2 = Blue
color-3 = Raspberry
color-4 = Violet
color-5 = Orange
color-6 = Turquoise
color-7 = Purple
color-8 = Olive
color-9 = Indigo
color-10 = Red
color-11 = Grey
color-12 = Gold
decimal-point = .
business-pages = Pages of the team
business-pages-about = Bookings and callers are not affected.
business-customer_word = Word for the people who book
business-word-client = Client
business-word-patient = Patient
business-word-guest = Guest
business-grid_minutes = Lines in the calendar
business-grid_minutes-hint = The time between two lines. The team can still book at any minute.
service-offered = Offered
service-not-offered = Not offered
service-offered-hint = If this is off, the service cannot be booked; existing appointments are kept.
service-delete-about = A service can be deleted only if no appointment and no staff member uses it.
service-delete-text = The service is deleted permanently. This is possible only if no appointment, past or upcoming, and no staff member uses it.

# Staff.
staff-sub = People with whom appointments are made.
staff-sub-people = People who can sign in are on the page People.
staff-add = Add a staff member
staff-list = Staff members
staff-none = No staff members yet
staff-none-text = Add the people who take appointments, with their services and hours.
staff-no-services = No services
staff-all-services = All services
staff-whenever = During opening hours
staff-never = No working hours
staff-own-hours = At their own hours
staff-bookable = Bookable
staff-not-bookable = Not bookable
staff-bookable-hint = If this is off, no appointment can be booked with this person; existing appointments are kept.
staff-name-hint = Callers hear this name.
staff-zone = Time zone for display
staff-zone-hint = Hours are always in the time zone of the business.
staff-services-about = Services that can be booked with this person.
staff-no-services-yet = There are no services yet.
staff-hours-about = These hours apply only with “At their own hours”, and within the opening hours. A day that is not ticked is a day off.
staff-works = Works
staff-works-again = and
staff-works-on = Works on
staff-works-from = { $day }, works from
staff-works-to = { $day }, works until
staff-room = Add a time range
staff-delete-about = A staff member can be deleted only if no appointment, message or person refers to them.
staff-delete-text = The staff member and their time off are deleted permanently. This is possible only if no message or person refers to them, and they have no past or upcoming appointment.
off-title = Time off
off-to-come = Upcoming
off-past = Past
off-none = No upcoming time off.
off-none-past = No past time off.
off-more = { $count ->
    [one] One more is not shown.
   *[other] { $count } more are not shown.
}
off-from = From
off-to = Until
off-time = Time
off-note = Reason
off-hint = Without times, the time off lasts whole days. Leave “Until” empty for one day.
off-day = { $from }
off-days = { $from } to { $to }
off-hours = { $from }, { $from_time } – { $to_time }
off-span = { $from }, { $from_time } to { $to }, { $to_time }

# Deleting a service or a staff member.
deletion-title = Delete { $name }?
deletion-or-off = You can turn it off on its page instead: then it cannot be booked, and everything is kept.
deletion-not = Nothing was deleted.
deletion-appointment = An appointment refers to it.
deletion-message = A message was left for this staff member.
deletion-staff = A staff member offers this service.
deletion-person = A person is linked to this staff member.
deletion-look = Show it
deletion-back = Back to its page

# Data.
data-sub = The time for which data is kept, and the export of data
data-kept = Kept for
data-kept-about = Older data is deleted automatically, usually within two days.
data-appointments = Past appointments
data-for-ever = No limit
data-log = Audit log, at least 90 days
data-log-owner = The audit log is kept for: { $time }. Only an owner can change this.
data-export = Export
data-export-about = All data of the business, in one file.
data-export-do = Download all data
data-export-hint = Profile, services, staff, contacts, appointments, calls, messages and knowledge as JSON Lines: one record per line. Keys, people and webhook endpoints are not included. The operator of the service can see who downloaded the file.
data-tables = Files for spreadsheets
data-tables-about = Contacts and appointments as CSV files.
data-tables-contacts = Download contacts
data-tables-appointments = Download appointments
data-tables-hint = A cell that begins like a formula gets an apostrophe in front, which an import removes. The audit log records each download.
data-erase = Erasing a person
data-erase-text = Erasing deletes a contact immediately and permanently. The contact’s calls, messages and appointments are kept with their times, but without the name, number, email and text. This data is also deleted from the audit log and from alerts.
data-erase-how = Erase a contact on the page of the contact.
data-shorter = Keep data for a shorter time?
data-shorter-text = This data is deleted within an hour and cannot be restored:
data-goes = { $what }: everything from before { $before }
data-shorter-stays = All other data is kept.
data-shorter-do = Keep for a shorter time

# Refusals of the engine about these settings.
special-days-there = This day is already a special day: open it in the list to change it.

# The booking page.
website-sub = { Customers } book on this page, or on your own website
website-no-url = This service has no public URL, so the page has no address. The operator of the service can set one.
website-url = Address of the page
website-url-about = Give this address to your { customers }.
website-url-disabled = The page is off. This address shows the page once you turn it on.
website-open = Open the page
website-embed = On your website
website-embed-about = Paste one of these lines into your website. The first line adds a button that opens the page. The second line shows the page at the place where you paste it.
website-embed-none = First add your website below under “{ website-origins }”. Until then, no website can show the page.
website-button = A button
website-frame = The page itself
website-frame-title = Book an appointment
website-page = The page
website-page-about = It shows your services, the open times and a short form.
website-enabled = The booking page is on
website-enabled-hint = The setting “{ business-booking }” of the business determines whether { customers } can book on the page, and whether your team must confirm the bookings.
website-slug = Last part of the address
website-slug-hint = 3 to 60 letters a to z, digits and hyphens. Leave it empty to derive it from the name. After a change, the old address stops working and stays reserved for you for 90 days.
website-show_prices = Show the prices of services
website-color = Colour of buttons
website-color-hint = For example #1a2b3c. The text on the buttons is black or white.
website-contact = For questions
website-contact-about = { Customers } see these contact details on the page and in emails.
website-phone = Phone
website-email = Email
website-address = Address
website-changes = Changes by { customers }
website-changes-about = Each { customer } gets a link to their appointment.
website-change_by_caller = { Customers } may move and cancel their appointments
website-change_notice_minutes = Minimum time between a change and the appointment
website-change_notice_minutes-hint = If less time is left, { customers } have to ask your team.
website-notice-of-service = The minimum notice of the service
website-origins = Websites that may show the page
website-origins-about = Only these websites can show the page inside their own pages.
website-origins-hint = One per line, for example https://www.example.com

# Notices to customers.
notices-sub = Emails about appointments: booked, moved, cancelled, and reminders
notices-no-mail = This service sends no email, so { customers } get no notices. The operator of the service can configure a relay.
notices-who = Who gets emails
notices-who-about = A { customer } without an email address gets no emails. Each { customer } can stop the emails.
notices-email = Emails to { customers }
notices-email-off = No emails
notices-email-off-hint = Your team tells { customers } about changes.
notices-email-online = For appointments that { customers } book themselves
notices-email-online-hint = On the booking page, by phone or by text message.
notices-email-all = For all appointments
notices-email-all-hint = Also for appointments that your team or an integration books.
notices-reminders = Reminders
notices-reminders-about = Only confirmed appointments have reminders. A change of these settings also applies to upcoming appointments, but not to reminders that are already due.
notices-first_reminder = First reminder
notices-second_reminder = Second reminder
notices-no-reminder = None
notices-before = { $time } before
notices-texts = Text messages
notices-texts-none = This business has no connection that sends text messages.
notices-log = Notices of the last 30 days
notices-log-none = No notices yet
notices-pages = Further notices
notices-again-done = The notice is sent again.
notices-kind-requested = Requested
notices-kind-confirmed = Booked
notices-kind-moved = Moved
notices-kind-cancelled = Cancelled
notices-kind-declined = Declined
notices-kind-reminder = Reminder
notices-is-waiting = Waiting
notices-is-sent = Sent
notices-is-failed = Failed
notices-is-dropped = Not sent
notices-why-superseded = A later change replaced it.
notices-why-limit = There were too many notices to this address or from this business.
notices-why-opted_out = { Customer } stopped these emails.
notices-why-no_address = There is no email address.
notices-why-ended = The appointment had started.

start-title = Start with a set for your trade
start-sub = A set adds services with usual durations and prices to a new business, and sets its opening hours. You can change everything afterwards.
start-hint = Adds usual services and opening hours, which you can change.
start-do = Create this set
start-has-services = This business already has services
start-has-services-text = A set can be created only in a business without services.
start-hair = Hair salon
start-hair-cut = Cut
start-hair-cut-short = Short cut
start-hair-cut-child = Children’s cut
start-hair-blow-dry = Blow-dry
start-hair-colour = Colour
start-hair-beard = Beard trim
start-dentist = Dental practice
start-dentist-first = First visit
start-dentist-check-up = Check-up
start-dentist-cleaning = Cleaning
start-dentist-filling = Filling
start-dentist-urgent = Emergency visit
start-physio = Physiotherapy
start-physio-first = First assessment
start-physio-session = Session
start-physio-long = Long session
start-physio-home = Home visit
start-garage = Garage
start-garage-service = Full service
start-garage-oil = Oil change
start-garage-tyres = Tyre change
start-garage-brakes = Brakes
start-garage-check = Safety check
settings-receptionist = Receptionist
receptionist-sub = The settings of the automated receptionist
receptionist-channels = Channels
receptionist-channels-about = If text messages are off, a text message from a { customer } becomes a message for the team.
receptionist-voice = Phone calls
receptionist-sms = Text messages
receptionist-website = Chat on the booking page
receptionist-website-hint = The chat appears on the booking page, also where your website embeds this page.
receptionist-words = Answers
receptionist-words-about = The receptionist always says first that it is an automated assistant.
receptionist-greeting_en = Greeting in English
receptionist-greeting_en-hint = One line, up to 300 characters.
receptionist-greeting_fr = Greeting in French
receptionist-greeting_fr-hint = One line, up to 300 characters.
receptionist-instructions = Instructions
receptionist-instructions-hint = For the language model, up to 2,000 characters.
receptionist-knowledge_public = Use the knowledge entries in answers
receptionist-knowledge_public-hint = The text of all knowledge entries then becomes public.
receptionist-calls = Calls
receptionist-calls-about = Within opening hours, the receptionist can transfer a call to a person.
receptionist-handoff_number = Number of the person who takes over calls
receptionist-handoff_number-hint = The receptionist transfers calls to this number.
receptionist-team_first_seconds = This number rings first
receptionist-at-once = No, the receptionist answers at once
receptionist-blocked_numbers = Blocked numbers
receptionist-blocked_numbers-hint = Enter one number per line. Calls from these numbers are rejected, and their text messages are dropped.
receptionist-seconds = { $count ->
    [one] For one second
   *[other] For { $count } seconds
}
