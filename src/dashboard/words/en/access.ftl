# Keys, webhooks, people, notifications, the mail log and the audit log.

# People, notifications, mail.
people-sub = Who may sign in to { $business }, and what they may do
people-invite = Invite somebody
people-you = You
people-is-staff = staff member
people-last-sign-in = last signed in:
people-pages = More people follow.
people-role = Role
people-role-member = Calendar, messages, calls and contacts; their own alerts and time off.
people-role-admin = All of that, and settings, keys, webhooks and people, but no owner.
people-role-owner = Everything.
people-staff = Is staff member
people-staff-hint = Alerts can then be of their own only.
people-nobody = Nobody
people-locale-hint = They can change it.
people-status-active = Active
people-status-invited = Invited
people-status-disabled = Disabled
people-invite-sub = They get a mail that says how to come in. A link in it works for 7 days.
people-invite-sub-no-mail = This service sends no mail: you are shown a link to hand over, and they choose their own password.
people-invite-send = Send the invitation
people-invite-make = Invite
people-done-invited = Invited. A mail that says how to come in is on its way.
people-done-offered = Invited. This email has an account already, or is invited elsewhere, so there is no link to hand over: they sign in as always and accept. Whoever has no password yet gets a link from whoever runs the service.
people-done-removed = Removed. Nobody comes in by it any more.
people-done-disabled = Disabled. All their sessions here have ended.
people-done-enabled = Enabled.
people-invited = Invited
people-invited-sub = Hand this link to { $email }. It is shown now and never again.
people-invited-link = Invitation link
people-invited-until = It works once, until { $when }: it leads to choosing a password, and to nothing else. Whoever has it comes in, so send it to nobody else. A lost one is no harm: take the invitation back and invite again.
people-invited-done = I have kept it
people-waits = Not accepted yet. If the mail is lost or its link too old, “Forgotten password” on the sign-in page sends another.
people-waits-no-mail = Not accepted yet. If the link is lost or too old, take the invitation back and invite again.
people-fixed = Only an owner can change an owner.
people-access = Access
people-access-about = Either ends their sessions here at once. Disabled they can be let in again; removed they have to be invited.
people-access-off = They do not come in. Enabled they come in as before; removed they have to be invited.
people-invitation = Invitation
people-invitation-about = Taken back, its link leads nowhere here.
people-disable = Disable
people-disable-title = Disable { $who }?
people-disable-happens = They do not come in any more, and every session of theirs in this business ends at once. They get no alerts and no mails about it.
people-disable-stays = What they did stays, and so do their role and their settings. You can enable them again at any time.
people-enable = Enable
people-enable-title = Enable { $who }?
people-enable-happens = They come in again, with the role and the settings that they had. An invitation that was not accepted can be accepted again.
people-enable-stays = They sign in with the password that they had.
people-remove = Remove
people-remove-title = Remove { $who }?
people-remove-happens = They do not come in any more, every session of theirs in this business ends at once, and their alerts and notification settings here are gone. To come back they have to be invited again.
people-remove-stays = Their account and other businesses of theirs stay, and so does what they did here. A staff member and their appointments stay as they are.
people-take-back = Take back the invitation
people-take-back-title = Take back the invitation of { $who }?
people-take-back-happens = It cannot be accepted any more. Mails that wait about it are not sent.
people-take-back-stays = You can invite them again at any time.
notify-sub = What you are told of in { $business }.
notify-mails-go-to = Mails go to
notify-caption = How you are told of each kind of thing
notify-when = When
notify-email = Email
notify-here = Here
notify-of-whom = Of whom
notify-show = Show
notify-shown = shown here
notify-not-shown = not shown here
notify-needs-somebody = Needs somebody
notify-good-to-know = Good to know
notify-urgent_message = An urgent message was taken
notify-appointment_requested = An appointment waits for an answer
notify-call_missed = A call was missed
notify-webhook_disabled = A webhook endpoint was turned off
notify-message_taken = Another message was taken
notify-appointment_booked = An appointment is booked
notify-appointment_rescheduled = An appointment is moved
notify-appointment_cancelled = An appointment is cancelled
notify-email-now = At once
notify-email-daily = Daily
notify-email-off = Off
notify-scope-all = All
notify-scope-mine = Mine
notify-rules = Daily mails go at 08:00. You are never told of what you did yourself. More than 20 mails in an hour are gathered in one.
notify-no-staff = You are no staff member here, so nothing is told apart as yours.
notify-no-mail = This service sends no mail, so alerts are shown in the dashboard only. What you choose for email counts as soon as it does.
notify-test = Send me a test email
notify-test-taken = { $count ->
    [one] The relay took the test email, after one millisecond. It answered:
   *[other] The relay took the test email, after { $count } milliseconds. It answered:
}
notify-test-refused = { $count ->
    [one] The test email was not sent, after one millisecond:
   *[other] The test email was not sent, after { $count } milliseconds:
}
notify-test-next = The next one can be sent from { $when } on.
mail-sub = What was mailed to your people in the last 30 days, newest first
mail-no-mail = This service sends no mail. What is shown here was mailed while it did; whoever runs it can give it a relay.
mail-none = No mails
mail-none-text = Alerts, daily mails and invitations appear here once they are mailed.
mail-caption = Mails, newest first
mail-what = What
mail-to = To
mail-to-nobody = Somebody who belongs no more
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
mail-resent = It is sent again, as a mail of its own.
mail-pages = Mails of the last 30 days
mail-invitation = Invitation
mail-kind-alert = Alert
mail-kind-gathered = Several alerts in one
mail-kind-daily = Daily mail
mail-kind-reset = Link to choose a password
mail-kind-email_change = Link for a new email
mail-kind-email_changed = That an email was changed
mail-tells = { $count ->
    [one] Tells of one thing
   *[other] Tells of { $count } things
}
mail-status-pending = Waiting
mail-status-sent = Sent
mail-status-failed = Failed
