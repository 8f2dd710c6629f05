# Keys, webhooks, people, notifications, the email log and the audit log.

# People, notifications, emails.
people-sub = People who can sign in to { $business }, and their roles
people-invite = Invite a person
people-you = You
people-is-staff = staff member:
people-last-sign-in = last signed in:
people-pages = The list continues.
people-role = Role
people-role-member = Calendar, messages, calls and contacts; their own alerts and time off.
people-role-admin = The permissions of a member, and settings, keys, webhooks and people, except owners.
people-role-owner = Everything.
people-staff = Linked staff member
people-staff-hint = The person can then choose to receive only alerts about their own appointments and messages.
people-none = None
people-locale-hint = The person can change the language later.
people-status-active = Active
people-status-invited = Invited
people-status-disabled = Disabled
people-invite-sub = The person receives an email that explains how to sign in. The link in the email works for 7 days.
people-invite-sub-no-mail = This service sends no email: you receive a link to pass on, and the person chooses their own password.
people-invite-send = Send the invitation
people-invite-make = Invite
people-done-invited = Invited. The service sends an email that explains how to sign in.
people-done-offered = Invited. This email already has an account or another invitation, so there is no link to pass on. The person signs in as usual and accepts the invitation. If they have no password yet, the operator of the service can give them a link.
people-done-removed = Removed. The person no longer has access.
people-done-disabled = Disabled. All their sessions here have ended.
people-done-enabled = Enabled.
people-invited = Invited
people-invited-sub = Pass this link on to { $email }. It is shown only once.
people-invited-link = Invitation link
people-invited-until = The link works once, until { $when }, and is only for choosing a password. Anybody who has the link can sign in, so do not send it to anyone else. If it is lost, cancel the invitation and invite the person again.
people-invited-done = I have saved the link
people-waits = Not accepted yet. If the email is lost or its link has expired, “Forgotten password” on the sign-in page sends another link.
people-waits-no-mail = Not accepted yet. If the link is lost or has expired, cancel the invitation and invite the person again.
people-fixed = Only an owner can change an owner.
people-access = Access
people-access-about = If you disable or remove this person, their sessions here end immediately. You can enable a disabled person again. A removed person needs a new invitation.
people-access-off = This person cannot sign in here. If you enable them, they get their role and settings back. If you remove them, they need a new invitation.
people-invitation = Invitation
people-invitation-about = After you cancel the invitation, its link gives no access to this business.
people-disable = Disable
people-disable-title = Disable { $who }?
people-disable-happens = They can no longer sign in here, and all their sessions in this business end immediately. They receive no alerts and no emails from this business.
people-disable-stays = Everything that they did is kept, and so are their role and their settings. You can enable them again at any time.
people-enable = Enable
people-enable-title = Enable { $who }?
people-enable-happens = They can sign in again, with the role and the settings that they had. If they had not accepted their invitation yet, they can accept it now.
people-enable-stays = Their password does not change.
people-remove = Remove
people-remove-title = Remove { $who }?
people-remove-happens = They can no longer sign in here, all their sessions in this business end immediately, and their alerts and notification settings here are deleted. They need a new invitation to come back.
people-remove-stays = Their account and their access to other businesses are kept, and so is everything that they did here. The linked staff member and their appointments do not change.
people-take-back = Cancel the invitation
people-take-back-title = Cancel the invitation of { $who }?
people-take-back-happens = The invitation can no longer be accepted. Waiting emails with the invitation are not sent.
people-take-back-stays = You can invite this person again at any time.
notify-sub = Your notifications for { $business }.
notify-mails-go-to = Emails are sent to
notify-caption = Notification settings for each kind of event
notify-when = Event
notify-email = Email
notify-here = Here
notify-of-whom = Which staff
notify-show = Show
notify-shown = shown here
notify-not-shown = not shown here
notify-needs-somebody = Needs action
notify-good-to-know = Good to know
notify-urgent_message = An urgent message was taken
notify-appointment_requested = A booking or a move was requested
notify-call_missed = A call was missed
notify-webhook_disabled = A webhook endpoint was turned off
notify-webhook_failing = Deliveries to a webhook endpoint failed for an hour
notify-calendar_failed = A connected calendar could not be read
notify-calendar_event_changed = The event of an appointment was deleted or moved in a calendar
notify-message_taken = Another message was taken
notify-appointment_booked = An appointment was booked
notify-appointment_rescheduled = An appointment was moved
notify-appointment_cancelled = An appointment was cancelled
notify-email-now = Immediately
notify-email-daily = Daily
notify-email-off = Off
notify-scope-all = All staff
notify-scope-mine = Mine
notify-rules = The daily email is sent at 08:00. You receive no alert about your own actions. If you have received 20 emails within an hour, one later email combines the further alerts.
notify-no-staff = You are not linked to a staff member here, so you receive the alerts of all staff.
notify-no-mail = This service sends no email, so alerts appear only in the dashboard. Your choices for email take effect when the service starts to send email.
notify-test = Send me a test email
notify-test-taken = { $count ->
    [one] The relay accepted the test email after one millisecond. Its response:
   *[other] The relay accepted the test email after { $count } milliseconds. Its response:
}
notify-test-refused = { $count ->
    [one] The test email was not sent. The attempt took one millisecond:
   *[other] The test email was not sent. The attempt took { $count } milliseconds:
}
notify-test-next = The next test email can be sent from { $when }.
mail-sub = Emails that were sent to your people in the last 30 days, newest first
mail-no-mail = This service sends no email. The emails shown here were sent earlier. The operator of the service can configure a relay.
mail-none = No emails
mail-none-text = Alerts, daily emails and invitations appear here once they are sent.
mail-caption = Emails, newest first
mail-what = Type
mail-to = To
mail-to-former-person = A person who no longer has access
mail-when = When
mail-status = Status
mail-attempts = { $count ->
    [0] no attempt yet
    [one] one attempt
   *[other] { $count } attempts
}
mail-actions = Actions
mail-next = Next attempt:
mail-again = Send again
mail-resent = The email is sent again, as a new email.
mail-pages = Emails of the last 30 days
mail-invitation = Invitation
mail-kind-alert = Alert
mail-kind-gathered = Combined alerts
mail-kind-notice = Notice to a { customer }
mail-kind-daily = Daily email
mail-kind-reset = Link to choose a password
mail-kind-email_change = Link to confirm a new email
mail-kind-email_changed = Notice of a changed email
mail-tells = { $count ->
    [one] About one event
   *[other] About { $count } events
}
mail-status-pending = Waiting
mail-status-sent = Sent
mail-status-failed = Failed
mail-status-dropped = Dropped
