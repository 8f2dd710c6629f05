//! The page with the settings of the booking page, its address, and the HTML that embeds it.

use domain::Right;
use view::WebsiteView;

use super::parts::{Done, how_long, line, numbers, versions};
use crate::admin::website::WebsitePatch;
use crate::dashboard::pages::prelude::*;

/// The offered values of `change_notice_minutes`, in minutes.
const USUAL: [u32; 8] = [0, 60, 120, 240, 720, 1_440, 2_880, 10_080];
/// The fields with a checkbox.
const TICKED: [&str; 3] = ["enabled", "change_by_caller", "show_prices"];
/// The fields with a line of text.
const TEXTS: [&str; 5] = ["slug", "color", "phone", "email", "address"];

#[derive(Template)]
#[template(path = "dashboard/pages/settings/website.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: Done,
    filled: Filled,
    tag: String,
    versions: Versions,
    facts: Vec<Line>,
    texts: [Field; 5],
    origins: Field,
    notice: Field,
    /// The address of the page. It is empty without a slug or without a public URL of the service.
    url: String,
    /// The path of the page; empty while the page is disabled.
    path: String,
    /// The HTML elements that embed the page.
    button: String,
    iframe: String,
    is_embedded_nowhere: bool,
    has_public_url: bool,
}

fn values(website: &WebsiteView) -> Form {
    let ticked = [website.enabled, website.change_by_caller, website.show_prices];
    let ticked = std::iter::zip(TICKED, ticked).filter(|(_, ticked)| *ticked);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let texts = [&website.slug, &website.color, &website.phone, &website.email, &website.address];
    let texts = std::iter::zip(TEXTS, texts.map(text));
    let notice = website.change_notice_minutes.map(|minutes| minutes.to_string()).unwrap_or_default();
    let others = [("origins", website.origins.join("\n")), ("change_notice_minutes", notice)];
    Form::of(ticked.map(|(name, _)| (name, "on".to_owned())).chain(texts).chain(others))
}

fn notice(view: &View, minutes: &str) -> String {
    match minutes.trim().parse() {
        Ok(minutes) => how_long(view, minutes),
        Err(_) if minutes.trim().is_empty() => view.t("website-notice-of-service"),
        Err(_) => minutes.to_owned(),
    }
}

fn lines(view: &View, form: &Form) -> Vec<Line> {
    let ticked = |name: &str| view.t(if form.find(name).is_some() { "yes" } else { "no" });
    let text = |name: &str| line(view, &format!("website-{name}"), form.get(name));
    let origins = form.get("origins").split_whitespace().collect::<Vec<_>>().join(", ");
    vec![
        line(view, "website-enabled", &ticked("enabled")),
        text("slug"),
        line(view, "website-origins", &origins),
        text("color"),
        text("phone"),
        text("email"),
        text("address"),
        line(view, "website-change_by_caller", &ticked("change_by_caller")),
        line(view, "website-change_notice_minutes", &notice(view, form.get("change_notice_minutes"))),
        line(view, "website-show_prices", &ticked("show_prices")),
    ]
}

async fn saved(member: &Member) -> Result<WebsiteView, Refused> {
    let website = member.business.website().await?;
    Ok(WebsiteView::new(&website, member.people().public_url().as_deref()))
}

pub(crate) async fn show(member: Member) -> Answered {
    let website = saved(&member).await?;
    let filled = member.filled(&member.path_to("settings/website"), || values(&website));
    shown(&member, &website, filled, Done::said(&member))
}

fn shown(member: &Member, website: &WebsiteView, mut filled: Filled, done: Done) -> Answered {
    let (view, now) = (&member.view, values(website));
    let public_url = member.people().public_url();
    let hint = |name: &str| view.t(&format!("website-{name}-hint"));
    let label = |name: &str| view.t(&format!("website-{name}"));
    let field = |name: &'static str| {
        let (kind, autocomplete) = match name {
            "phone" => ("tel", "tel"),
            "email" => ("email", "email"),
            "address" => ("text", "street-address"),
            _ => ("text", "off"),
        };
        let field = Field::new(name, kind, autocomplete, label(name)).optional();
        if matches!(name, "slug" | "color") { field.hint(hint(name)).class("mono") } else { field }
    };
    let origins = Field::area("origins", label("origins")).optional().hint(hint("origins")).class("mono");
    let current = filled.get("change_notice_minutes");
    let minutes = numbers(&USUAL, current, Some(notice(view, "")), |minutes| how_long(view, minutes));
    let minutes = Field::select("change_notice_minutes", label("change_notice_minutes"), minutes);
    let (slug, url) = (website.slug.as_deref().unwrap_or_default(), website.url.as_deref());
    let button = url.and(public_url.as_deref()).map(|public_url| {
        format!("<script src=\"{public_url}/widget.js\" data-business=\"{slug}\" async></script>")
    });
    let iframe = url.map(|url| {
        let title = view.t("website-frame-title");
        format!("<iframe src=\"{url}/frame\" title=\"{title}\" width=\"100%\" height=\"720\"></iframe>")
    });
    let shown = Page {
        sheet: member.sheet("settings/website"),
        done,
        tag: filled.tag(website),
        versions: versions(&filled, lines(view, filled.values()), lines(view, &now)),
        facts: lines(view, &now),
        texts: TEXTS.map(field).map(|field| filled.field(view, field)),
        origins: filled.field(view, origins),
        notice: filled.field(view, minutes.hint(hint("change_notice_minutes"))),
        url: url.unwrap_or_default().to_owned(),
        path: if website.enabled { format!("/book/{slug}") } else { String::new() },
        button: button.unwrap_or_default(),
        iframe: iframe.unwrap_or_default(),
        is_embedded_nowhere: website.origins.is_empty(),
        has_public_url: public_url.is_some(),
        filled,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn sent(member: Member) -> Answered {
    let website = saved(&member).await?;
    let done = save(&member).await;
    member.answered(done, |filled| ready(shown(&member, &website, filled, Done::default()))).await
}

async fn save(member: &Member) -> Result<String, Refused> {
    let body = TICKED.into_iter().fold(member.body(), |body, name| body.ticked(name));
    let body = TEXTS.into_iter().fold(body, |body, name| body.optional(name));
    let origins = member.form.get("origins").split_whitespace();
    let origins = Json::Array(origins.map(|origin| Json::String(origin.to_owned())).collect());
    let body = body.with("origins", origins).optional_number("change_notice_minutes");
    let patch = body.read::<WebsitePatch>()?.change(member.people().public_url());
    member.business.patch_website(member.request(), patch).await.map_err(FormError::of)?;
    Ok(member.path_to("settings/website?done=saved"))
}
