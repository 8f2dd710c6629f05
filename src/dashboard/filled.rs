//! Forms for records. A submitted form is parsed by the same rules as the body of an API request. If the form is
//! refused, the page shows it again.
//!
//! Invariants:
//! - A refused form is shown with the submitted values. Each problem is next to its field; problems without a
//!   field are above the form.
//! - A form never overwrites a newer version of the record: the form field `tag` contains the entity tag of the
//!   version that the form showed.

use axum::http::StatusCode;
use domain::{Access, Actor, Conflict, Denied, Problem, ProblemCode, Refusal, Right};
use engine::EngineError;
use engine::business::{AnswerOf, Change, IfMatch, Request};
use serde::Serialize;
use view::{etag, render};

use super::drafts::{Draft, DraftReason};
use super::form::Form;
use super::input::Member;
use super::parts::{Choice, Field, Versions};
use super::refused::Refused;
use super::route::Answered;
use super::view::{View, see_other};
use crate::http::json::Json;
use crate::http::read::{FromJson, from_json};
use crate::rest::values::phone::PhoneRegion;

const TAG: &str = "tag";

pub(super) fn tag(record: &impl Serialize) -> String {
    etag(&render(record))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FormError {
    Invalid(Vec<Problem>),
    Conflict(Refusal),
    /// The change conflicts with the current state, and the page provides the message.
    Notice(String),
    /// The record has changed since the page with the form was rendered.
    Stale,
}

impl FormError {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Conflict(_) | Self::Notice(_) | Self::Stale => StatusCode::CONFLICT,
        }
    }

    /// The message about this error for a page without the form. `stale` is the id of the message for [`Self::Stale`].
    pub(super) fn message(&self, view: &View, stale: &str) -> String {
        match self {
            Self::Stale => view.t(stale),
            Self::Conflict(refusal) => view.refusal(refusal),
            Self::Notice(notice) => notice.clone(),
            Self::Invalid(problems) => view.refusal(&Refusal::Invalid(problems.clone())),
        }
    }

    /// Converts an error to [`Refused::FormError`] if a form can show it. Other errors are unchanged.
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

    pub(super) fn at(path: impl Into<String>, code: impl Into<ProblemCode>) -> Self {
        Self::Invalid(vec![Problem::new(path, code)])
    }
}

pub(super) struct Body<'a> {
    member: &'a Member,
    properties: Vec<(String, Json)>,
}

impl Body<'_> {
    fn is_empty(&self, name: &str) -> bool {
        self.member.form.get(name).trim().is_empty()
    }

    pub(super) fn text(self, name: &str) -> Self {
        let value = Json::String(self.member.form.get(name).trim().to_owned());
        self.with(name, value)
    }

    /// Adds a field under the name of a property. An empty field adds nothing.
    pub(super) fn given(self, name: &str, field: &str) -> Self {
        let value = self.member.form.get(field).trim().to_owned();
        if value.is_empty() { self } else { self.with(name, Json::String(value)) }
    }

    /// Adds a field as trimmed text. An empty field becomes null.
    pub(super) fn optional(self, name: &str) -> Self {
        if self.is_empty(name) { self.with(name, Json::Null) } else { self.text(name) }
    }

    /// Adds a field as a whole number. If the text of the field is not a whole number, adds the text, and
    /// [`Self::read`] then refuses it.
    pub(super) fn number(self, name: &str) -> Self {
        let text = self.member.form.get(name).trim();
        let value = text.parse().map_or_else(|_| Json::String(text.to_owned()), Json::Integer);
        self.with(name, value)
    }

    /// Adds a field as a whole number, as [`Self::number`] does. An empty field becomes null.
    pub(super) fn optional_number(self, name: &str) -> Self {
        if self.is_empty(name) { self.with(name, Json::Null) } else { self.number(name) }
    }

    pub(super) fn ticked(self, name: &str) -> Self {
        let value = Json::Bool(self.member.form.find(name).is_some());
        self.with(name, value)
    }

    pub(super) fn list(self, name: &str) -> Self {
        let items = self.member.form.all(name).map(|item| Json::String(item.to_owned()));
        let value = Json::Array(items.collect());
        self.with(name, value)
    }

    pub(super) fn with(mut self, name: &str, value: Json) -> Self {
        self.properties.push((name.to_owned(), value));
        self
    }

    /// Reads the body with the rules of the APIs. The error contains all problems.
    pub(super) fn read<T: FromJson>(self) -> Result<T, FormError> {
        let reading = PhoneRegion::reading(&self.member.profile);
        from_json(&Json::Object(self.properties), reading).map_err(FormError::Invalid)
    }
}

