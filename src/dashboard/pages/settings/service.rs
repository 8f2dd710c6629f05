//! The services: the list, and the page of a service with its description, its duration, and the rules for
//! booking it.

use domain::availability::Concerned;
use domain::{Right, Service, StaffMember};
use view::OperatorServiceView;

use super::parts::{Done, how_long, how_many_days, line, named, numbers, only_for_changing, versions};
use crate::admin::services::{ServiceBody, ServicePatch};
use crate::dashboard::pages::prelude::*;

const SHOWN: usize = 50;
const NAMED: usize = 4;
const DESCRIPTION_CHARS: usize = 160;

#[derive(Template)]
#[template(path = "dashboard/pages/settings/services.html", config = "src/askama.toml")]
struct List<'a> {
    sheet: Sheet<'a>,
    done: Done,
    services: Vec<Service>,
    staff: Vec<StaffMember>,
    pages: Pages,
}

pub(crate) async fn list(member: Member) -> Answered {
    let part = member.part("dashboard services", SHOWN, &[]);
    let found = member.business.services(true, &part.request).await?;
    page(&List {
        sheet: member.sheet("settings/services"),
        done: Done::said(&member).with_next(&member).await?,
        services: found.items,
        staff: member.staff().await?,
        pages: part.pages(found.next.as_deref()),
    })
}

impl List<'_> {
    fn description(&self, service: &Service) -> String {
        plain(&service.description, DESCRIPTION_CHARS)
    }

    fn takes(&self, service: &Service) -> String {
        self.sheet.member.count("count-minutes", service.duration_minutes.into())
    }

    fn around(&self, service: &Service) -> String {
        let (before, after) = (service.buffers.before_minutes(), service.buffers.after_minutes());
        let around = [("before", Value::Count(before.into())), ("after", Value::Count(after.into()))];
        if before + after == 0 {
            String::new()
        } else {
            self.sheet.member.words.say("services-around", &around)
        }
    }

    fn notice(&self, service: &Service) -> String {
        match service.min_notice_minutes {
            0 => self.sheet.member.t("services-no-notice"),
            notice => how_long(&self.sheet.member.view, notice),
        }
    }

    fn price(&self, service: &Service) -> String {
        let price = service.price.as_ref();
        let price = price.map(|price| format!("{}\u{a0}{}", amount(price.cents), price.currency.as_str()));
        price.unwrap_or_default()
    }

    fn done_by(&self, service: &Service) -> String {
        let active = self.staff.iter().filter(|member| member.active);
        let offering: Vec<_> = active.clone().filter(|member| member.offers(service.id)).collect();
        if offering.is_empty() {
            return self.sheet.member.t("services-no-staff");
        }
        if offering.len() > 1 && offering.len() == active.count() {
            return self.sheet.member.t("services-everybody");
        }
        let names: Vec<_> = offering.iter().map(|member| member.name.as_str()).collect();
        named(&self.sheet.member.view, &names, NAMED)
    }
}

fn amount(cents: u32) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// The offered minimum times between booking and start, in minutes.
const NOTICES: [u32; 11] = [0, 60, 120, 240, 720, 1_440, 2_880, 4_320, 10_080, 20_160, 43_200];
/// The offered maximum times between booking and start, in days.
const AHEAD: [u32; 9] = [7, 14, 30, 60, 90, 180, 365, 730, 1_095];
const MINUTES: &str = "30";

#[derive(Template)]
#[template(path = "dashboard/pages/settings/service.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    title: String,
    service: Option<&'a Service>,
    done: Done,
    filled: Filled,
    tag: String,
    versions: Versions,
    facts: Vec<Line>,
    fields: [Field; 9],
    active: bool,
    staff: Vec<StaffMember>,
}

