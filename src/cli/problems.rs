//! Refusals of the service, printed with the names of the flags that caused them.
//!
//! Invariants: a problem is printed once. A problem that no flag of the command caused is printed with the
//! name that the service returns.

use super::record::{ApiError, Detail, one_line};
use super::request::Call;
use super::shown;
use super::table::singular;
use super::typed::near::question;
use super::typed::zone;

/// The long flags of a command, without dashes.
#[derive(Clone, Debug, Default)]
pub struct Flags(Vec<String>);

impl Flags {
    /// The flags of the subcommand that `matches` selects in `command`.
    pub fn of(command: &clap::Command, matches: &clap::ArgMatches) -> Self {
        match matches.subcommand().and_then(|(name, inner)| Some((command.find_subcommand(name)?, inner))) {
            Some((command, matches)) => Self::of(command, matches),
            None => {
                let names = command.get_arguments().filter_map(clap::Arg::get_long);
                Self(names.map(str::to_owned).collect())
            }
        }
    }

    /// The flag that sets the property of this name, if there is such a flag.
    pub(super) fn flag(&self, property: &str) -> Option<String> {
        let name = property.replace(['.', '_'], "-");
        let last = property.rsplit('.').next().unwrap_or_default().replace('_', "-");
        let forms = [&name, &last].into_iter().flat_map(|name| {
            let shorter = name.strip_suffix("-ids").or_else(|| name.strip_suffix("-id"));
            [Some(name.as_str()), shorter, Some(singular(name))]
        });
        let others = [format!("clear-{name}"), format!("{name}-file")];
        let mut forms = forms.flatten().chain(others.iter().map(String::as_str));
        let known = forms.find(|form| self.0.iter().any(|flag| flag == form))?;
        // `--contact` takes an id, but the object `contact` has the flags `--contact-name` and so on.
        let of_object = known == property && self.0.iter().any(|flag| flag.starts_with(&format!("{known}-")));
        Some(format!("--{known}{}", if of_object { "-…" } else { "" }))
    }
}

/// The refusal as one line, followed by a line for each detail. A single detail of an invalid request is
/// shown on the first line.
pub(super) fn error_text(refused: &ApiError, call: &Call, flags: &Flags) -> String {
    let lines: Vec<String> = refused.details.iter().map(|detail| line(detail, call, flags)).collect();
    let code = one_line(&refused.code);
    match &lines[..] {
        // If an invalid request has one detail, the message only repeats the detail, so the message is omitted.
        [one] if refused.code == "invalid_request" => format!("{code}: {one}"),
        [_, ..] if refused.code == "invalid_request" => {
            format!("{code}: {} problems\n  {}", lines.len(), lines.join("\n  "))
        }
        _ => {
            let message = one_line(&refused.message);
            std::iter::once(format!("{code}: {message}")).chain(lines).collect::<Vec<_>>().join("\n  ")
        }
    }
}

/// The line for a problem of the request. It begins with the flag that caused the problem. If the flag has several
/// values, the wrong value follows the flag.
fn line(detail: &Detail, call: &Call, flags: &Flags) -> String {
    let message = one_line(&detail.message);
    let (property, inner) = detail.path.split_once('[').unwrap_or((&detail.path, ""));
    match flags.flag(property) {
        Some(flag) => match one_of_several(property, inner, call) {
            Some((value, field)) => format!("{flag} {value}: {field}{message}"),
            None => format!("{flag}: {message}"),
        },
        None if detail.path.is_empty() => message,
        None => format!("{}: {message}", one_line(&detail.path)),
    }
}

/// Returns the list item that a problem is about, and the name of its field. `inner` is the path after the first `[`,
/// for example `0].open` of `hours[0].open`. Returns `None` if the property is not a list.
fn one_of_several(property: &str, inner: &str, call: &Call) -> Option<(String, String)> {
    let (index, field) = inner.split_once(']')?;
    let value = call.body.as_ref()?.get(property)?.get(index.parse::<usize>().ok()?)?;
    let value = value.as_str().map_or_else(|| shown::window(value), str::to_owned);
    let field = field.strip_prefix('.').map_or_else(String::new, |field| format!("{} ", one_line(field)));
    Some((one_line(&value), field))
}

/// The property with which a booking may overlap the buffers of other appointments.
const IGNORE_BUFFERS: &str = "ignore_buffers";

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Hint {
    Said(String),
    /// The hint that names the business's phone region. Phone numbers without a country code are read with this region.
    PhoneRegion,
}

