//! `/admin/v1/mail/test` sends a test mail.

use domain::{Conflict, Email, Locale, Refusal};
use view::MailTestView;

use crate::config::variables::SMTP_URL;
use crate::json_object;
use crate::rest::prelude::*;

json_object! {
    /// The recipient of a test mail.
    pub(crate) struct MailTestBody {
        /// The email address.
        to: Email,
        /// The language of the mail. The default is `en`.
        locale: Option<Locale>,
    }
}

pub(super) async fn test(
    context: Context,
    Body(body): Body<MailTestBody>,
) -> Result<Plain<MailTestView>, ApiError> {
    let tested = context.engine.test_mail(&body.to, body.locale.unwrap_or(Locale::En)).await?;
    let tested = tested
        .ok_or_else(|| Refusal::Conflict { conflict: Conflict::NoRelaySet(SMTP_URL), details: Vec::new() })?;
    let duration_ms = u64::try_from(tested.took.as_millis()).unwrap_or(u64::MAX);
    let (answer, error) = match tested.result {
        Ok(answer) => (Some(answer), None),
        Err(failure) => (None, Some(failure.to_string())),
    };
    Ok(Plain::of(MailTestView { sent: answer.is_some(), answer, error, duration_ms }))
}
