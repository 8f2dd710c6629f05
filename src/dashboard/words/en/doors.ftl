# The words of the dashboard's pages in English. Values are inserted as they are; nothing here is markup.

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
suspended = This business is suspended: everything can be looked at, and nothing changed. Whoever runs the service can tell you more.

# Signing in.
sign-in = Sign in
sign-in-kept = Sign in again to go on: what you typed is kept.
email = Email
password = Password
required = This is needed.
sign-in-wrong = That email and password do not go together.
sign-in-wrong-hint = Try again, or ask for a link to choose a new password.
other-language = fr
other-language-name = Français
back-to-sign-in = Back to signing in
not-an-email = This is not an email, such as name@example.com.

# A forgotten password.
forgotten = Forgotten password
forgotten-text = Tell us your email. If there is an account for it, a link to choose a new password is on its way; it works for one hour.
forgotten-send = Send the link
forgotten-sent = Look in your mailbox
forgotten-sent-text = If that email has an account here, a mail with a link is on its way. The link works once, for one hour.
forgotten-sent-hint = Nothing there after a few minutes? Look among unwanted mail, or ask the owner of your business.
forgotten-no-mail = This service sends no mail. Whoever runs it can make you a link to choose a new password.

# Links.
go-on = Go on
enter-invitation-title = Welcome to { $business }
enter-invitation-owner = You are invited as an owner. Next you choose a password for { $email }.
enter-invitation-admin = You are invited as an admin. Next you choose a password for { $email }.
enter-invitation-member = You are invited as a member. Next you choose a password for { $email }.
enter-account-title = Your account
enter-account-text = Next you choose a password for { $email }.
enter-reset-title = A new password
enter-reset-text = Next you choose a new password for { $email }.
enter-enter-title = Sign in
enter-enter-text = This link signs you in as { $email }.
enter-email-title = Your new email
enter-email-text = From now on { $email } is the email that you sign in with.
enter-until-days = This link works once, for seven days. Not meant for you? Close this page; nothing has happened yet.
enter-until-hour = This link works once, for one hour. Not meant for you? Close this page; nothing has happened yet.
enter-until-minutes = This link works once, for ten minutes. Not meant for you? Close this page; nothing has happened yet.

# Choosing a password.
choose-password = Choose a password
choose-password-text = For { $email }. Four words that do not belong together are easy to keep and hard to guess.
current-password = Your password now
password-first = Your password is needed for this.
password-first-hint = You gave it more than 15 minutes ago.
password-needs-link = You have no password yet, and used your link more than 15 minutes ago. A new link leads to choosing one.
password-wrong = That is not your password.
new-password = New password
new-password-hint = 12 to 256 characters of any kind.
password-again = The same again
password-differs = This is not the same as above.
keep-password = Keep this password
keep-password-hint = Every other session of yours ends when you keep it.
leave-it = Leave it as it is
not-now = Not now
password-set = You have a new password. Every other session of yours has ended.

# Where one comes to.
your-businesses = Your businesses
hello = Hello, { $name }
hello-nobody = Hello
offer = { $business } invites you
offer-text = As: { $role }
accept = Accept
decline = Decline
no-business = You belong to no business
no-business-text = You are signed in as { $email }, and no business has you among its people at the moment. Ask its owner to invite you; what you are offered then appears here.

# The account.
your-account = Your account
your-account-sub = The same in every business you belong to
you = You
you-about = Others in your business see your name.
name = Name
language = Language
look = Look
look-device = As my device has it
look-light = Light
look-dark = Dark
save = Save
saved = Saved.
email-about = You sign in with it, and alerts go there. A new one counts once you have used the link that we mail to it.
email-about-no-mail = You sign in with it. A new one counts at once.
change-email = Change email
email-same = That is your email already.
email-taken = Another account has this email.
email-changed = Your email was changed. Sign in with it from now on.
email-sent = A link is on its way to the new email. It counts once you have used that link, within one hour.
password-about = A new one ends all your other sessions.
choose-new-password = Choose a new password
kept-signed-out = You were signed out when you sent this, so nothing was changed. Look at it and send it again.
kept-stale = This form was open for so long that it was not sent. Look at it and send it again.
kept-suspended = The business was suspended before you sent this, so it is not saved. What you typed stands below, for you to copy.
kept-beside = Your other change is saved. What you changed here is kept, and not saved yet.