fn values(service: &Service) -> Form {
    let shown = OperatorServiceView::from(service);
    let number = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    let mut fields = vec![
        ("name", shown.service.name),
        ("description", shown.service.description),
        ("duration_minutes", shown.service.duration_minutes.to_string()),
        ("buffer_before_minutes", shown.buffer_before_minutes.to_string()),
        ("buffer_after_minutes", shown.buffer_after_minutes.to_string()),
        ("min_notice_minutes", shown.min_notice_minutes.to_string()),
        ("max_advance_days", number(shown.max_advance_days)),
        ("price_cents", shown.price_cents.map(amount).unwrap_or_default()),
        ("currency", shown.currency.unwrap_or_default()),
    ];
    if shown.active {
        fields.push(("active", "on".into()));
    }
    Form::of(fields)
}

fn new() -> Form {
    Form::of([
        ("duration_minutes", MINUTES),
        ("buffer_before_minutes", "0"),
        ("buffer_after_minutes", "0"),
        ("min_notice_minutes", "0"),
        ("active", "on"),
    ])
}

fn notice(view: &View, minutes: u32) -> String {
    match minutes {
        0 => view.t("service-any-time"),
        minutes => view.with("service-time-before", "time", &how_long(view, minutes)),
    }
}

fn ahead(view: &View, days: u32) -> String {
    view.with("service-time-ahead", "time", &how_many_days(view, days))
}

fn lines(view: &View, form: &Form) -> Vec<Line> {
    let of = |id: &str, say: &dyn Fn(u32) -> String| {
        let text = form.get(id).trim();
        text.parse().map_or_else(|_| text.to_owned(), say)
    };
    let minutes = |minutes: u32| view.count("count-minutes", minutes.into());
    let days = if form.get("max_advance_days").is_empty() {
        view.t("service-any-day")
    } else {
        of("max_advance_days", &|days| ahead(view, days))
    };
    let active = if form.find("active").is_some() { "service-offered" } else { "service-not-offered" };
    vec![
        line(view, "service-name", form.get("name")),
        line(view, "service-description", form.get("description")),
        line(view, "service-takes", &of("duration_minutes", &minutes)),
        line(view, "service-before", &of("buffer_before_minutes", &minutes)),
        line(view, "service-after", &of("buffer_after_minutes", &minutes)),
        line(view, "service-notice", &of("min_notice_minutes", &|minutes| notice(view, minutes))),
        line(view, "service-ahead", &days),
        line(view, "service-price", &format!("{} {}", form.get("price_cents"), form.get("currency"))),
        line(view, "services-status", &view.t(active)),
    ]
}

pub(super) async fn find(member: &Member) -> Result<Service, Refused> {
    member.business.service(member.id("service_id")?).await?.ok_or_else(Refused::not_found)
}

pub(crate) async fn show_new(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    let filled = member.filled(&member.path_to("settings/services/new"), new);
    shown(&member, None, filled, Done::default()).await
}

pub(crate) async fn show(member: Member) -> Answered {
    let service = find(&member).await?;
    // If the form made the service inactive, the page lists the appointments of the service.
    let is_concerned = member.query.get("done") == "saved" && !service.active;
    let concerned = is_concerned.then(|| Concerned::service(service.id));
    let done = Done::said(&member).with_outside(&member, concerned).await?.with_next(&member).await?;
    let path = member.path_to(&format!("settings/services/{}", service.id));
    let filled = member.filled(&path, || values(&service));
    shown(&member, Some(&service), filled, done).await
}

