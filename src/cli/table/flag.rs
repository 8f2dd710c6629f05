//! The command-line flag of a request's property.

use std::borrow::Cow;

use clap::builder::{
    BoolValueParser, PossibleValuesParser, StringValueParser, TypedValueParser, ValueParser,
};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::Value;

use super::super::request::Term;
use super::super::typed::{Kind, Typed, hours, zone};
use super::operation::Property;

// Besides its own flag, a property can have further flags, for example a flag that clears the property. These constants
// are the kinds of the further flags.
const ALL: &str = "all";
const CLEARED: &str = "cleared";
const EMPTIED: &str = "emptied";
const FILE: &str = "file";
const ASKED: &str = "asked";

/// What the program must know about the flag of a property, in addition to what the API document says.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) property: &'static str,
    pub(super) alias: Option<&'static str>,
    /// The value of the flag that means null, such as `default`. If this is set, the property has no separate flag
    /// that clears it.
    pub(super) null: Option<&'static str>,
    /// The flag that clears the property or empties the list, and its help.
    pub(super) clears: Option<(&'static str, &'static str)>,
    /// The default that the help shows instead of the default in the API document.
    pub(super) default: Option<&'static str>,
    /// Another property that is cleared together with this property. The two properties share a clearing flag.
    pub(super) cleared_with: Option<&'static str>,
    /// Whether the value can be read from a file or standard input.
    pub(super) in_file: bool,
    /// Set only for a secret, such as a password. It is the name of the property that contains the user name. A secret
    /// is never an argument: the command reads it from a file or asks for it at the terminal.
    pub(super) secret_of: Option<&'static str>,
}

impl Shape {
    /// The shape of a property without additional facts.
    pub(super) const fn of(property: &'static str) -> Self {
        Self {
            property,
            alias: None,
            null: None,
            clears: None,
            default: None,
            cleared_with: None,
            in_file: false,
            secret_of: None,
        }
    }
}

pub(super) struct Flag<'a> {
    property: &'a Property,
    shape: Shape,
    /// Whether the flag takes no value. Such a flag sets the property to true, or to null if the property can only be
    /// null.
    is_bare: bool,
    /// Whether the flag can be repeated, once per value.
    is_list: bool,
    /// Whether the property is a parameter of the query, so that the flag is a filter.
    in_query: bool,
    /// Whether the request changes a record, so that null clears the property.
    changes: bool,
    long: String,
}

impl<'a> Flag<'a> {
    pub(super) fn new(property: &'a Property, shapes: &[Shape], in_query: bool, changes: bool) -> Self {
        let shape = shapes.iter().find(|shape| shape.property == property.name).copied();
        let is_bare = property.is_only_null()
            || property.schema["const"] == true
            || property.schema["default"] == false;
        let is_list = property.is("array") && !in_query;
        let long = match property.is_only_null() {
            true => clear(&long(property, is_list)),
            false => long(property, is_list),
        };
        Self { property, shape: shape.unwrap_or(Shape::of("")), is_bare, is_list, in_query, changes, long }
    }

