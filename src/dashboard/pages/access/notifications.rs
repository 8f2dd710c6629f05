//! The page of the person's notification settings in this business. For each kind of alert, the person chooses
//! whether alerts are mailed, whether the dashboard shows them, and whether they are only about the linked staff
//! member. A button sends a test mail.

use domain::{AlertEmail, AlertKind, AlertScope, Conflict, Refusal, Right};
use engine::EngineError;
use engine::business::commands::people::PatchNotifications;
use engine::mail::TestedMail;
use view::NotificationsView;

use crate::admin::people::NotificationsPatch;
use crate::dashboard::pages::prelude::*;
use crate::dashboard::words::attempts;
use crate::words::plain_lines;

const ANSWER_CHARS_MAX: usize = 500;

/// Whether alerts of this kind can belong to a staff member.
fn has_scope(kind: AlertKind) -> bool {
    !matches!(kind, AlertKind::CallMissed | AlertKind::WebhookDisabled | AlertKind::WebhookFailing)
}

/// The form field for a part of an alert kind's settings. The property in the operator API's body has the same path.
fn field(kind: AlertKind, part: &str) -> String {
    format!("{kind}.{part}")
}

#[derive(Template)]
#[template(path = "dashboard/pages/access/notifications.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    done: String,
    tested: Option<Tested>,
    filled: Filled,
    versions: Versions,
    tag: String,
    /// The label of each group, and its rows.
    groups: Vec<(String, Vec<Row>)>,
    /// Whether the scope can be limited to the linked staff member.
    scoped: bool,
}

struct Row {
    kind: AlertKind,
    label: String,
    email: Vec<Choice>,
    in_app: bool,
    /// The choices of the scope; empty if alerts of this kind have no scope.
    scope: Vec<Choice>,
}

struct Tested {
    tone: &'static str,
    text: String,
    answer: String,
}

/// Two groups of alert kinds: those that need an action, and those that are for information.
fn groups(member: &Member) -> impl Iterator<Item = (&'static str, Vec<AlertKind>)> {
    use AlertKind as K;
    let needs = [
        K::UrgentMessage,
        K::AppointmentRequested,
        K::CallMissed,
        K::CalendarFailed,
        K::CalendarEventChanged,
        K::WebhookFailing,
        K::WebhookDisabled,
    ];
    let tells = [K::MessageTaken, K::AppointmentBooked, K::AppointmentRescheduled, K::AppointmentCancelled];
    let role = member.membership.role;
    let shown = |kinds: &[K]| kinds.iter().copied().filter(|kind| kind.is_shown_to(role)).collect::<Vec<_>>();
    [("notify-needs-somebody", shown(&needs)), ("notify-good-to-know", shown(&tells))].into_iter()
}

fn kinds(member: &Member) -> impl Iterator<Item = AlertKind> {
    groups(member).flat_map(|(_, kinds)| kinds)
}

fn set(member: &Member) -> Form {
    let fields = kinds(member).flat_map(|kind| {
        let setting = member.membership.alert(kind);
        let shown = setting.in_app.then(|| (field(kind, "in_app"), "on"));
        let others =
            [(field(kind, "email"), setting.email.as_str()), (field(kind, "scope"), setting.scope.as_str())];
        others.into_iter().chain(shown)
    });
    Form::of(fields)
}

impl<'a> Page<'a> {
    fn new(member: &'a Member, filled: Filled) -> Self {
        let view = &member.view;
        let is_staff = member.membership.staff_id.is_some();
        let choice = |kind: AlertKind, part: &str, value: &str, word: &str| Choice {
            chosen: filled.is_ticked(&field(kind, part), value),
            ..Choice::new(value, view.t(&format!("notify-{word}-{value}")))
        };
        let row = |kind: AlertKind| {
            let mine = filled.is_ticked(&field(kind, "scope"), AlertScope::Mine.as_str());
            let scopes = AlertScope::ALL.iter().filter(|_| has_scope(kind) && is_staff || mine);
            Row {
                kind,
                label: view.t(&format!("notify-{kind}")),
                email: AlertEmail::ALL.iter().map(|it| choice(kind, "email", it.as_str(), "email")).collect(),
                in_app: filled.is_ticked(&field(kind, "in_app"), "on"),
                scope: scopes.map(|it| choice(kind, "scope", it.as_str(), "scope")).collect(),
            }
        };
        let rows = |kinds: Vec<AlertKind>| kinds.into_iter().map(row).collect::<Vec<_>>();
        let all: Vec<(String, Vec<Row>)> =
            groups(member).map(|(label, kinds)| (view.t(label), rows(kinds))).collect();
        Self {
            sheet: member.sheet("settings/notifications"),
            done: member.done(&[("saved", "saved")]),
            tested: None,
            scoped: all.iter().flat_map(|(_, rows)| rows).any(|row| !row.scope.is_empty()),
            groups: all,
            versions: versions(member, &filled),
            tag: filled.tag(&NotificationsView::from(&member.membership)),
            filled,
        }
    }
}

