# The calendar: month, options, moves and time off.

calendar-month = Month
calendar-month-title = { $month } { $year }
calendar-month-short = { short-month }
calendar-month-short-year = { short-month } { $year }
calendar-short-date = { $day } { short-month }
calendar-month-caption = Appointments of each day
calendar-months = Other months
calendar-this-month = This month
calendar-appointments = { $count ->
    [one] appointment
   *[other] appointments
}
calendar-to-confirm = { $count } to confirm
calendar-pick = Choose a day
calendar-weeks = Days of six weeks
calendar-go = Go
calendar-go-date = Date to open
calendar-options = Calendar options
calendar-shown-staff = Staff to show
calendar-density = Density
calendar-density-normal = Normal
calendar-density-compact = Compact
calendar-density-roomy = Roomy
calendar-block = Block time
calendar-block-this = Block this time
calendar-week-of-all = The week of all staff
calendar-more = { $count ->
    [one] one more appointment, open the day
   *[other] { $count } more appointments, open the day
}
calendar-outside = Outside working hours
calendar-noted = With a note
calendar-moving = Moving. Arrow keys: time and column. Shift with up or down: length. Enter: drop. Escape: stop.
calendar-moving-free = This time is free.
calendar-moving-cancelled = The appointment was not moved.
calendar-moving-failed = The appointment could not be moved. Reload the page and try again.
calendar-moved = Moved.
calendar-undo = Undo
calendar-undone = The move was undone.

# The page of a move.
shift-from = From
shift-to = To
shift-lasts = Duration
shift-confirms = This appointment is a request. The move also confirms it.
shift-anyway = Move anyway

# The page that blocks time.
block-sub = Time off of a staff member. { Customers } cannot book it.
block-staff = Staff member
block-title-of = Title
block-title-hint = The team sees it in the calendar, for example “Dentist”.

# Keyboard shortcuts.
shortcuts-title = Keyboard shortcuts
shortcuts-everywhere = On every page
shortcuts-today = Today
shortcuts-calendar = Calendar
shortcuts-book = Book an appointment
shortcuts-search = Search
shortcuts-list = This list
shortcuts-before = Previous day, week or month
shortcuts-after = Next day, week or month
shortcuts-move = Move the focused appointment
shortcuts-move-how = While you move an appointment: up and down change the time, left and right the column, Shift with up or down the length. Enter drops the appointment, and Escape ends the move. Within ten seconds, Ctrl+Z undoes the move.
shortcuts-turn-off = Turn shortcuts off
shortcuts-turn-on = Turn shortcuts on
shortcuts-hint = This setting applies to this browser.
