//! Forms that say what a record is to be: reading what was sent as the APIs read their bodies, and showing it again when
//! it was refused.
//!
//! What always holds: a form that is refused comes back as it was sent, each problem beside its field in the words of the
//! APIs, and what belongs to no field above them; what was changed meanwhile by somebody else is never overwritten: a form
//! says with its `tag` which version it was filled in from.

use axum::http::StatusCode;
use domain::{Access, Actor, Conflict, Denied, Problem, ProblemCode, Refusal, Right};
use engine::EngineError;
use engine::business::{AnswerOf, Change, IfMatch, Request};
use serde::Serialize;
use view::{etag, render};

use super::asked::Member;
use super::drafts::{Draft, Why};
use super::form::Form;
use super::parts::{Choice, Choices, Field};
use super::refused::Refused;
use super::route::Answered;
use super::view::{View, see_other};
use crate::http::json::Json;
use crate::http::read::{FromJson, from_json};
use crate::rest::values::phone::PhoneRegion;

/// The field that holds the tag of the version that a form was filled in from.
const TAG: &str = "tag";

/// The tag of a record as a page shows it, for its form.
pub(super) fn tag(record: &impl Serialize) -> String {
    etag(&render(record))
}

/// Why what a form asks for was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Undone {
    /// What was sent is wrong there.
    Invalid(Vec<Problem>),
    /// It does not fit what is there.
    Conflict(Refusal),
    /// It does not fit what is there, and the page says why itself.
    Told(String),
    /// Somebody else has changed the record since the form was filled in.
    Stale,
}

impl Undone {
    /// The status of the page that shows the form again.
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Conflict(_) | Self::Told(_) | Self::Stale => StatusCode::CONFLICT,
        }
    }

    /// What is told of it on a page that does not show the form filled in; `stale` where the record has changed meanwhile.
    pub(super) fn told(&self, view: &View, stale: String) -> String {
        match self {
            Self::Stale => stale,
            Self::Conflict(refusal) => view.refusal(refusal),
            Self::Told(notice) => notice.clone(),
            Self::Invalid(problems) => view.refusal(&Refusal::Invalid(problems.clone())),
        }
    }

    /// Why a change was refused, where the form that asked for it can show that; every other error stays as it is.
    pub(super) fn of(error: impl Into<EngineError>) -> Refused {
        let undone = match error.into() {
            EngineError::Refused(Refusal::Invalid(problems)) => Self::Invalid(problems),
            EngineError::Refused(Refusal::Conflict {
                conflict: Conflict::Changed | Conflict::NoSpecialDay,
                ..
            }) => Self::Stale,
            EngineError::Refused(
                refusal @ (Refusal::Conflict { .. } | Refusal::SlotUnavailable(_) | Refusal::BookingDisabled),
            ) => Self::Conflict(refusal),
            error => return error.into(),
        };
        undone.into()
    }

    /// One problem of the form.
    pub(super) fn at(path: impl Into<String>, code: impl Into<ProblemCode>) -> Self {
        Self::Invalid(vec![Problem::new(path, code)])
    }
}

/// What a form says, as the body that an API takes.
pub(super) struct Body<'a> {
    form: &'a Form,
    member: &'a Member,
    properties: Vec<(String, Json)>,
}

impl Body<'_> {
    /// A field as it is, without the spaces around it.
    pub(super) fn text(self, name: &str) -> Self {
        let value = Json::String(self.form.get(name).trim().to_owned());
        self.with(name, value)
    }

    /// A text of several lines; browsers end each with CR LF.
    pub(super) fn lines(self, name: &str) -> Self {
        let value = Json::String(self.form.get(name).replace("\r\n", "\n").trim().to_owned());
        self.with(name, value)
    }

    /// A field that may be empty: then it is null. It may have several lines, too.
    pub(super) fn optional(self, name: &str) -> Self {
        let text = self.form.get(name).replace("\r\n", "\n").trim().to_owned();
        let value = if text.is_empty() { Json::Null } else { Json::String(text) };
        self.with(name, value)
    }

    /// A whole number; what is none is left as the text that it is, which its reader refuses.
    pub(super) fn number(self, name: &str) -> Self {
        let text = self.form.get(name).trim();
        let value = text.parse().map_or_else(|_| Json::String(text.to_owned()), Json::Integer);
        self.with(name, value)
    }

    /// Whether a box is ticked.
    pub(super) fn ticked(self, name: &str) -> Self {
        let value = Json::Bool(self.form.find(name).is_some());
        self.with(name, value)
    }

    /// All fields of this name.
    pub(super) fn list(self, name: &str) -> Self {
        let items = self.form.all(name).map(|item| Json::String(item.to_owned()));
        let value = Json::Array(items.collect());
        self.with(name, value)
    }

    /// A property of this value.
    pub(super) fn with(mut self, name: &str, value: Json) -> Self {
        self.properties.push((name.to_owned(), value));
        self
    }

    /// Reads it as an API reads its body.
    ///
    /// # Errors
    /// [`Undone::Invalid`] with everything that is wrong.
    pub(super) fn read<T: FromJson>(self) -> Result<T, Undone> {
        let reading = PhoneRegion::reading(&self.member.profile);
        from_json(&Json::Object(self.properties), reading).map_err(|invalid| Undone::Invalid(invalid.0))
    }
}