/// The submitted and the current settings, if the settings have changed since the page was rendered.
fn versions(member: &Member, sent: &Filled) -> Versions {
    let (view, saved) = (&member.view, Filled::of(set(member)));
    let settings = |of: &Filled, kind| {
        let word = |part: &str| match of.get(&field(kind, part)) {
            "" => view.t("nothing-there"),
            value => view.t(&format!("notify-{part}-{value}")),
        };
        let here = of.is_ticked(&field(kind, "in_app"), "on");
        let here = view.t(if here { "notify-shown" } else { "notify-not-shown" });
        // The form has no scope if the page did not offer it. In this case the scope is unchanged.
        let scoped = !sent.get(&field(kind, "scope")).is_empty();
        let scope = if scoped { format!(" · {}", word("scope")) } else { String::new() };
        format!("{} · {here}{scope}", word("email"))
    };
    sent.versions(
        kinds(member)
            .map(|kind| (view.t(&format!("notify-{kind}")), settings(sent, kind), settings(&saved, kind))),
    )
}

pub(crate) async fn show(member: Member) -> Answered {
    page(&Page::new(&member, member.filled(member.path(), || set(&member))))
}

pub(crate) async fn sent(member: Member) -> Answered {
    let id = member.signed_in.person.id;
    let done = async {
        let choices = read(&member)?.choices();
        member.change(PatchNotifications { id, choices }).await?;
        Ok(member.path_to("settings/notifications?done=saved"))
    };
    let again = |filled: Filled| ready(page_as(filled.status, &Page::new(&member, filled)));
    member.answered(done.await, again).await
}

/// The settings in the form. Kinds and scopes that the page did not offer stay unchanged.
fn read(member: &Member) -> Result<NotificationsPatch, FormError> {
    let mut body = member.body();
    for kind in kinds(member) {
        let part = |name: &str| {
            let sent = member.form.find(&field(kind, name));
            sent.map(|sent| (name.to_owned(), Json::String(sent.to_owned())))
        };
        let email = part("email").unwrap_or_else(|| ("email".into(), Json::String(String::new())));
        let in_app = ("in_app".to_owned(), Json::Bool(part("in_app").is_some()));
        let setting = [email, in_app].into_iter().chain(part("scope")).collect();
        body = body.with(kind.as_str(), Json::Object(setting));
    }
    body.read()
}

pub(crate) async fn test(member: Member) -> Answered {
    let (engine, id) = (&member.desk.engine, member.business.id());
    let (status, tested) = match engine.test_mail_of(id, &member.signed_in.person).await {
        Ok(Some(tested)) => (StatusCode::OK, Tested::of(&member.view, tested)),
        Ok(None) => (StatusCode::CONFLICT, Tested::not(member.t("notify-no-mail"))),
        Err(EngineError::Refused(refusal @ Refusal::Conflict { .. })) => {
            (StatusCode::CONFLICT, Tested::not(too_many(&member, &refusal)))
        }
        Err(error) => return Err(error.into()),
    };
    let shown = Page { tested: Some(tested), ..Page::new(&member, Filled::of(set(&member))) };
    page_as(status, &shown)
}

fn too_many(member: &Member, refusal: &Refusal) -> String {
    let said = member.refusal(refusal);
    let Refusal::Conflict { conflict: Conflict::TestMailsUsedUp(free), .. } = refusal else { return said };
    format!("{said} {}", member.with("notify-test-next", "when", &member.short_moment(*free)))
}

impl Tested {
    fn of(view: &View, tested: TestedMail) -> Self {
        let took = u64::try_from(tested.took.as_millis()).unwrap_or(u64::MAX);
        let (tone, id, said) = match tested.result {
            Ok(said) => ("good", "notify-test-taken", said),
            Err(failure) => ("bad", "notify-test-refused", attempts::mail_error(view.words, failure.error())),
        };
        Self { tone, text: view.count(id, took), answer: plain_lines(&said, ANSWER_CHARS_MAX) }
    }

    fn not(text: String) -> Self {
        Self { tone: "bad", text, answer: String::new() }
    }
}