    /// Adds the flag to a command, together with the flags that clear, empty or fill the property.
    pub(super) fn add_to(&self, command: Command) -> Command {
        let Property { name, required, .. } = self.property;
        if self.shape.secret_of.is_some() {
            return self.add_secret_to(command);
        }
        let (parser, value_name, form) = self.form();
        let mut arg = Arg::new(name.clone()).long(self.long.clone()).help(self.help(&form));
        if let Some(alias) = self.shape.alias {
            arg = arg.visible_alias(alias);
        }
        arg = if self.is_bare {
            arg.action(ArgAction::SetTrue)
        } else {
            let action = if self.is_list { ArgAction::Append } else { ArgAction::Set };
            arg.value_name(value_name).value_parser(parser).action(action)
        };
        let mut others = Vec::new();
        if self.has_words() {
            let help = format!("All possible values of --{}", self.long);
            others.push(Arg::new(self.id(ALL)).long(format!("all-{}s", self.long)).help(help));
            arg = arg.required_unless_present(self.id(ALL));
        } else if *required && !self.is_list && !self.shape.in_file {
            arg = arg.required(true);
        }
        if let Some((flag, about)) = self.emptying() {
            others.push(Arg::new(self.id(EMPTIED)).long(flag).help(about));
        }
        if let Some((flag, about)) = self.clearing() {
            let also = self.is_list.then(|| self.id(EMPTIED)).into_iter();
            let clear = Arg::new(self.id(CLEARED)).long(flag).help(about);
            others.push(clear.conflicts_with_all(also.chain(self.shape.cleared_with.map(str::to_owned))));
        }
        let mut command = command.arg(arg);
        if self.shape.in_file {
            let file = Arg::new(self.id(FILE)).long("file").value_name("FILE").conflicts_with(name.clone());
            command = command.arg(file.help("Read the value from this file; - for standard input"));
        }
        others.into_iter().fold(command, |command, other| {
            command.arg(other.action(ArgAction::SetTrue).conflicts_with(name.clone()))
        })
    }

    /// Adds the arguments of a secret. If the command line names a file, the file contains the secret. Otherwise, the
    /// command asks for the secret at the terminal in two cases:
    /// - The command creates a record, and the command line contains the account.
    /// - The command changes a record, and the command line contains the flag `--ask-…`.
    fn add_secret_to(&self, command: Command) -> Command {
        let long = &self.long;
        let file = Arg::new(self.id(FILE)).long(format!("{long}-file")).value_name("FILE");
        let help = format!("{}, in this file; - for standard input", self.property.about);
        if !self.changes {
            let default = " [default: the command asks for it at the terminal]";
            return command.arg(file.help(format!("{help}{default}")));
        }
        let asked = Arg::new(self.id(ASKED)).long(format!("ask-{long}")).action(ArgAction::SetTrue);
        let asked = asked.help(format!("Ask for the new {long} at the terminal"));
        command.arg(file.help(help)).arg(asked.conflicts_with(self.id(FILE)))
    }

    /// The source of a secret: a file, or the terminal.
    fn read_secret(&self, account: &str, matches: &ArgMatches) -> Option<Term> {
        let argument = format!("--{}-file", self.long);
        if let Some(file) = matches.get_one::<String>(&self.id(FILE)) {
            return Some(Typed::new(argument, Kind::SecretFile, file.as_str()).into());
        }
        let asks = match self.changes {
            true => matches.get_flag(&self.id(ASKED)),
            false => matches.contains_id(account),
        };
        asks.then(|| Typed::new(argument, Kind::Secret, self.long.as_str()).into())
    }

    fn id(&self, companion: &str) -> String {
        format!("{companion} {}", self.property.name)
    }

    /// Whether the property is a required list whose items must come from a fixed set of values. For such a list,
    /// there is a flag that adds every value of the set.
    fn has_words(&self) -> bool {
        self.property.is("array") && self.property.required && !self.property.words.is_empty()
    }

