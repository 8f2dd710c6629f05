# The dashboard's texts in English. Values are inserted unchanged, and no text is markup.

# The frame.
skip = Skip to content
menu = Menu
all-pages = All pages
main-pages = Main
switch = – change business
your-account-aside = – your account
sign-out = Sign out
today = Today
role-owner = Owner
role-admin = Admin
role-member = Member
suspended = This business is suspended: you can see everything, but you cannot change anything. The operator of the service can tell you more.

# Signing in.
sign-in = Sign in
sign-in-kept = Sign in again to continue: your input is kept.
email = Email
password = Password
required = This field is required.
sign-in-wrong = Wrong email or password.
sign-in-wrong-hint = Try again, or ask for a link to choose a new password.
other-language = fr
other-language-name = Français
back-to-sign-in = Back to sign-in
not-an-email = This is not an email address, such as name@example.com.

# A forgotten password.
forgotten = Forgotten password
forgotten-text = Enter your email. If an account has this email, you receive a link to choose a new password. The link is valid for one hour.
forgotten-send = Send the link
forgotten-sent = Check your inbox
forgotten-sent-text = If an account has this email, a message with a link was sent to it. The link works once, for one hour.
forgotten-sent-hint = No email after a few minutes? Look in your spam folder, or ask the owner of your business.
forgotten-no-mail = This service sends no email. The operator of the service can give you a link to choose a new password.

# Links.
go-on = Continue
enter-invitation-title = Welcome to { $business }
enter-invitation-owner = You are invited as an owner. In the next step you choose a password for { $email }.
enter-invitation-admin = You are invited as an admin. In the next step you choose a password for { $email }.
enter-invitation-member = You are invited as a member. In the next step you choose a password for { $email }.
enter-account-title = Your account
enter-account-text = In the next step you choose a password for { $email }.
enter-reset-title = A new password
enter-reset-text = In the next step you choose a new password for { $email }.
enter-enter-title = Sign in
enter-enter-text = This link signs you in as { $email }.
enter-email-title = Your new email
enter-email-text = If you continue, you sign in with { $email } from now on.
enter-until-days = This link works once, for seven days. If it is not meant for you, close this page: nothing has happened yet.
enter-until-hour = This link works once, for one hour. If it is not meant for you, close this page: nothing has happened yet.
enter-until-minutes = This link works once, for ten minutes. If it is not meant for you, close this page: nothing has happened yet.

# Choosing a password.
choose-password = Choose a password
choose-password-text = For { $email }. Four unrelated words are easy to remember and hard to guess.
current-password = Current password
password-first-hint = Enter your current password, because you last entered it more than 15 minutes ago.
password-needs-link = You have no password yet, and you used your link more than 15 minutes ago. Ask for a new link to choose a password.
new-password = New password
new-password-hint = 12 to 256 characters of any kind.
password-again = Repeat the password
password-differs = The two passwords are different.
keep-password = Save the password
keep-password-hint = When you save the password, all your other sessions end.
leave-it = Change nothing
not-now = Not now
password-set = You have a new password. All your other sessions have ended.

# The page after signing in.
your-businesses = Your businesses
hello = Hello, { $name }
hello-unnamed = Hello
offer = { $business } invites you
offer-text = Role: { $role }
accept = Accept
decline = Decline
no-business = You belong to no business
no-business-text = You are signed in as { $email }, which has no access to a business at the moment. Ask the owner of the business to invite you; the invitation then appears here.

# The account.
your-account = Your account
your-account-sub = These settings apply to all your businesses.
you = You
you-about = Others in your business see your name.
name = Name
language = Language
look = Appearance
clock = Time format
clock-auto = As usual in the country of the business
clock-12 = 12-hour clock (2:30 pm)
clock-24 = 24-hour clock (14:30)
week-start = First day of the week
week-start-auto = As usual in the country of the business
week-start-monday = Monday
week-start-sunday = Sunday
week-start-saturday = Saturday
look-device = Match my device
look-light = Light
look-dark = Dark
save = Save
saved = Saved.
email-about = You sign in with this email, and alerts are sent to it. A new email takes effect when you open the link that we send to it.
email-about-no-mail = You sign in with this email. A new email takes effect immediately.
change-email = Change email
email-same = This is already your email.
email-taken = Another account has this email.
email-changed = Your email was changed. Sign in with it from now on.
email-sent = A link was sent to the new email. Open it within one hour to confirm the email.
password-about = A new password ends all your other sessions.
choose-new-password = Choose a new password
kept-signed-out = You were signed out when you sent this form, so nothing was changed. Check the form and send it again.
kept-stale = This form was open for too long, so it was not sent. Check the form and send it again.
kept-suspended = The business was suspended before you sent this form, so your input is not saved. It is shown below so that you can copy it.
kept-beside = Your other change is saved. Your input in this form is still here, but it is not saved yet.

