# The words of mails in English. Values are inserted as they are; nothing here is markup.

weekday = { $number ->
    [1] Monday
    [2] Tuesday
    [3] Wednesday
    [4] Thursday
    [5] Friday
    [6] Saturday
   *[7] Sunday
}
month = { $number ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
}
day = { $number }
moment = { $weekday } { $day } { $month } { $year } at { $time }
short-moment = { $weekday } { $day } { $month } at { $time }

somebody = somebody
label-when = When:
label-who = Who:
label-phone = Phone:
label-service = Service:
label-staff = With:
label-status = Status:
label-url = Address:
label-happened = Noted:

status-pending = waiting for the team
status-confirmed = confirmed
status-declined = declined
status-cancelled = cancelled
call-completed = completed
call-missed = missed
call-failed = failed

title-webhook_disabled = A webhook endpoint was turned off
title-urgent_message = Urgent message
title-message_taken = Message
title-appointment_requested = An appointment waits for you
title-appointment_booked = Appointment booked
title-appointment_rescheduled = Appointment moved
title-appointment_cancelled = Appointment cancelled
title-call_missed = Missed call

subject-webhook_disabled = { $business }: a webhook endpoint was turned off
subject-urgent_message = { $business }: urgent message from { $who }
subject-message_taken = { $business }: message from { $who }
subject-appointment_requested = { $business }: { $who } asks for { $when }
subject-appointment_booked = { $business }: { $who } booked { $when }
subject-appointment_rescheduled = { $business }: { $who } moved to { $when }
subject-appointment_cancelled = { $business }: { $who }, { $when }, is cancelled
subject-call_missed = { $business }: missed call from { $who }

explain-webhook_disabled = An event failed all its attempts, and nothing reached the endpoint meanwhile. No more events are sent to it until it is turned on again; what it missed can be sent again.

open-webhook_disabled = Show the endpoint
open-urgent_message = Show the message
open-message_taken = Show the message
open-appointment_requested = Show the appointment
open-appointment_booked = Show the appointment
open-appointment_rescheduled = Show the appointment
open-appointment_cancelled = Show the appointment
open-call_missed = Show the call

gathered-subject = { $business }: { $count ->
    [one] one more alert
   *[other] { $count } more alerts
}
gathered-intro = So much happened within an hour that the rest is in this one mail.
daily-subject = { $business }: { $count ->
    [one] one thing happened
   *[other] { $count } things happened
}
daily-intro = This is what happened since yesterday.
and-more = { $count ->
    [one] And one more, which the dashboard shows.
   *[other] And { $count } more, which the dashboard shows.
}
open-alerts = Show all alerts

invitation-subject = { $business } invites you
invitation-intro = { $business } invites you to its dashboard. Choose a password to begin.
invitation-open = Choose a password
reset-subject = Choose a new password
reset-intro = Somebody, we hope you, asked for a new password of your account.
reset-open = Choose a new password
reset-ignore = If it was not you, nothing has to be done: your password stays as it is.
email_change-subject = Confirm your new e-mail address
email_change-intro = This address becomes the one of your account once you confirm it.
email_change-open = Confirm this address
email_change-ignore = If it was not you, nothing has to be done.
email_changed-subject = Your e-mail address was changed
email_changed-intro = Your account has another e-mail address from now on. If it was not you, ask whoever runs the service for help.
link-expires = The link works once, until { $when }.

test-subject = Test of the mail settings
test-intro = This mail has arrived, so mail works.

hello = Hello { $name },
hello-nobody = Hello,
zone = Times are those of { $zone }.
zone-utc = Times are UTC.
unsubscribe-kind = No more mails like this
unsubscribe-now = No more mails about single alerts
unsubscribe-daily = No more daily mails
