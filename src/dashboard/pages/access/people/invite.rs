//! Inviting somebody. Where mail is sent no link is shown, and every invitation is answered alike; where none is, the
//! link is shown once, if the engine gives one.

use actors::domain::{Locale, Right, StaffMember};
use actors::people::{Invitation, NewLink};
use askama::Template;
use axum::http::StatusCode;

use super::fields::{crumb, freshened, password, roles, staff, staff_field};
use crate::admin::people::PersonBody;
use crate::dashboard::asked::Member;
use crate::dashboard::filled::{Filled, Undone};
use crate::dashboard::form::Form;
use crate::dashboard::frame::Frame;
use crate::dashboard::parts::{Choice, Choices, Crumb, Field};
use crate::dashboard::refused::Refused;
use crate::dashboard::route::Answered;
use crate::dashboard::view::{View, page, see_other};

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/invite.html", config = "src/askama.toml")]
struct Page {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    path: String,
    /// Where the list is.
    back: String,
    mails: bool,
    filled: Filled,
    rest: Vec<String>,
    email: Field,
    name: Field,
    role: Choices,
    staff: Field,
    locale: Field,
    /// The password, where it was given too long ago.
    password: Option<Field>,
}

impl Page {
    fn new(member: &Member, staff: &[StaffMember], mut filled: Filled, asks: Option<Field>) -> Self {
        let view = member.view();
        let chosen = filled.get("staff_id").parse().ok();
        let locales = [(Locale::En, "English"), (Locale::Fr, "Français")];
        let locales = locales.map(|(locale, name)| Choice::new(locale.as_str(), name));
        let locale = Field::select("locale", view.t("language"), locales.into());
        let email = Field::new("email", "email", "off", view.t("email"));
        let name = Field::line("name", view.t("name")).optional();
        Self {
            frame: member.frame("settings/people"),
            crumbs: vec![crumb(member, &view)],
            path: member.path_to("settings/people/invite"),
            back: member.path_to("settings/people"),
            mails: member.people().sends_mail(),
            email: filled.field(&view, email),
            name: filled.field(&view, name),
            role: filled.choices(&view, roles(member, &view)),
            staff: filled.field(&view, staff_field(&view, staff, chosen)),
            locale: filled.field(&view, locale.hint(view.t("people-locale-hint"))),
            password: password(&mut filled, &view, asks),
            rest: filled.rest(&view),
            filled,
            view,
        }
    }
}

/// The form.
pub(crate) async fn show(member: Member) -> Answered {
    if !member.may(Right::People) {
        return Err(Refused::Suspended);
    }
    let (view, kept) = (member.view(), member.kept_form());
    let locale = member.profile.locale.as_str();
    let filled = Filled::kept(&view, kept.as_ref(), member.path(), || {
        Form::of([("role", "member"), ("locale", locale)])
    });
    let shown = Page::new(&member, &staff(&member).await?, filled, member.password_field());
    Ok(page(StatusCode::OK, &shown)?)
}

/// Invites.
pub(crate) async fn sent(mut member: Member) -> Answered {
    let body = member.body().text("email").optional("name").text("role");
    let invitation = match body.optional("staff_id").optional("locale").read::<PersonBody>() {
        Ok(PersonBody { email, name, role, staff_id, locale }) => {
            Invitation { email, name, locale, role, staff_id }
        }
        Err(undone) => return again(&member, undone, member.password_field()).await,
    };
    if let Err(undone) = freshened(&mut member).await? {
        return again(&member, undone, member.password_field()).await;
    }
    let (email, mails) = (invitation.email.as_str().to_owned(), member.people().sends_mail());
    let invited = match member.people().invite(&member.business, member.request(), invitation).await {
        Ok(invited) => invited,
        Err(error) => return again(&member, Undone::of(error)?, None).await,
    };
    match invited.link {
        Some(link) if !mails => hand_over(&member, &email, &link),
        _ if mails => Ok(see_other(&member.path_to("settings/people?done=invited"))),
        _ => Ok(see_other(&member.path_to("settings/people?done=offered"))),
    }
}

/// The form as it was sent, with why it was refused.
async fn again(member: &Member, undone: Undone, asks: Option<Field>) -> Answered {
    let status = undone.status();
    let filled = Filled::refused(&member.view(), &member.form, undone);
    Ok(page(status, &Page::new(member, &staff(member).await?, filled, asks))?)
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/people/invited.html", config = "src/askama.toml")]
struct HandedOver {
    view: View,
    frame: Frame,
    crumbs: Vec<Crumb>,
    back: String,
    email: String,
    link: String,
    until: String,
}

/// Shows the link, this once, for whoever invited to hand over.
fn hand_over(member: &Member, email: &str, link: &NewLink) -> Answered {
    let view = member.view();
    let url = member.people().link_url(&link.token).ok_or(Refused::NoPublicUrl)?;
    let shown = HandedOver {
        frame: member.frame("settings/people"),
        crumbs: vec![crumb(member, &view)],
        back: member.path_to("settings/people"),
        email: email.to_owned(),
        link: url,
        until: view.words.short_moment(link.expires_at, member.profile.zone),
        view,
    };
    Ok(page(StatusCode::OK, &shown)?)
}