impl View {
    pub(super) fn tag_of(&self, record: &impl Serialize) -> String {
        tag(record)
    }
}

impl Member {
    pub(super) fn body(&self) -> Body<'_> {
        Body { member: self, properties: Vec::new() }
    }

    /// The path of the business's page with this name, for example `calls`.
    pub(super) fn path_to(&self, page: &str) -> String {
        format!("/dashboard/b/{}/{page}", self.business.id())
    }

    pub(super) fn may(&self, right: Right) -> bool {
        self.membership.role.access(right) == Access::Change && !self.profile.suspended
    }

    /// Checks that the person may make changes that need this right. A page with a form for such a change must make
    /// this check too.
    ///
    /// # Errors
    /// Returns [`Refusal::NotAllowed`] if the person's role does not permit the changes, and [`Refused::Suspended`] if
    /// the business is suspended.
    pub(super) fn must(&self, right: Right) -> Result<(), Refused> {
        if self.membership.role.access(right) != Access::Change {
            return Err(Refusal::NotAllowed(Denied::ReadOnly).into());
        }
        if self.profile.suspended { Err(Refused::Suspended) } else { Ok(()) }
    }

    /// Like [`Self::must`], but accepts a suspended business if `draft` is a form that was refused because of
    /// the suspension. The page then shows the draft, so that the person can copy the text.
    pub(super) fn must_or_kept(&self, right: Right, draft: Option<&Draft>) -> Result<(), Refused> {
        let is_kept = draft.is_some_and(|draft| draft.why == DraftReason::Suspended);
        match self.must(right) {
            Err(Refused::Suspended) if is_kept => Ok(()),
            may => may,
        }
    }

    pub(super) fn actor(&self) -> Actor {
        Actor::Person(self.signed_in.person.id)
    }

    /// A change request with the condition that the record has the entity tag in the form.
    pub(super) fn request(&self) -> Request {
        Request {
            if_match: self.form.find(TAG).map(|tag| IfMatch::Tags(vec![tag.to_owned()])),
            password_at: Some(self.signed_in.session.password_at),
            ..Request::by(self.actor())
        }
    }

    /// Makes a change on behalf of the person. The error is [`Refused::FormError`] if the form can show the reason.
    pub(super) async fn change<C: Change + 'static>(&self, change: C) -> Result<AnswerOf<C>, Refused> {
        self.business.change(self.request(), change).await.map_err(FormError::of)
    }

    /// The form that the page shows: the draft for `action` or, if there is none, a form with these values.
    pub(super) fn filled(&self, action: &str, values: impl FnOnce() -> Form) -> Filled {
        Filled::kept(&self.view, self.kept_form().as_ref(), action, values)
    }

    /// The status and the message of a page that shows a refused change without its form. `stale` is the id of
    /// the message for a changed record.
    pub(super) fn message_of(&self, undone: Option<&FormError>, stale: &str) -> (StatusCode, String) {
        let refused = |undone: &FormError| (undone.status(), undone.message(&self.view, stale));
        undone.map_or((StatusCode::OK, String::new()), refused)
    }

    pub(super) fn refused(&self, undone: FormError) -> Filled {
        Filled::refused(&self.view, &self.form, undone)
    }

    /// Responds to a form. If the change was made, the response is a redirect. If the change was refused for a reason
    /// that the form can show, the function `again` renders the page with the form and this reason. Any other refusal
    /// is returned unchanged.
    pub(super) async fn answered<F: Future<Output = Answered>>(
        &self,
        done: Result<String, Refused>,
        again: impl FnOnce(Filled) -> F,
    ) -> Answered {
        redirected(done, |undone| again(self.refused(undone))).await
    }
}

/// Responds to a form. If the change was made, the response is a redirect. If the change was refused for a reason that
/// the form can show, the function `again` renders the form with this reason. Any other refusal is returned unchanged.
pub(super) async fn redirected<F: Future<Output = Answered>>(
    done: Result<String, Refused>,
    again: impl FnOnce(FormError) -> F,
) -> Answered {
    match done {
        Ok(path) => Ok(see_other(&path)),
        Err(Refused::FormError(undone)) => again(undone).await,
        Err(refused) => Err(refused),
    }
}

