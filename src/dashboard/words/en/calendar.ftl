# The calendar: month, options, moves and time off.

calendar-month = Month
calendar-month-title = { $month } { $year }
calendar-month-short = { log-month }
calendar-month-short-year = { log-month } { $year }
calendar-short-date = { $day } { log-month }
calendar-month-caption = Appointments of each day
calendar-months = Other months
calendar-this-month = This month
calendar-appointments = { $count ->
    [one] appointment
   *[other] appointments
}
calendar-to-confirm = { $count } to confirm
calendar-pick = Choose a day
calendar-go = Go
calendar-go-date = Date to open
calendar-options = Calendar options
calendar-shown-staff = Staff to show
calendar-density = Density
calendar-density-normal = Normal
calendar-density-compact = Compact
calendar-density-roomy = Roomy
calendar-week-of-all = The week of all staff
calendar-more = { $count ->
    [one] one more appointment, open the day
   *[other] { $count } more appointments, open the day
}
calendar-outside = Outside working hours
calendar-noted = With a note
