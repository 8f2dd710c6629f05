//! The page of the business's profile, with the data for callers and the rules for bookings.

use domain::availability::Concerned;
use domain::{BookingMode, Business, CustomerWord, GRID_MINUTES, Right};
use engine::business::commands::profile::PatchBusiness;
use view::OperatorBusinessView;

use super::parts::{Done, language, languages, line, region, regions, versions, zones};
use crate::admin::businesses::OperatorBusinessPatch;
use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/settings/business.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: Done,
    filled: Filled,
    tag: String,
    versions: Versions,
    facts: Vec<Line>,
    fields: [Field; 7],
    modes: Field,
}

fn values(business: &Business) -> Form {
    Form::of([
        ("name", business.name.as_str()),
        ("locale", business.locale.as_str()),
        ("timezone", business.zone.name()),
        ("website_url", business.website_url.as_deref().unwrap_or_default()),
        ("booking_mode", business.booking_mode.as_str()),
        ("phone_region", &business.phone_region),
        ("customer_word", business.customer_word.as_str()),
        ("grid_minutes", &business.grid_minutes.to_string()),
    ])
}

fn lines(view: &View, form: &Form) -> Vec<Line> {
    let mode = form.get("booking_mode");
    let mode = BookingMode::from_word(mode)
        .map_or_else(|| mode.to_owned(), |mode| view.t(&format!("business-mode-{mode}")));
    let word = CustomerWord::from_word(form.get("customer_word")).unwrap_or(CustomerWord::Client);
    vec![
        line(view, "name", form.get("name")),
        line(view, "business-locale", &language(view, form.get("locale"))),
        line(view, "business-zone", form.get("timezone")),
        line(view, "business-website", form.get("website_url")),
        line(view, "business-booking", &mode),
        line(view, "business-region", &region(view, form.get("phone_region"))),
        line(view, "business-customer_word", &view.t(&format!("business-word-{word}"))),
        line(view, "business-grid_minutes", &minutes(view, form.get("grid_minutes"))),
    ]
}

fn minutes(view: &View, text: &str) -> String {
    text.parse().map_or_else(|_| text.to_owned(), |minutes| view.count("count-minutes", minutes))
}

fn modes(view: &View, filled: &mut Filled) -> Field {
    let choice = |mode: &BookingMode| Choice {
        hint: view.t(&format!("business-mode-{mode}-hint")),
        ..Choice::new(mode.as_str(), view.t(&format!("business-mode-{mode}")))
    };
    let all = BookingMode::ALL.iter().map(choice);
    filled.field(view, Field::choices("booking_mode", "radio", view.t("business-booking"), all))
}

pub(crate) async fn show(member: Member) -> Answered {
    let concerned = (member.query.get("done") == "zone").then_some(Concerned::EVERYONE);
    let done = Done::said(&member).with_outside(&member, concerned).await?;
    let filled = member.filled(&member.path_to("settings/business"), || values(&member.profile));
    shown(&member, filled, done).await
}

async fn shown(member: &Member, mut filled: Filled, done: Done) -> Answered {
    let (view, now) = (&member.view, values(&member.profile));
    let zone = filled.get("timezone").to_owned();
    let locale = Field::select("locale", view.t("business-locale"), languages(view));
    let timezone = Field::select("timezone", view.t("business-zone"), zones(&zone));
    let words = CustomerWord::ALL
        .iter()
        .map(|word| Choice::new(word.as_str(), view.t(&format!("business-word-{word}"))));
    let grids = GRID_MINUTES.map(|grid| Choice::new(grid.to_string(), minutes(view, &grid.to_string())));
    let fields = [
        Field::line("name", view.t("name")).hint(view.t("business-name-hint")),
        locale.hint(view.t("business-locale-hint")),
        timezone.hint(view.t("business-zone-hint")),
        Field::new("website_url", "url", "url", view.t("business-website")).optional(),
        Field::select("phone_region", view.t("business-region"), regions(view)),
        Field::select("customer_word", view.t("business-customer_word"), words),
        Field::select("grid_minutes", view.t("business-grid_minutes"), grids)
            .hint(view.t("business-grid_minutes-hint")),
    ];
    let shown = Page {
        sheet: member.sheet("settings/business"),
        done,
        tag: filled.tag(&OperatorBusinessView::from(&member.profile)),
        versions: versions(&filled, lines(view, filled.values()), lines(view, &now)),
        facts: lines(view, &now),
        fields: fields.map(|field| filled.field(view, field)),
        modes: modes(view, &mut filled),
        filled,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn sent(member: Member) -> Answered {
    let done = save(&member).await;
    member.answered(done, |filled| shown(&member, filled, Done::default())).await
}

async fn save(member: &Member) -> Result<String, Refused> {
    let zone_stays = member.form.get("timezone") == member.profile.zone.name();
    let body = member.body().text("name").text("locale").optional("website_url").text("booking_mode");
    let body = body.text("phone_region").text("customer_word").number("grid_minutes");
    // An unchanged time zone is not part of the change. If it were, the engine would check every future appointment
    // against it.
    let body = if zone_stays { body } else { body.text("timezone") };
    member.change(PatchBusiness::from(body.read::<OperatorBusinessPatch>()?)).await?;
    let done = if zone_stays { "saved" } else { "zone" };
    Ok(member.path_to(&format!("settings/business?done={done}")))
}
