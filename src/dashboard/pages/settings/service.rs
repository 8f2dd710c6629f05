//! The list of the services, and the page of a service with its description, its duration, and the rules for
//! booking it.

use domain::availability::Concerned;
use domain::{Currency, Price, ProblemCode, Right, Service, ServiceId, StaffId, StaffMember};
use engine::business::Request;
use engine::business::commands::catalog::SetServiceStaff;
use view::OperatorServiceView;

use super::parts::{
    Done, color, colors, how_long, how_many_days, line, named, numbers, only_for_changing, versions,
};
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
    /// The services by category. The first category may have no name.
    categories: Vec<(String, Vec<Service>)>,
    staff: Vec<StaffMember>,
    pages: Pages,
}

/// The services by category, in the order of the first service of each category. Services without a category come
/// first.
fn by_category(services: Vec<Service>) -> Vec<(String, Vec<Service>)> {
    let mut categories: Vec<(String, Vec<Service>)> = Vec::new();
    for service in services {
        let name = service.category.clone().unwrap_or_default();
        match categories.iter_mut().find(|(known, _)| *known == name) {
            Some((_, of_category)) => of_category.push(service),
            None if name.is_empty() => categories.insert(0, (name, vec![service])),
            None => categories.push((name, vec![service])),
        }
    }
    categories
}