    pub(super) fn property(&self) -> &'a str {
        &self.property.name
    }

    pub(super) fn read(&self, matches: &ArgMatches) -> Option<Term> {
        let name = self.property.name.as_str();
        let is_set = |id: &str| matches.try_get_one::<bool>(id).ok().flatten().copied().unwrap_or(false);
        if let Some(account) = self.shape.secret_of {
            return self.read_secret(account, matches);
        }
        if is_set(&self.id(CLEARED)) {
            return Some(Value::Null.into());
        }
        if is_set(&self.id(ALL)) {
            return Some(self.property.words.clone().into());
        }
        if self.shape.in_file && !matches.contains_id(name) {
            let given = matches.get_one::<String>(&self.id(FILE)).map(|file| ("--file", file.as_str()));
            let given = given.or(self.property.required.then_some(("standard input", "-")));
            return given.map(|(argument, file)| Typed::new(argument, Kind::File, file).into());
        }
        if self.is_bare {
            let value = if self.property.is_only_null() { Value::Null } else { true.into() };
            return is_set(name).then(|| value.into());
        }
        let terms = matches.get_many::<Vec<Term>>(name).into_iter().flatten().flatten();
        let terms: Vec<Term> = terms.cloned().collect();
        if !self.is_list {
            return terms.into_iter().next();
        }
        let is_sent = self.property.required && !self.changes || is_set(&self.id(EMPTIED));
        (is_sent || !terms.is_empty()).then_some(Term::List(terms))
    }

    /// The flag that empties a list, if the request allows it.
    fn emptying(&self) -> Option<(Cow<'static, str>, Cow<'static, str>)> {
        let may = self.is_list && self.property.schema["minItems"].as_u64().unwrap_or(0) == 0;
        if !may || self.property.required && !self.changes {
            return None;
        }
        if let Some((flag, about)) = self.shape.clears.filter(|_| !self.property.nullable || !self.changes) {
            return Some((flag.into(), about.into()));
        }
        let plural = plural(&self.long);
        Some((format!("no-{plural}").into(), format!("Remove all {plural}").into()))
    }

    /// The flag that clears the property, if the request allows it.
    fn clearing(&self) -> Option<(Cow<'static, str>, Cow<'static, str>)> {
        if !self.property.nullable || !self.changes || self.shape.null.is_some() {
            return None;
        }
        if let Some((flag, about)) = self.shape.clears {
            return Some((flag.into(), about.into()));
        }
        // The property named in `cleared_with` has a flag that clears both properties, so this property needs none.
        if self.shape.cleared_with.is_some() {
            return None;
        }
        Some((clear(&self.long).into(), self.about_clearing().into()))
    }

    fn about_clearing(&self) -> String {
        let about = self.property.about.split("; ").next().unwrap_or_default();
        let first = about.chars().next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
        let rest = about.get(first.len()..).unwrap_or_default();
        format!("Clear {first}{rest}")
    }

    fn help(&self, form: &str) -> String {
        let Property { about, default, .. } = self.property;
        if self.property.is_only_null() {
            return self.about_clearing();
        }
        let mut help = format!("{about}{form}");
        if self.is_list {
            help.push_str("; repeat the flag for several values");
        }
        let default = self.shape.default.or(default.as_deref());
        if let Some(default) = default.filter(|_| !self.is_bare) {
            help.push_str(&format!(" [default: {default}]"));
        }
        help
    }

    /// The parser of a value, the name of the value in the help, and the description of the value's format in the help.
    fn form(&self) -> (ValueParser, String, Cow<'static, str>) {
        let Property { name, words, items, schema, .. } = self.property;
        let last = name.rsplit('_').next().unwrap_or_default().to_uppercase();
        let text = StringValueParser::new();
        if let Some(null) = self.shape.null {
            let parser = move |text: &str| or_null(text, null);
            return (ValueParser::new(parser), last, format!(", or `{null}`").into());
        }
        match (name.as_str(), items.as_str(), schema["format"].as_str().unwrap_or_default()) {
            ("timezone", ..) => {
                let parser = |text: &str| zone::parse(text).map(one);
                (ValueParser::new(parser), "ZONE".into(), ", such as Europe/Paris".into())
            }
            ("phone_region", ..) => (text.map(|text| one(text.to_uppercase())).into(), last, "".into()),
            ("service_id" | "service_ids", ..) => self.typed(Kind::Service, "SERVICE", ", by id or name"),
            ("staff_id" | "staff_ids", ..) => self.typed(Kind::Staff, "STAFF", ", by id or name"),
            (_, "OpeningHours", _) => {
                (week(["open", "close"]), "DAY=OPEN-CLOSE".into(), ", such as mon-fri=9:00-18:00".into())
            }
            (_, "Break", _) => {
                (week(["from", "to"]), "DAY=FROM-TO".into(), ", such as mon-fri=12:00-13:00".into())
            }
            (_, "Window", _) => {
                let parser = |text: &str| hours::window(text).map(one);
                (ValueParser::new(parser), "OPEN-CLOSE".into(), ", such as 9:00-12:00".into())
            }
            (.., "date-time") => self.typed(
                if self.in_query { Kind::InstantOrDay } else { Kind::Instant },
                "TIME",
                ", such as '2026-03-02 9:00' in the zone of the business, or 2026-03-02T09:00:00Z",
            ),
            (.., "date") => {
                self.typed(Kind::Day { later_by: 0 }, "DAY", ", such as 2026-12-24, today or tomorrow")
            }
            _ if self.property.is("integer") || schema["items"]["type"] == "integer" => {
                (value_parser!(u32).map(one).into(), last, "".into())
            }
            _ if self.is_bare => (ValueParser::bool(), last, "".into()),
            _ if self.property.is("boolean") => {
                (BoolValueParser::new().map(one).into(), "BOOL".into(), "".into())
            }
            _ if self.property.is("object") => {
                let parser = |text: &str| -> Result<Vec<Term>, String> {
                    serde_json::from_str::<Value>(text).map(one).map_err(|error| error.to_string())
                };
                (ValueParser::new(parser), "JSON".into(), ", as a JSON object".into())
            }
            _ if self.has_words() => {
                let parser = PossibleValuesParser::new(words.clone());
                (parser.map(one).into(), self.long.to_uppercase(), "".into())
            }
            _ if words.is_empty() => (text.map(one).into(), last, "".into()),
            _ => (text.map(one).into(), last, format!(": {}", words.join(", ")).into()),
        }
    }

    /// The result of [`Self::form`] for a text that is resolved after parsing, such as the name of a service.
    fn typed(
        &self,
        kind: Kind,
        value_name: &str,
        form: &'static str,
    ) -> (ValueParser, String, Cow<'static, str>) {
        let argument = format!("--{}", self.long);
        let parser = move |text: String| one(Typed::new(argument.clone(), kind, text));
        (StringValueParser::new().map(parser).into(), value_name.into(), form.into())
    }
}