pub(super) struct Filled {
    values: Form,
    problems: Vec<Problem>,
    /// The message above the form. It may be empty.
    pub(super) notice: String,
    /// The style of the message: `bad` or `wait`.
    pub(super) tone: &'static str,
    /// Whether the record has changed since the form was rendered. The page then shows both versions.
    pub(super) stale: bool,
    pub(super) status: StatusCode,
}

impl Default for Filled {
    fn default() -> Self {
        Self::of(Form::default())
    }
}

impl Filled {
    pub(super) fn of(values: Form) -> Self {
        let status = StatusCode::OK;
        Self { values, problems: Vec::new(), notice: String::new(), tone: "wait", stale: false, status }
    }

    /// The submitted form with the reason for its refusal.
    pub(super) fn refused(view: &View, form: &Form, undone: FormError) -> Self {
        let values = form.clone();
        let bad = Self { tone: "bad", status: undone.status(), ..Self::of(values) };
        match undone {
            FormError::Invalid(problems) => Self { problems, notice: view.t("refused-form"), ..bad },
            FormError::Conflict(refusal) => {
                let notice = view.refusal(&refusal);
                let problems = match refusal {
                    Refusal::Conflict { details, .. } => details,
                    _ => Vec::new(),
                };
                Self { problems, notice, ..bad }
            }
            FormError::Notice(notice) => Self { notice, ..bad },
            FormError::Stale => Self { notice: view.t("versions-text"), stale: true, tone: "wait", ..bad },
        }
    }

    /// Returns the draft, if there is one that was submitted to `action`. If there is none, returns a form with these
    /// values.
    pub(super) fn kept(
        view: &View,
        draft: Option<&Draft>,
        action: &str,
        values: impl FnOnce() -> Form,
    ) -> Self {
        let Some(draft) = draft.filter(|draft| draft.action == action) else { return Self::of(values()) };
        Self { notice: view.t(draft.why.message()), ..Self::of(draft.form.clone()) }
    }

    /// If the record was changed after the form was opened (the form is stale), returns the lines that compare the two
    /// versions of the record. Otherwise returns no lines.
    pub(super) fn versions(&self, lines: impl IntoIterator<Item = (String, String, String)>) -> Versions {
        if self.stale { lines.into_iter().collect() } else { Versions::new() }
    }

    pub(super) fn get(&self, id: &str) -> &str {
        self.values.get(id)
    }

    /// Whether the form has a field with this name. Browsers omit unticked checkboxes.
    pub(super) fn has(&self, id: &str) -> bool {
        self.values.find(id).is_some()
    }

    pub(super) fn values(&self) -> &Form {
        &self.values
    }

    pub(super) fn is_ticked(&self, id: &str, value: &str) -> bool {
        self.values.all(id).any(|ticked| ticked == value)
    }

    /// The form's entity tag: the submitted tag, or the current record's tag if the form is new or stale.
    pub(super) fn tag(&self, now: &impl Serialize) -> String {
        match self.values.find(TAG) {
            Some(sent) if !self.stale => sent.to_owned(),
            _ => tag(now),
        }
    }

    /// Removes and returns the problems at a path of the body, so that the page shows each problem once.
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

    pub(super) fn field(&mut self, view: &View, field: Field) -> Field {
        let problem = self.problem(view, &field.id);
        let value = self.get(&field.id).to_owned();
        let options = field.options.into_iter();
        let options =
            options.map(|one| Choice { chosen: self.values.all(&field.id).any(|v| v == one.value), ..one });
        Field { problem, value, options: options.collect(), ..field }
    }

    /// Like [`Self::field`], but takes the value from `saved` if the submitted form has no value for the field.
    pub(super) fn field_or(&mut self, view: &View, field: Field, saved: &Form) -> Field {
        if self.has(&field.id) { self.field(view, field) } else { Self::of(saved.clone()).field(view, field) }
    }

    /// The problems without a field, for the message above the form. The message omits the API's field names.
    pub(super) fn rest(&self, view: &View) -> Vec<String> {
        let mut rest: Vec<String> = Vec::new();
        for problem in &self.problems {
            let message = view.problem(&problem.code);
            // The message above the form may already contain this sentence.
            if message != self.notice && !rest.contains(&message) {
                rest.push(message);
            }
        }
        rest
    }
}