# Sessions.
your-sessions = Your sessions
sessions = Sessions
sessions-sub = The devices where you are signed in. A session ends after 7 days without use, and after 30 days at the latest. Times are in the time zone { $zone }.
sessions-ended = The session has ended.
this-session = This session
session-own = From { $address } · since { $since }
session-other = From { $address } · last used { $used } · since { $since }
browser-on = { $browser } on { $system }
browser-unknown = Unknown browser
end-session = End
end-others = End all others

# Unsubscribing.
unsubscribe = Unsubscribe
unsubscribe-text = Should this service stop sending emails about the following topic to { $email }?
unsubscribe-do = Stop these emails
unsubscribe-hint = The alerts still appear in the dashboard.
unsubscribed = Done
unsubscribed-text = You will get no more emails about this. An email that is already waiting to be sent can still arrive.
alert-webhook_disabled = Webhook endpoints that were turned off
alert-webhook_failing = Failing webhook endpoints
alert-calendar_failed = Calendars that cannot be read
alert-calendar_event_changed = Appointments whose calendar events were changed
alert-urgent_message = Urgent messages
alert-message_taken = Messages
alert-appointment_requested = Appointments that wait for an answer
alert-appointment_booked = Appointments that are booked
alert-appointment_rescheduled = Appointments that are moved
alert-appointment_cancelled = Appointments that are cancelled
alert-call_missed = Missed calls
alert-every-now = All immediate emails
alert-every-daily = The daily email

# Alerts.
alerts = Alerts
new = new
alerts-sub = { $count ->
    [0] Nothing new
    [one] One new
   *[other] { $count } new
}
alerts-no-mail = This service sends no email, so alerts appear only here.
alerts-none = No alerts yet
alerts-none-text = Your alerts appear here: requests, messages, missed calls.
read-all = Mark all as read
read-one = Mark as read: { $what }
older = Older
more-pages = Pages of this list
alert-about-webhook_disabled = A webhook endpoint was turned off
alert-about-webhook_failing = A webhook endpoint is failing
alert-about-calendar_failed = A calendar cannot be read
alert-about-calendar_event_changed = Event changed in a calendar
alert-about-urgent_message = Urgent message
alert-about-message_taken = Message
alert-about-appointment_requested = An appointment waits for an answer
alert-about-appointment_booked = Appointment booked
alert-about-appointment_rescheduled = Appointment moved
alert-about-appointment_cancelled = Appointment cancelled
alert-about-call_missed = Missed call
alert-about-appointment = { $when } · { $who } · { $service } with { $staff }
alert-about-gone = The record that this alert was about no longer exists.

# Error pages.
go-to-dashboard = Go to the dashboard
ask-for-another = Ask for a new link
reference = Reference { $id }
cross-site = Nothing was changed: the form came from another site.
foreign-host = The dashboard is not at this address. The operator of the service sets the address with { $setting }.
no-public-url = The dashboard is not available yet, because its address is not set. The operator of the service sets it with { $setting }.
sent-before = This form was already sent. Nothing was done a second time.
error-403-title = Not allowed
error-403-text = Your role does not allow this. Nothing was changed.
error-404-title = Not found
error-404-text = This page does not exist or was deleted, or you have no access to it.
error-409-title = The data has changed meanwhile
error-409-text = Your request is not possible with the current data. Nothing was changed.
error-410-title = This link no longer works
error-410-text = The link was used already, has expired, or was replaced by a newer link.
error-413-title = Too long
error-413-text = Your input is larger than allowed. Nothing was changed.
error-422-title = The request could not be read
error-422-text = This page does not accept the content of the request. Nothing was changed.
error-429-title = Too many attempts
error-429-text = { $count ->
    [one] There were too many attempts from this address. Wait a minute, then try again; your account is not locked.
   *[other] There were too many attempts from this address. Wait { $count } minutes, then try again; your account is not locked.
}
error-500-title = Something went wrong
error-500-text = The service failed, and the error was recorded.
error-503-title = One moment, please
error-503-text = The service is very busy. Nothing was changed: go back, wait a few seconds and send the form again.