async fn shown(member: &Member, service: Option<&Service>, mut filled: Filled, done: Done) -> Answered {
    let view = &member.view;
    let staff = match service {
        None => Vec::new(),
        Some(service) => {
            let staff = member.staff().await?.into_iter();
            staff.filter(|one| one.service_ids.contains(&service.id)).collect()
        }
    };
    let now = service.map(values);
    let theirs = now.as_ref().map(|now| lines(view, now)).unwrap_or_default();
    let line = |id: &str, label: &str| Field::line(id, view.t(label));
    let notices = numbers(&NOTICES, filled.get("min_notice_minutes"), None, |one| notice(view, one));
    let any_day = Some(view.t("service-any-day"));
    let days = numbers(&AHEAD, filled.get("max_advance_days"), any_day, |days| ahead(view, days));
    let description = Field::area("description", view.t("service-description")).optional();
    let description = description.hint(view.t("service-description-hint"));
    let currency = line("currency", "service-currency").class("short").optional();
    let fields = [
        line("name", "service-name"),
        description,
        line("duration_minutes", "service-takes"),
        line("buffer_before_minutes", "service-before"),
        line("buffer_after_minutes", "service-after"),
        Field::select("min_notice_minutes", view.t("service-notice"), notices),
        Field::select("max_advance_days", view.t("service-ahead"), days),
        line("price_cents", "service-price").class("short").optional(),
        currency.hint(view.t("service-currency-hint")),
    ];
    let shown = Page {
        sheet: member.sheet_below("settings/services"),
        title: service.map_or_else(|| view.t("services-add"), |service| service.name.clone()),
        service,
        done,
        tag: service.map(|service| filled.tag(&OperatorServiceView::from(service))).unwrap_or_default(),
        versions: versions(&filled, lines(view, filled.values()), theirs.clone()),
        facts: theirs,
        fields: fields.map(|field| filled.field(view, field)),
        active: filled.has("active"),
        staff,
        filled,
    };
    page_as(shown.filled.status, &shown)
}

fn body(member: &Member) -> Body<'_> {
    let form = &member.form;
    let currency = form.get("currency").trim().to_uppercase();
    let currency = if currency.is_empty() { Json::Null } else { Json::String(currency) };
    let body = member.body().text("name").text("description").number("duration_minutes");
    let body =
        body.number("buffer_before_minutes").number("buffer_after_minutes").number("min_notice_minutes");
    let body = body.optional_number("max_advance_days").with("price_cents", cents(form.get("price_cents")));
    body.with("currency", currency).ticked("active")
}

/// Converts a price such as `45`, `45.5` or `45,50` to hundredths. Other text stays text, which is refused.
fn cents(text: &str) -> Json {
    let text = text.trim();
    if text.is_empty() {
        return Json::Null;
    }
    let (whole, part) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let read = (!whole.is_empty() && is_number(whole) && is_number(part) && part.len() <= 2)
        .then(|| format!("{whole}{part:0<2}").parse().ok())
        .flatten();
    read.map_or_else(|| Json::String(text.to_owned()), Json::Integer)
}

pub(crate) async fn add(member: Member) -> Answered {
    let done = async {
        let change = body(&member).read::<ServiceBody>()?.change().map_err(Undone::of)?;
        member.change(change).await?;
        Ok(member.path_to("settings/services?done=added"))
    };
    member.answered(done.await, |filled| shown(&member, None, filled, Done::default())).await
}

pub(crate) async fn sent(member: Member) -> Answered {
    let service = find(&member).await?;
    let done = async {
        let patch = body(&member).read::<ServicePatch>()?;
        member.change(patch.change(service.id)).await?;
        Ok(member.path_to(&format!("settings/services/{}?done=saved", service.id)))
    };
    member.answered(done.await, |filled| shown(&member, Some(&service), filled, Done::default())).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_forms_of_a_price_are_accepted() {
        for (text, read) in [
            ("", Json::Null),
            ("45", Json::Integer(4_500)),
            (" 45.5 ", Json::Integer(4_550)),
            ("45,05", Json::Integer(4_505)),
            ("0", Json::Integer(0)),
            ("45.", Json::Integer(4_500)),
        ] {
            assert_eq!(cents(text), read, "{text}");
        }
        for bad in ["45.505", "-1", "1e3", "4 5", ".5", "45 EUR", "٤٥"] {
            assert_eq!(cents(bad), Json::String(bad.into()), "{bad}");
        }
    }
}