/// The hints for the problems of a request, without duplicates.
pub(super) fn hints(refused: &ApiError, call: &Call, flags: &Flags) -> Vec<Hint> {
    let invalid = refused.code == "invalid_request";
    let mut hints: Vec<Hint> = Vec::new();
    if refused.code == "slot_unavailable" {
        let has_buffers = call.body.as_ref().is_none_or(|body| body.get(IGNORE_BUFFERS).is_none());
        if let Some(flag) = flags.flag(IGNORE_BUFFERS).filter(|_| has_buffers) {
            hints.push(Hint::Said(format!(
                "{flag} also books times within the buffers of other appointments"
            )));
        }
        hints.push(Hint::Said("`receptionist availability` lists the open times".into()));
    }
    for hint in refused.details.iter().filter(|_| invalid).filter_map(|detail| hint(detail, call)) {
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    hints
}

fn hint(detail: &Detail, call: &Call) -> Option<Hint> {
    let typed = value(detail, call)?;
    match detail.path.rsplit('.').next()? {
        "timezone" => question(&zone::proposals(typed)).map(Hint::Said),
        "phone" | "caller_phone" | "from_number" | "to_number" if !typed.trim_start().starts_with('+') => {
            Some(Hint::PhoneRegion)
        }
        _ => None,
    }
}

/// The value that a refused flag had in the body or the query, if it is a text.
fn value<'a>(detail: &Detail, call: &'a Call) -> Option<&'a str> {
    let in_query = call.query.iter().find(|(name, _)| *name == detail.path);
    let pointer = format!("/{}", detail.path.replace('.', "/"));
    let in_body = || call.body.as_ref()?.pointer(&pointer)?.as_str();
    in_query.map(|(_, value)| value.as_str()).or_else(in_body)
}

#[cfg(test)]
mod tests {
    use hyper::Method;
    use serde_json::{Value, json};

    use super::*;

    fn check(details: &Value, expected: &str) {
        let error =
            json!({"code": "invalid_request", "message": "the request is invalid", "details": details});
        let refused: ApiError = serde_json::from_value(error).unwrap();
        assert_eq!(error_text(&refused, &call(), &flags()), expected);
    }

    fn call() -> Call {
        Call {
            method: Method::POST,
            path: "/p".into(),
            query: vec![("phone".into(), "12".into())],
            body: Some(json!({
                "hours": [{"day": "monday", "open": "9", "close": "18:00"}], "service_ids": ["x"],
                "timezone": "Paris", "contact": {"phone": "12", "timezone": "Mars"},
            })),
        }
    }

    fn flags() -> Flags {
        let names = [
            "phone",
            "hours",
            "service",
            "contact",
            "contact-phone",
            "timezone",
            "rows-max",
            "event",
            "ignore-buffers",
            "own-address",
        ];
        Flags(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn a_problem_is_printed_once_with_its_flag() {
        check(&json!([{"path": "phone", "message": "must be"}]), "invalid_request: --phone: must be");
        check(&json!([{"path": "own_addresses", "message": "no"}]), "invalid_request: --own-address: no");
        check(
            &json!([
                {"path": "hours[0].open", "message": "must be a time"}, {"path": "service_ids[0]", "message": "no"},
                {"path": "service_id", "message": "no"}, {"path": "contact_id", "message": "no"},
                {"path": "contact.phone", "message": "no"}, {"path": "contacts.rows_max", "message": "no"},
                {"path": "events", "message": "no"}, {"path": "hours[7]", "message": "too many"},
                {"path": "status", "message": "none of ours"}, {"path": "", "message": "all of it"},
            ]),
            "invalid_request: 10 problems\n  \
             --hours monday=9-18:00: open must be a time\n  --service x: no\n  --service: no\n  --contact: no\n  \
             --contact-phone: no\n  --rows-max: no\n  --event: no\n  --hours: too many\n  \
             status: none of ours\n  all of it",
        );
    }

    #[test]
    fn another_refusal_keeps_its_message() {
        let refused = |text: &str| serde_json::from_str::<ApiError>(text).unwrap();
        let taken =
            r#"{"code":"conflict","message":"it is taken","details":[{"path":"phone","message":"of 7"}]}"#;
        assert_eq!(error_text(&refused(taken), &call(), &flags()), "conflict: it is taken\n  --phone: of 7");
        let bare = r#"{"code":"not_found","message":"there is no\u001b such"}"#;
        assert_eq!(error_text(&refused(bare), &call(), &flags()), "not_found: there is no\\u{1b} such");
    }

    #[test]
    fn hints_are_given() {
        let detail = |path: &str| Detail { path: path.into(), message: "no".into() };
        for path in ["phone", "contact.phone"] {
            assert_eq!(hint(&detail(path), &call()), Some(Hint::PhoneRegion));
        }
        let paris = Some(Hint::Said("did you mean Europe/Paris?".into()));
        assert_eq!(hint(&detail("timezone"), &call()), paris);
        let refused = |text: &str| serde_json::from_str::<ApiError>(text).unwrap();
        let taken = r#"{"code":"conflict","message":"taken","details":[{"path":"phone","message":"no"}]}"#;
        assert_eq!(hints(&refused(taken), &call(), &flags()), []);
        let late = r#"{"code":"slot_unavailable","message":"the time is taken"}"#;
        let list = Hint::Said("`receptionist availability` lists the open times".into());
        let near =
            Hint::Said("--ignore-buffers also books times within the buffers of other appointments".into());
        assert_eq!(hints(&refused(late), &call(), &flags()), [near, list]);
        assert_eq!(hints(&refused(late), &call(), &Flags::default()).len(), 1);
        let near = Call { body: Some(json!({"ignore_buffers": true})), ..call() };
        assert_eq!(hints(&refused(late), &near, &flags()).len(), 1);
        for path in ["hours[0].open", "absent", "service_ids"] {
            assert_eq!(hint(&detail(path), &call()), None, "{path}");
        }
    }
}
