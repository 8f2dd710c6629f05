//! The page with the settings of the receptionist. Only the operator can set `tokens_per_day`.

use domain::Right;
use view::ReceptionistView;

use super::parts::{Done, line, numbers, versions};
use crate::admin::receptionist::ReceptionistPatch;
use crate::dashboard::pages::prelude::*;

/// The offered values of `team_first_seconds`.
const RING_SECONDS: [u32; 6] = [0, 5, 10, 20, 30, 60];
/// The fields that are checkboxes. The first three are the channels.
pub(in crate::dashboard) const CHECKBOXES: [&str; 4] = ["voice", "sms", "website", "knowledge_public"];
/// The fields in which a person enters text.
pub(in crate::dashboard) const TEXTS: [&str; 5] =
    ["greeting_en", "greeting_fr", "instructions", "handoff_number", "blocked_numbers"];

#[derive(Template)]
#[template(path = "dashboard/pages/settings/receptionist.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: Done,
    filled: Filled,
    tag: String,
    versions: Versions,
    facts: Vec<Line>,
    texts: [Field; 5],
    team_first: Field,
}

fn values(settings: &ReceptionistView) -> Form {
    let channels = settings.channels;
    let ticked = [channels.voice, channels.sms, channels.website, settings.knowledge_public];
    let ticked = std::iter::zip(CHECKBOXES, ticked).filter(|(_, ticked)| *ticked);
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let texts = [
        text(&settings.greeting.en),
        text(&settings.greeting.fr),
        text(&settings.instructions),
        text(&settings.handoff_number),
        settings.blocked_numbers.join("\n"),
    ];
    let team_first = [("team_first_seconds", settings.team_first_seconds.to_string())];
    Form::of(
        ticked.map(|(name, _)| (name, "on".to_owned())).chain(std::iter::zip(TEXTS, texts)).chain(team_first),
    )
}

fn rings(view: &View, seconds: u32) -> String {
    match seconds {
        0 => view.t("receptionist-at-once"),
        seconds => view.count("receptionist-seconds", seconds.into()),
    }
}

fn lines(view: &View, form: &Form) -> Vec<Line> {
    let ticked = |name: &str| {
        let said = view.t(if form.find(name).is_some() { "yes" } else { "no" });
        line(view, &format!("receptionist-{name}"), &said)
    };
    let text = |name: &str| line(view, &format!("receptionist-{name}"), form.get(name));
    let seconds = form.get("team_first_seconds");
    let seconds = seconds.trim().parse().map_or_else(|_| seconds.to_owned(), |seconds| rings(view, seconds));
    let [first, second, third, last] = CHECKBOXES.map(ticked);
    let mut lines = vec![first, second, third];
    lines.extend(TEXTS.map(text));
    lines.extend([line(view, "receptionist-team_first_seconds", &seconds), last]);
    lines
}

async fn saved(member: &Member) -> Result<ReceptionistView, Refused> {
    Ok(ReceptionistView::from(&member.business.receptionist().await?))
}

pub(crate) async fn show(member: Member) -> Answered {
    let settings = saved(&member).await?;
    let filled = member.filled(&member.path_to("settings/receptionist"), || values(&settings));
    shown(&member, &settings, filled, Done::said(&member))
}

fn shown(member: &Member, settings: &ReceptionistView, mut filled: Filled, done: Done) -> Answered {
    let (view, now) = (&member.view, values(settings));
    let label = |name: &str| view.t(&format!("receptionist-{name}"));
    let field = |name: &'static str| {
        let hint = view.t(&format!("receptionist-{name}-hint"));
        let field = match name {
            "instructions" | "blocked_numbers" => Field::area(name, label(name)),
            "handoff_number" => Field::new(name, "tel", "off", label(name)),
            _ => Field::new(name, "text", "off", label(name)),
        };
        field.optional().hint(hint)
    };
    let seconds =
        numbers(&RING_SECONDS, filled.get("team_first_seconds"), None, |seconds| rings(view, seconds));
    let seconds = Field::select("team_first_seconds", label("team_first_seconds"), seconds);
    let shown = Page {
        sheet: member.sheet("settings/receptionist"),
        done,
        tag: filled.tag(settings),
        versions: versions(&filled, lines(view, filled.values()), lines(view, &now)),
        facts: lines(view, &now),
        texts: TEXTS.map(field).map(|field| filled.field(view, field)),
        team_first: filled.field(view, seconds),
        filled,
    };
    page_as(shown.filled.status, &shown)
}

pub(crate) async fn sent(member: Member) -> Answered {
    let settings = saved(&member).await?;
    let done = save(&member).await;
    member.answered(done, |filled| ready(shown(&member, &settings, filled, Done::default()))).await
}

async fn save(member: &Member) -> Result<String, Refused> {
    let form = &member.form;
    let ticked = |name: &str| (name.to_owned(), Json::Bool(form.find(name).is_some()));
    let text = |name: &str| match form.get(name).trim() {
        "" => Json::Null,
        text => Json::String(text.to_owned()),
    };
    let channels = Json::Object(CHECKBOXES[..3].iter().map(|name| ticked(name)).collect());
    let greeting = [("en", "greeting_en"), ("fr", "greeting_fr")];
    let greeting =
        Json::Object(greeting.into_iter().map(|(locale, name)| (locale.to_owned(), text(name))).collect());
    let numbers = form.get("blocked_numbers").lines().map(str::trim).filter(|number| !number.is_empty());
    let numbers = Json::Array(numbers.map(|number| Json::String(number.to_owned())).collect());
    let body = member
        .body()
        .with("channels", channels)
        .with("greeting", greeting)
        .optional("instructions")
        .optional("handoff_number")
        .number("team_first_seconds")
        .with("blocked_numbers", numbers)
        .ticked("knowledge_public");
    let patch = body.read::<ReceptionistPatch>()?;
    member.change(engine::business::commands::receptionist::PatchReceptionist::from(patch)).await?;
    Ok(member.path_to("settings/receptionist?done=saved"))
}