impl Member {
    /// The form that was sent, as a body that is still empty.
    pub(super) fn body(&self) -> Body<'_> {
        Body { form: &self.form, member: self, properties: Vec::new() }
    }

    /// The path of a page of the business: `calls`, say.
    pub(super) fn path_to(&self, page: &str) -> String {
        format!("/dashboard/b/{}/{page}", self.business.id())
    }

    /// Whether the person may change what this right is about.
    pub(super) fn may(&self, right: Right) -> bool {
        self.membership.role.access(right) == Access::Change && !self.profile.suspended
    }

    /// Makes sure of that: for what changes it, and for pages that would offer to.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn must(&self, right: Right) -> Result<(), Refused> {
        if self.membership.role.access(right) != Access::Change {
            return Err(Refusal::NotAllowed(Denied::ReadOnly).into());
        }
        if self.profile.suspended { Err(Refused::Suspended) } else { Ok(()) }
    }

    /// The same for a page with a form, which is shown once more to whoever sent it to a business that was suspended
    /// meanwhile: what they typed is not lost.
    ///
    /// # Errors
    /// Why not.
    pub(super) fn must_or_kept(&self, right: Right, draft: Option<&Draft>) -> Result<(), Refused> {
        let is_kept = draft.is_some_and(|draft| draft.why == Why::Suspended);
        match self.must(right) {
            Err(Refused::Suspended) if is_kept => Ok(()),
            may => may,
        }
    }

    /// The person, as who does something.
    pub(super) fn actor(&self) -> Actor {
        Actor::Person(self.signed_in.person.id)
    }

    /// A request of the person's for a change, on the condition that the form's tag names the version that there is.
    pub(super) fn request(&self) -> Request {
        self.request_on(self.form.find(TAG))
    }

    fn request_on(&self, tag: Option<&str>) -> Request {
        Request {
            if_match: tag.map(|tag| IfMatch::Tags(vec![tag.to_owned()])),
            password_at: Some(self.signed_in.session.password_at),
            ..Request::by(self.actor())
        }
    }

    /// Has a change made in the person's name.
    ///
    /// # Errors
    /// Why not: [`Refused::Undone`] where the form can show it.
    pub(super) async fn change<C: Change + 'static>(&self, change: C) -> Result<AnswerOf<C>, Refused> {
        self.business.change(self.request(), change).await.map_err(Undone::of)
    }

    /// The same where the version has this tag, whichever the form had.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub(super) async fn change_on<C: Change + 'static>(
        &self,
        tag: &str,
        change: C,
    ) -> Result<AnswerOf<C>, Refused> {
        self.business.change(self.request_on(Some(tag)), change).await.map_err(Undone::of)
    }

    /// The form of the page: the one that was kept for what is sent to `action`, else one with these values.
    pub(super) fn filled(&self, action: &str, values: impl FnOnce() -> Form) -> Filled {
        Filled::kept(&self.view(), self.kept_form().as_ref(), action, values)
    }

    /// The form that was sent, and refused for this.
    pub(super) fn refused(&self, undone: Undone) -> Filled {
        Filled::refused(&self.view(), &self.form, undone)
    }

    /// The answer to a form: it leads to the page that follows where it was done. Where it was not, `again` shows the
    /// form as it was sent.
    pub(super) async fn answered<F: Future<Output = Answered>>(
        &self,
        done: Result<String, Refused>,
        again: impl FnOnce(Filled) -> F,
    ) -> Answered {
        match done {
            Ok(path) => Ok(see_other(&path)),
            Err(Refused::Undone(undone)) => again(self.refused(undone)).await,
            Err(refused) => Err(refused),
        }
    }
}

/// A form as a page shows it: what stands in its fields, and what is wrong with that.
pub(super) struct Filled {
    values: Form,
    problems: Vec<Problem>,
    /// What is told above the form; empty for nothing.
    pub(super) notice: String,
    /// The notice's tone: `bad`, or `wait`.
    pub(super) tone: &'static str,
    /// Whether somebody else has changed the record meanwhile: both versions are shown.
    pub(super) stale: bool,
    /// The status of the page that shows the form.
    pub(super) status: StatusCode,
}

