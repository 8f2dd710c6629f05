//! The page that invites a person. If the service sends mails, the page shows no link, and the response is the same for
//! every address, so it does not show whether the address has an account. If the service sends no mails and the engine
//! returns a link, the page shows the link once.

use domain::Right;
use engine::people::{Invitation, NewLink};

use super::{freshened, password, roles, staff_field};
use crate::admin::people::PersonBody;
use crate::dashboard::pages::prelude::*;
use crate::rest::error::ApiError;

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/invite.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    filled: Filled,
    /// The fields for email, name, staff member and language.
    fields: [Field; 4],
    role: Field,
    password: Option<Field>,
}

impl<'a> Page<'a> {
    async fn new(member: &'a Member, mut filled: Filled) -> Result<Self, Refused> {
        let (view, staff) = (&member.view, member.staff().await?);
        let chosen = filled.get("staff_id").parse().ok();
        let fields = [
            Field::new("email", "email", "off", view.t("email")),
            Field::line("name", view.t("name")).optional(),
            staff_field(view, &staff, chosen),
            Field::languages(view).hint(view.t("people-locale-hint")),
        ];
        Ok(Self {
            sheet: member.sheet_below("settings/people"),
            fields: fields.map(|field| filled.field(view, field)),
            role: filled.field(view, roles(member)),
            password: password(member, &mut filled),
            filled,
        })
    }
}

pub(crate) async fn show(member: Member) -> Answered {
    if !member.may(Right::People) {
        return Err(Refused::Suspended);
    }
    let locale = member.profile.locale.as_str();
    let filled = member.filled(member.path(), || Form::of([("role", "member"), ("locale", locale)]));
    page(&Page::new(&member, filled).await?)
}

pub(crate) async fn sent(mut member: Member) -> Answered {
    match invited(&mut member).await {
        Err(Refused::FormError(undone)) => {
            let shown = Page::new(&member, member.refused(undone)).await?;
            page_as(shown.filled.status, &shown)
        }
        invited => invited,
    }
}

async fn invited(member: &mut Member) -> Answered {
    let body = member.body().text("email").optional("name").text("role");
    let PersonBody { email, name, role, staff_id, locale } =
        body.optional("staff_id").optional("locale").read()?;
    let invitation = Invitation { email, name, locale, role, staff_id };
    freshened(member).await?;
    let (email, mails) = (invitation.email.as_str().to_owned(), member.people().sends_mail());
    let invited = member
        .people()
        .invite(&member.business, member.request(), invitation)
        .await
        .map_err(FormError::of)?;
    match invited.link {
        Some(link) if !mails => hand_over(member, &email, &link),
        _ if mails => Ok(see_other(&member.path_to("settings/people?done=invited"))),
        _ => Ok(see_other(&member.path_to("settings/people?done=offered"))),
    }
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/invited.html", config = "src/askama.toml")]
struct HandedOver<'a> {
    sheet: Sheet<'a>,
    email: String,
    link: String,
    until: String,
}

/// The page that shows the link once. The member gives the link to the invited person.
fn hand_over(member: &Member, email: &str, link: &NewLink) -> Answered {
    page(&HandedOver {
        sheet: member.sheet_below("settings/people"),
        email: email.to_owned(),
        link: member.people().link_url(&link.token).ok_or(ApiError::NoPublicUrl)?,
        until: member.short_moment(link.expires_at),
    })
}