fn one(value: impl Into<Term>) -> Vec<Term> {
    vec![value.into()]
}

/// The parser of a flag with time windows on several days. `ends` contains the names of the two properties for the
/// start and the end of a window.
fn week(ends: [&'static str; 2]) -> ValueParser {
    let terms = |days: Vec<Value>| -> Vec<Term> { days.into_iter().map(Term::from).collect() };
    ValueParser::new(move |text: &str| hours::week(text, ends).map(terms))
}

/// The name of the flag that clears the property of the flag `long`.
fn clear(long: &str) -> String {
    format!("clear-{long}")
}

fn or_null(text: &str, null: &str) -> Result<Vec<Term>, String> {
    if text == null {
        return Ok(one(Value::Null));
    }
    text.parse::<u64>().map(one).map_err(|_| format!("must be a whole number or `{null}`"))
}

/// The singular of a plural: `addresses` and `keys` become `address` and `key`.
pub(in crate::cli) fn singular(name: &str) -> &str {
    let of_address = name.strip_suffix("es").filter(|rest| rest.ends_with("ss"));
    of_address.or_else(|| name.strip_suffix('s')).unwrap_or(name)
}

fn plural(name: &str) -> String {
    if name.ends_with("ss") { format!("{name}es") } else { format!("{}s", name.trim_end_matches('s')) }
}

/// The flag's name: without `_id` for a resolved id, and in the singular for a list.
fn long(property: &Property, is_list: bool) -> String {
    let text = property.name.as_str();
    let name = text.strip_suffix("_ids").or(text.strip_suffix("_id"));
    let one = name.unwrap_or(match is_list && property.items != "OpeningHours" {
        true => singular(text),
        false => text,
    });
    one.replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::{plural, singular};

    #[test]
    fn the_flag_of_a_list_is_in_the_singular_and_the_flag_that_empties_it_in_the_plural() {
        for (many, one) in [("own-addresses", "own-address"), ("scopes", "scope"), ("causes", "cause")] {
            assert_eq!((singular(many), plural(one)), (one, many.to_owned()));
        }
    }
}