impl Filled {
    /// A form with these values.
    pub(super) fn of(values: Form) -> Self {
        let status = StatusCode::OK;
        Self { values, problems: Vec::new(), notice: String::new(), tone: "wait", stale: false, status }
    }

    /// The form that was sent, and refused for this. A form that is stale is shown with the tag of what there is now.
    pub(super) fn refused(view: &View, form: &Form, undone: Undone) -> Self {
        let values = form.clone();
        let bad = Self { tone: "bad", status: undone.status(), ..Self::of(values) };
        match undone {
            Undone::Invalid(problems) => Self { problems, notice: view.t("refused-form"), ..bad },
            Undone::Conflict(refusal) => {
                let notice = view.refusal(&refusal);
                let problems = match refusal {
                    Refusal::Conflict { details, .. } => details,
                    _ => Vec::new(),
                };
                Self { problems, notice, ..bad }
            }
            Undone::Told(notice) => Self { notice, ..bad },
            Undone::Stale => Self { notice: view.t("versions-text"), stale: true, tone: "wait", ..bad },
        }
    }

    /// The form that was kept for this page, if there is one, else one with these values. Only what was sent to `action`
    /// is this form; an empty one is whatever the page has.
    pub(super) fn kept(
        view: &View,
        draft: Option<&Draft>,
        action: &str,
        values: impl FnOnce() -> Form,
    ) -> Self {
        let Some(draft) = draft.filter(|draft| draft.action == action) else { return Self::of(values()) };
        let notice = view.t(match draft.why {
            Why::SignedOut => "kept-signed-out",
            Why::Stale => "kept-stale",
            Why::Suspended => "kept-suspended",
            Why::Beside => "kept-beside",
        });
        Self { notice, ..Self::of(draft.form.clone()) }
    }

    /// What stands in a field.
    pub(super) fn get(&self, id: &str) -> &str {
        self.values.get(id)
    }

    /// Whether there is a field of this name: a box that is not ticked is none.
    pub(super) fn has(&self, id: &str) -> bool {
        self.values.find(id).is_some()
    }

    /// All that stands in it.
    pub(super) fn values(&self) -> &Form {
        &self.values
    }

    /// Whether a box of this name and value is ticked.
    pub(super) fn is_ticked(&self, id: &str, value: &str) -> bool {
        self.values.all(id).any(|ticked| ticked == value)
    }

    /// The tag of the version that the form is about: what was sent, or this one where it is shown for the first time or
    /// both versions are.
    pub(super) fn tag(&self, now: &impl Serialize) -> String {
        match self.values.find(TAG) {
            Some(sent) if !self.stale => sent.to_owned(),
            _ => tag(now),
        }
    }

    /// What is wrong at a path of the body; it is told here and nowhere else.
    pub(super) fn problem(&mut self, view: &View, path: &str) -> String {
        let is_of = |problem: &Problem| {
            problem
                .path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let here: Vec<_> = self.problems.extract_if(.., |problem| is_of(problem)).collect();
        here.iter().map(|problem| view.problem(&problem.code)).collect::<Vec<_>>().join(" ")
    }

    /// A field with what stands in it and what is wrong with that.
    pub(super) fn field(&mut self, view: &View, field: Field) -> Field {
        let problem = self.problem(view, &field.id);
        let value = self.get(&field.id).to_owned();
        let options = field.options.into_iter();
        let options =
            options.map(|one| Choice { chosen: self.values.all(&field.id).any(|v| v == one.value), ..one });
        Field { problem, value, options: options.collect(), ..field }
    }

    /// Choices with those that are chosen and what is wrong with that.
    pub(super) fn choices(&mut self, view: &View, choices: Choices) -> Choices {
        let problem = self.problem(view, &choices.id);
        let all = choices.all.into_iter();
        let all = all.map(|one| Choice { chosen: self.is_ticked(&choices.id, &one.value), ..one });
        Choices { problem, all: all.collect(), ..choices }
    }

    /// What is wrong and stands beside no field, for above the form: in words alone, for what programs call a field
    /// is nothing to people.
    pub(super) fn rest(&self, view: &View) -> Vec<String> {
        let mut rest: Vec<String> = Vec::new();
        for problem in &self.problems {
            let told = view.problem(&problem.code);
            // A notice may say the same already.
            if told != self.notice && !rest.contains(&told) {
                rest.push(told);
            }
        }
        rest
    }
}