pub(crate) async fn list(member: Member) -> Answered {
    let part = member.part("dashboard services", SHOWN, &[]);
    let ordered = by_category(member.services().await?).into_iter().flat_map(|(_, services)| services);
    let (shown, next) = part.of(ordered.collect(), |service| service.id);
    page(&List {
        sheet: member.sheet("settings/services"),
        done: Done::said(&member).with_next(&member).await?,
        categories: by_category(shown),
        staff: member.staff().await?,
        pages: part.pages(next.as_deref()),
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
        price.map(|price| self.sheet.member.words.price(price)).unwrap_or_default()
    }

    /// The active staff members who offer the service.
    fn offering(&self, service: &Service) -> impl Iterator<Item = &StaffMember> {
        let id = service.id;
        self.staff.iter().filter(move |member| member.active && member.offers(id))
    }

    fn done_by(&self, service: &Service) -> String {
        let active = self.staff.iter().filter(|member| member.active);
        let offering: Vec<_> = self.offering(service).collect();
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

fn amount(view: &View, cents: u32) -> String {
    format!("{}{}{:02}", cents / 100, view.t("decimal-point"), cents % 100)
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
    fields: [Field; 12],
    active: bool,
    /// The field that selects the staff members who offer the service.
    staff: Field,
    /// The staff members who offer the service. The page lists them if the role of the signed-in member does not
    /// allow changes to the service.
    offering: Vec<StaffMember>,
    /// Whether the service is active, but no active staff member offers it.
    is_unbookable: bool,
}

/// The name of the field with the staff members who offer the service.
const STAFF: &str = "staff_ids";

fn values(view: &View, service: &Service, staff: &[StaffMember]) -> Form {
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
        ("price_cents", shown.price_cents.map(|cents| amount(view, cents)).unwrap_or_default()),
        ("currency", shown.currency.unwrap_or_default()),
        ("category", service.category.clone().unwrap_or_default()),
        ("position", service.position.to_string()),
        ("color", number(service.color)),
    ];
    if shown.active {
        fields.push(("active", "on".into()));
    }
    let offering = staff.iter().filter(|one| one.service_ids.contains(&service.id));
    fields.extend(offering.map(|one| (STAFF, one.id.to_string())));
    Form::of(fields)
}

/// The initial values of the form for a new service. Every active staff member is selected, and the currency is that of
/// the newest service with a price.
fn new(staff: &[StaffMember], services: &[Service]) -> Form {
    let mut fields: Vec<(&str, String)> = vec![
        ("duration_minutes", MINUTES.into()),
        ("buffer_before_minutes", "0".into()),
        ("buffer_after_minutes", "0".into()),
        ("min_notice_minutes", "0".into()),
        ("position", "0".into()),
        ("active", "on".into()),
    ];
    let priced = services.iter().filter_map(|service| Some((service.created_at, service.price.as_ref()?)));
    let newest = priced.max_by_key(|(created_at, _)| *created_at);
    fields.extend(newest.map(|(_, price)| ("currency", price.currency.as_str().to_owned())));
    fields.extend(staff.iter().filter(|one| one.active).map(|one| (STAFF, one.id.to_string())));
    Form::of(fields)
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

fn lines(view: &View, form: &Form, staff: &[StaffMember]) -> Vec<Line> {
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
    let ticked = |one: &&StaffMember| form.all(STAFF).any(|id| id == one.id.to_string());
    let is_bookable = staff.iter().filter(ticked).any(|one| one.active);
    let status = match (form.find("active").is_some(), is_bookable) {
        (false, _) => "service-not-offered",
        (true, false) => "services-not-bookable",
        (true, true) => "service-offered",
    };
    let names = staff.iter().filter(ticked).map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ");
    vec![
        line(view, "service-name", form.get("name")),
        line(view, "service-description", form.get("description")),
        line(view, "service-takes", &of("duration_minutes", &minutes)),
        line(view, "service-before", &of("buffer_before_minutes", &minutes)),
        line(view, "service-after", &of("buffer_after_minutes", &minutes)),
        line(view, "service-notice", &of("min_notice_minutes", &|minutes| notice(view, minutes))),
        line(view, "service-ahead", &days),
        line(view, "service-price", &price(view, form)),
        line(view, "service-category", form.get("category")),
        line(view, "position", form.get("position")),
        line(view, "color", &color(view, form.get("color"))),
        line(view, "services-status", &view.t(status)),
        line(view, "service-done-by", &names),
    ]
}

/// Formats the price in a form. If the price is invalid, returns the text that the person entered.
fn price(view: &View, form: &Form) -> String {
    let (typed, currency) = (form.get("price_cents"), form.get("currency").trim().to_uppercase());
    match (cents(typed), Currency::parse(&currency)) {
        (Json::Integer(cents), Some(currency)) => {
            let cents = u32::try_from(cents).unwrap_or(u32::MAX);
            view.words.price(&Price { cents, currency })
        }
        _ => format!("{typed} {currency}"),
    }
}

pub(super) async fn find(member: &Member) -> Result<Service, Refused> {
    member.business.service(member.id("service_id")?).await?.ok_or_else(Refused::not_found)
}

pub(crate) async fn show_new(member: Member) -> Answered {
    only_for_changing(&member, Right::Settings)?;
    let (staff, services) = (member.staff().await?, member.services().await?);
    let filled = member.filled(&member.path_to("settings/services/new"), || new(&staff, &services));
    shown(&member, None, filled, Done::default()).await
}

pub(crate) async fn show(member: Member) -> Answered {
    let service = find(&member).await?;
    // If the form made the service inactive, or changed the staff members who offer it, the page lists the appointments
    // with this service.
    let is_concerned = match member.query.get("done") {
        "saved" => !service.active,
        done => done == "offered",
    };
    let concerned = is_concerned.then(|| Concerned::service(service.id));
    let done = Done::said(&member).with_outside(&member, concerned).await?.with_next(&member).await?;
    let path = member.path_to(&format!("settings/services/{}", service.id));
    let staff = member.staff().await?;
    let filled = member.filled(&path, || values(&member.view, &service, &staff));
    shown(&member, Some(&service), filled, done).await
}

async fn shown(member: &Member, service: Option<&Service>, mut filled: Filled, done: Done) -> Answered {
    let view = &member.view;
    let staff = member.staff().await?;
    let now = service.map(|service| values(view, service, &staff));
    let theirs = now.as_ref().map(|now| lines(view, now, &staff)).unwrap_or_default();
    let choices = staff.iter().filter(|one| one.active || filled.is_ticked(STAFF, &one.id.to_string()));
    let choices = choices.map(|one| Choice::new(one.id.to_string(), &*one.name)).collect::<Vec<_>>();
    let offering = staff.iter().filter(|one| service.is_some_and(|it| one.service_ids.contains(&it.id)));
    let offering: Vec<_> = offering.cloned().collect();
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
        line("category", "service-category").optional().hint(view.t("service-category-hint")),
        line("position", "position").class("short").hint(view.t("position-hint")),
        colors(view),
    ];
    let shown = Page {
        sheet: member.sheet_below("settings/services"),
        title: service.map_or_else(|| view.t("services-add"), |service| service.name.clone()),
        service,
        done,
        tag: service.map(|service| filled.tag(&OperatorServiceView::from(service))).unwrap_or_default(),
        versions: versions(&filled, lines(view, filled.values(), &staff), theirs.clone()),
        facts: theirs,
        fields: fields.map(|field| filled.field(view, field)),
        active: filled.has("active"),
        staff: filled.field(view, Field::choices(STAFF, "checkbox", view.t("service-done-by"), choices)),
        is_unbookable: service.is_some_and(|it| it.active) && !offering.iter().any(|one| one.active),
        offering,
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
    let body = body.with("currency", currency).ticked("active");
    body.optional("category").number("position").optional_number("color")
}

/// The staff members in the form. The error contains the index of each value that is not an id.
fn offered_by(member: &Member) -> Result<Vec<StaffId>, FormError> {
    let ids = member.form.all(STAFF).map(str::parse::<StaffId>);
    ids.collect::<Result<_, _>>().map_err(|_| FormError::at(STAFF, ProblemCode::NotAUuid))
}

/// Sets the staff members who offer the service. Returns false if exactly these staff members offer it already.
async fn set_staff(member: &Member, id: ServiceId, staff_ids: Vec<StaffId>) -> Result<bool, Refused> {
    let mut now = member.staff().await?;
    now.retain(|one| one.service_ids.contains(&id));
    let is_same = now.len() == staff_ids.len() && now.iter().all(|one| staff_ids.contains(&one.id));
    if !is_same {
        // The entity tag of the form covers only the service and not its staff members, so it is not used as
        // a condition of this change.
        let request = Request { if_match: None, ..member.request() };
        let change = SetServiceStaff { id, staff_ids };
        member.business.change(request, change).await.map_err(FormError::of)?;
    }
    Ok(!is_same)
}

/// Converts a price such as `45`, `45.5` or `45,50` to hundredths. Other text is returned unchanged, so that
/// it is refused later.
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
        let staff_ids = offered_by(&member)?;
        let change = body(&member).read::<ServiceBody>()?.change().map_err(FormError::of)?;
        let id = member.change(change).await?.value.service.id;
        // The service exists now, so a refusal leads to its page instead of showing the form again.
        Ok(match set_staff(&member, id, staff_ids).await {
            Err(Refused::FormError(_)) => member.path_to(&format!("settings/services/{id}?done=added")),
            offered => {
                offered?;
                member.path_to("settings/services?done=added")
            }
        })
    };
    member.answered(done.await, |filled| shown(&member, None, filled, Done::default())).await
}

pub(crate) async fn sent(member: Member) -> Answered {
    let service = find(&member).await?;
    let done = async {
        let staff_ids = offered_by(&member)?;
        let patch = body(&member).read::<ServicePatch>()?;
        member.change(patch.change(service.id)).await?;
        let done = if set_staff(&member, service.id, staff_ids).await? { "offered" } else { "saved" };
        Ok(member.path_to(&format!("settings/services/{}?done={done}", service.id)))
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