# Sessions.
your-sessions = Your sessions
sessions = Sessions
sessions-sub = Where you are signed in. A session ends after 7 days unused, and after 30 in all. Times are those of { $zone }.
sessions-ended = Ended.
this-session = This one
session-own = From { $address } · since { $since }
session-other = From { $address } · last used { $used } · since { $since }
browser-on = { $browser } on { $system }
browser-unknown = A browser that does not tell its name
end-session = End
end-others = End all others

# Fewer mails.
unsubscribe = Fewer mails
unsubscribe-text = Stop mailing { $email } about this?
unsubscribe-do = Stop these mails
unsubscribe-hint = It still shows in the dashboard.
unsubscribed = Done
unsubscribed-text = No more mails about this. What waits already may still arrive.
alert-webhook_disabled = A webhook endpoint was turned off
alert-urgent_message = Urgent messages
alert-message_taken = Messages
alert-appointment_requested = Appointments that wait for an answer
alert-appointment_booked = Appointments that are booked
alert-appointment_rescheduled = Appointments that are moved
alert-appointment_cancelled = Appointments that are cancelled
alert-call_missed = Missed calls
alert-every-now = Everything that is mailed at once
alert-every-daily = The mail of every morning

# Alerts.
alerts = Alerts
new = new
alerts-sub = { $count ->
    [0] Nothing new
    [one] One new
   *[other] { $count } new
}
alerts-no-mail = This service sends no mail, so alerts are shown here only.
alerts-none = No alerts yet
alerts-none-text = What you are told of appears here: requests, messages, missed calls.
read-all = Mark all as read
read-one = Mark as read: { $what }
older = Older
more-pages = Pages of this list
told-webhook_disabled = A webhook endpoint was turned off
told-urgent_message = Urgent message
told-message_taken = Message
told-appointment_requested = An appointment waits for an answer
told-appointment_booked = Appointment booked
told-appointment_rescheduled = Appointment moved
told-appointment_cancelled = Appointment cancelled
told-call_missed = Missed call
told-appointment = { $when } · { $who } · { $service } with { $staff }
told-gone = What this told of is there no more.

# What went wrong.
go-to-dashboard = Go to the dashboard
ask-for-another = Ask for a new one
reference = Reference { $id }
cross-site = This was not done: the form came from another site. Nothing was changed.
foreign-host = The dashboard is not at this address. Whoever runs the service says with { $setting } where it is.
no-public-url = The dashboard is not open yet: nobody has said at which address people reach it. Whoever runs the service says so with { $setting }.
sent-before = This form was already sent. Nothing was done again.
error-403-title = Not allowed
error-403-text = Your role does not reach that far. Nothing was changed.
error-404-title = Not here
error-404-text = There is no such page, or it is not yours to see. It may also have been erased.
error-409-title = Something came in between
error-409-text = This does not fit with what is there by now. Nothing was changed.
error-410-title = This link no longer works
error-410-text = It was used already, is too old, or a newer one took its place.
error-413-title = Too long
error-413-text = What was sent is longer than may be. Nothing was changed.
error-422-title = This could not be read
error-422-text = What was sent is not what this page takes. Nothing was changed.
error-429-title = Too many tries
error-429-text = { $count ->
    [one] There were too many tries from this address. Wait a minute, then try again; your account is not locked.
   *[other] There were too many tries from this address. Wait { $count } minutes, then try again; your account is not locked.
}
error-500-title = Something went wrong
error-500-text = That is our fault, and it has been written down.
error-503-title = One moment, please
error-503-text = The service is very busy. Nothing was changed: go back, wait a few seconds and send it again.
