# The texts of emails in English. They are plain text, without markup.

somebody = somebody
label-when = When:
label-who = Who:
label-phone = Phone:
label-service = Service:
label-staff = With:
label-status = Status:
label-url = Address:
label-calendar = Calendar
label-happened = Date:
label-business = Where:
label-zone = Time zone:
label-email = E-mail:

status-pending = waiting for the team
status-confirmed = confirmed
status-declined = declined
status-cancelled = cancelled
call-completed = completed
call-missed = missed
call-failed = dropped

title-webhook_disabled = A webhook endpoint was turned off
title-webhook_failing = A webhook endpoint is failing
title-calendar_failed = A calendar cannot be read
title-calendar_event_changed = An event was changed in a calendar
title-urgent_message = Urgent message
title-message_taken = Message
title-appointment_requested = An appointment waits for your answer
title-appointment_booked = Appointment booked
title-appointment_rescheduled = Appointment moved
title-appointment_cancelled = Appointment cancelled
title-call_missed = Missed call

subject-webhook_disabled = { $business }: a webhook endpoint was turned off
subject-webhook_failing = { $business }: a webhook endpoint is failing
subject-calendar_failed = { $business }: a calendar cannot be read
subject-calendar_event_changed = { $business }: { $who }, { $when }, was changed in a calendar
subject-urgent_message = { $business }: urgent message from { $who }
subject-message_taken = { $business }: message from { $who }
subject-appointment_requested = { $business }: { $who } requests { $when }
subject-appointment_booked = { $business }: { $who } booked { $when }
subject-appointment_rescheduled = { $business }: { $who } moved to { $when }
subject-appointment_cancelled = { $business }: { $who }, { $when }, is cancelled
subject-call_missed = { $business }: missed call from { $who }

explain-webhook_disabled = All attempts to send an event failed, and the endpoint accepted no other event during these attempts. The endpoint receives no events until you turn it on again. You can then resend the events that it missed.
explain-webhook_failing = Deliveries have failed for at least an hour, and the endpoint accepted none in that time. The service retries them. If all attempts for an event fail, the endpoint is turned off.
explain-calendar_failed = The service has not been able to read a connected calendar. Bookings still use the busy times of the last read. Check the password and the address of the calendar.
explain-calendar_event_changed = The event of this appointment was deleted or moved in a connected calendar. The appointment itself is unchanged. Open the appointment to cancel it, to move it, or to write the event again.

open-webhook_disabled = Show the endpoint
open-webhook_failing = Show the endpoint
open-calendar_failed = Show the calendar
open-calendar_event_changed = Show the appointment
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
gathered-intro = There were many alerts within an hour, so this email combines the alerts that were not sent separately.
daily-subject = { $business }: { $count ->
    [one] one thing happened
   *[other] { $count } things happened
}
daily-intro = This is what happened since yesterday.
and-more = { $count ->
    [one] The dashboard shows one more alert.
   *[other] The dashboard shows { $count } more alerts.
}
open-alerts = Show all alerts

invitation-subject = { $business } invites you
invitation-intro = { $business } invites you to its dashboard. Choose a password to begin.
invitation-open = Choose a password
invited-as-owner = Your role: owner.
invited-as-admin = Your role: administrator.
invited-as-member = Your role: member of the team.
invited-by = Invited by { $name }.
offer-intro = { $business } invites you to its dashboard. Sign in with your usual password to accept.
offer-open = Sign in
reset-invited = { $business } invites you to its dashboard. Your account is not confirmed yet: choose a new password to begin.
reset-subject = Choose a new password
reset-intro = A new password was requested for your account.
reset-open = Choose a new password
reset-ignore = If you did not request it, ignore this email. Your password stays the same.
email_change-subject = Confirm your new email address
email_change-intro = Confirm this address to make it the email address of your account.
email_change-open = Confirm this address
email_change-ignore = If you did not request this change, ignore this email.
email_changed-subject = Your email address was changed
email_changed-intro = Your account now has another email address. If you did not change it, ask the operator of the service for help.
link-expires = The link works once and expires on { $when }.

code-subject = { $business }: your code is { $code }
code-intro = { $business }: your code is { $code }. Give it to the receptionist.
code-valid = The code is valid for 10 minutes, in the conversation in which it was requested.
code-ignore = If you did not request it, ignore this email. Without the code, your appointments are neither shown nor changed.

notice-subject-requested = Requested: { $service }, { $when }
notice-subject-confirmed = Booked: { $service }, { $when }
notice-subject-moved = Moved: { $service }, { $when }
notice-subject-cancelled = Cancelled: { $service }, { $when }
notice-subject-declined = Declined: { $service }, { $when }
notice-subject-reminder = Reminder: { $service }, { $when }
notice-heading-requested = Your appointment is requested
notice-heading-confirmed = Your appointment is booked
notice-heading-moved = Your appointment was moved
notice-heading-cancelled = Your appointment was cancelled
notice-heading-declined = Your request was declined
notice-heading-reminder = Your appointment is coming up
notice-intro-requested = { $business } has received your request and will confirm or decline it.
notice-intro-confirmed = { $business } expects you at this time.
notice-intro-moved = { $business } now expects you at this time.
notice-intro-cancelled = This appointment at { $business } does not take place.
notice-intro-declined = { $business } cannot offer this appointment.
notice-intro-reminder = { $business } expects you at this time.
notice-manage = Show the appointment
notice-stop = Stop e-mails from { $business }

test-subject = Test of the email settings
test-intro = This email has arrived, so the email settings work.

hello = Hello { $name },
hello-unnamed = Hello,
zone = All times are in the time zone { $zone }.
zone-utc = All times are in UTC.
unsubscribe-kind = No more emails like this
unsubscribe-now = No more emails about single alerts
unsubscribe-daily = No more daily emails
