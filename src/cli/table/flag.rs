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

/// Facts about a property's flag that the API document does not contain.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) property: &'static str,
    pub(super) alias: Option<&'static str>,
    /// A word that means null. Replaces the flag that clears the property.
    pub(super) null: Option<&'static str>,
    /// The flag that clears the property or empties the list, and its help.
    pub(super) clears: Option<(&'static str, &'static str)>,
    /// The default as shown in the help, instead of the document's.
    pub(super) default: Option<&'static str>,
    /// Another property whose flag clears this one too.
    pub(super) cleared_with: Option<&'static str>,
    /// Whether the text can be read from a file or standard input.
    pub(super) in_file: bool,
}

/// A property that needs no additions to the document.
const PLAIN: Shape = Shape {
    property: "",
    alias: None,
    null: None,
    clears: None,
    default: None,
    cleared_with: None,
    in_file: false,
};

impl Shape {
    pub(super) const fn new(property: &'static str) -> Self {
        Self { property, ..PLAIN }
    }

    pub(super) const fn alias(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }

    pub(super) const fn null(self, word: &'static str) -> Self {
        Self { null: Some(word), ..self }
    }

    pub(super) const fn clears(self, flag: &'static str, about: &'static str) -> Self {
        Self { clears: Some((flag, about)), ..self }
    }

    pub(super) const fn default(self, default: &'static str) -> Self {
        Self { default: Some(default), ..self }
    }

    pub(super) const fn cleared_with(self, property: &'static str) -> Self {
        Self { cleared_with: Some(property), ..self }
    }

    pub(super) const fn in_file(self) -> Self {
        Self { in_file: true, ..self }
    }
}

/// How the values of a flag are parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Text,
    Word,
    Zone,
    Region,
    Whole,
    Truth,
    /// True if the flag is present.
    Present,
    Typed(Kind),
    Week,
    Break,
    Window,
    OrNull,
}

pub(super) struct Flag<'a> {
    property: &'a Property,
    shape: Shape,
    reading: Reading,
    /// Whether the flag can be repeated, once per value.
    is_list: bool,
    /// Whether the request changes a record, so that null clears the property.
    changes: bool,
    long: String,
}

impl<'a> Flag<'a> {
    pub(super) fn new(property: &'a Property, shapes: &[Shape], in_query: bool, changes: bool) -> Self {
        let shape = shapes.iter().find(|shape| shape.property == property.name).copied().unwrap_or(PLAIN);
        let reading = reading(property, shape);
        let is_list = property.is("array") && !in_query;
        Self { property, shape, reading, is_list, changes, long: long(&property.name, reading, is_list) }
    }

    /// Adds the flag to a command, and its companions that clear, empty or fill the property.
    pub(super) fn add_to(&self, command: Command) -> Command {
        let Property { name, required, .. } = self.property;
        let mut arg = Arg::new(name.clone()).long(self.long.clone()).help(self.help());
        if let Some(alias) = self.shape.alias {
            arg = arg.visible_alias(alias);
        }
        arg = match self.reading {
            Reading::Present => arg.action(ArgAction::SetTrue),
            _ => {
                let (parser, value_name, _) = self.form();
                let action = if self.is_list { ArgAction::Append } else { ArgAction::Set };
                arg.value_name(value_name).value_parser(parser).action(action)
            }
        };
        let mut others = Vec::new();
        if self.reading == Reading::Word && *required {
            let help = format!("All possible values of --{}", self.long);
            others.push(Arg::new(all(name)).long(format!("all-{}s", self.long)).help(help));
            arg = arg.required_unless_present(all(name));
        } else if *required && !self.is_list && !self.shape.in_file {
            arg = arg.required(true);
        }
        if let Some((flag, about)) = self.emptying() {
            others.push(Arg::new(emptied(name)).long(flag).help(about));
        }
        if let Some((flag, about)) = self.clearing() {
            let also = self.is_list.then(|| emptied(name)).into_iter();
            let clear = Arg::new(cleared(name)).long(flag).help(about);
            others.push(clear.conflicts_with_all(also.chain(self.shape.cleared_with.map(str::to_owned))));
        }
        let mut command = command.arg(arg);
        if self.shape.in_file {
            let file = Arg::new(file(name)).long("file").value_name("FILE").conflicts_with(name.clone());
            command = command.arg(file.help("Read the value from this file; - for standard input"));
        }
        others.into_iter().fold(command, |command, other| {
            command.arg(other.action(ArgAction::SetTrue).conflicts_with(name.clone()))
        })
    }

    pub(super) fn property(&self) -> &'a str {
        &self.property.name
    }

    pub(super) fn read(&self, matches: &ArgMatches) -> Option<Term> {
        let name = self.property.name.as_str();
        let is_set = |id: &str| matches.try_get_one::<bool>(id).ok().flatten().copied().unwrap_or(false);
        if is_set(&cleared(name)) {
            return Some(Value::Null.into());
        }
        if is_set(&all(name)) {
            return Some(self.property.words.clone().into());
        }
        if self.shape.in_file && !matches.contains_id(name) {
            let given = matches.get_one::<String>(&file(name)).map(|file| ("--file", file.as_str()));
            let given = given.or(self.property.required.then_some(("standard input", "-")));
            return given.map(|(argument, file)| Typed::new(argument, Kind::File, file).into());
        }
        if self.reading == Reading::Present {
            return is_set(name).then(|| true.into());
        }
        let terms = matches.get_many::<Vec<Term>>(name).into_iter().flatten().flatten();
        let terms: Vec<Term> = terms.cloned().collect();
        if !self.is_list {
            return terms.into_iter().next();
        }
        let is_sent = self.property.required && !self.changes || is_set(&emptied(name));
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
        let plural = format!("{}s", self.long.trim_end_matches('s'));
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
        // A property that is cleared with another has no such flag.
        if self.shape.cleared_with.is_some() {
            return None;
        }
        let about = self.property.about.split("; ").next().unwrap_or_default();
        let first = about.chars().next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
        let rest = about.get(first.len()..).unwrap_or_default();
        Some((format!("clear-{}", self.long).into(), format!("Clear {first}{rest}").into()))
    }

    fn help(&self) -> String {
        let Property { about, default, .. } = self.property;
        let (_, _, form) = self.form();
        let mut help = format!("{about}{form}");
        if self.is_list {
            help.push_str("; repeat the flag for several values");
        }
        let default = self.shape.default.or(default.as_deref());
        if let Some(default) = default.filter(|_| self.reading != Reading::Present) {
            help.push_str(&format!(" [default: {default}]"));
        }
        help
    }

    /// The parser of a value, the name of the value in the help, and the description of its form in the help.
    fn form(&self) -> (ValueParser, String, Cow<'static, str>) {
        let Property { name, words, .. } = self.property;
        let last = name.rsplit('_').next().unwrap_or_default().to_uppercase();
        let text = StringValueParser::new();
        match self.reading {
            Reading::Present => (ValueParser::bool(), last, "".into()),
            Reading::Text if words.is_empty() => (text.map(one).into(), last, "".into()),
            Reading::Text => (text.map(one).into(), last, format!(": {}", words.join(", ")).into()),
            Reading::Word => {
                let parser = PossibleValuesParser::new(words.clone());
                (parser.map(one).into(), self.long.to_uppercase(), "".into())
            }
            Reading::Zone => {
                let parser = |text: &str| zone::parse(text).map(one);
                (ValueParser::new(parser), "ZONE".into(), ", such as Europe/Paris".into())
            }
            Reading::Region => (text.map(|text| one(text.to_uppercase())).into(), last, "".into()),
            Reading::Whole => (value_parser!(u32).map(one).into(), last, "".into()),
            Reading::Truth => (BoolValueParser::new().map(one).into(), "BOOL".into(), "".into()),
            Reading::Typed(kind) => {
                let (value_name, form) = match kind {
                    Kind::Service => ("SERVICE", ", by id or name"),
                    Kind::Staff => ("STAFF", ", by id or name"),
                    Kind::Instant => (
                        "TIME",
                        ", such as '2026-03-02 9:00' in the zone of the business, or 2026-03-02T09:00:00Z",
                    ),
                    _ => ("DAY", ", such as 2026-12-24, today or tomorrow"),
                };
                let argument = format!("--{}", self.long);
                let parser = text.map(move |text| one(Typed::new(argument.clone(), kind, text)));
                (parser.into(), value_name.into(), form.into())
            }
            Reading::Week => {
                (week(["open", "close"]), "DAY=OPEN-CLOSE".into(), ", such as mon-fri=9:00-18:00".into())
            }
            Reading::Break => {
                (week(["from", "to"]), "DAY=FROM-TO".into(), ", such as mon-fri=12:00-13:00".into())
            }
            Reading::Window => {
                let parser = |text: &str| hours::window(text).map(one);
                (ValueParser::new(parser), "OPEN-CLOSE".into(), ", such as 9:00-12:00".into())
            }
            Reading::OrNull => {
                let null = self.shape.null.unwrap_or_default();
                let parser = move |text: &str| or_null(text, null);
                (ValueParser::new(parser), last, format!(", or `{null}`").into())
            }
        }
    }
}

fn one(value: impl Into<Term>) -> Vec<Term> {
    vec![value.into()]
}

/// Windows of several days, whose ends have these names.
fn week(ends: [&'static str; 2]) -> ValueParser {
    let terms = |days: Vec<Value>| -> Vec<Term> { days.into_iter().map(Term::from).collect() };
    ValueParser::new(move |text: &str| hours::week(text, ends).map(terms))
}

fn or_null(text: &str, null: &str) -> Result<Vec<Term>, String> {
    if text == null {
        return Ok(one(Value::Null));
    }
    text.parse::<u64>().map(one).map_err(|_| format!("must be a whole number or `{null}`"))
}

fn reading(property: &Property, shape: Shape) -> Reading {
    let format = property.schema["format"].as_str().unwrap_or_default();
    match (property.name.as_str(), property.items.as_str()) {
        _ if shape.null.is_some() => Reading::OrNull,
        ("timezone", _) => Reading::Zone,
        ("phone_region", _) => Reading::Region,
        ("service_id" | "service_ids", _) => Reading::Typed(Kind::Service),
        ("staff_id", _) => Reading::Typed(Kind::Staff),
        (_, "OpeningHours") => Reading::Week,
        (_, "Break") => Reading::Break,
        (_, "Window") => Reading::Window,
        _ if format == "date-time" => Reading::Typed(Kind::Instant),
        _ if format == "date" => Reading::Typed(Kind::Day { later_by: 0 }),
        _ if property.is("integer") => Reading::Whole,
        _ if property.schema["const"] == true || property.default.as_deref() == Some("false") => {
            Reading::Present
        }
        _ if property.is("boolean") => Reading::Truth,
        _ if property.is("array") && property.required => Reading::Word,
        _ => Reading::Text,
    }
}

/// The flag's name: without `_id` for a resolved id, and in the singular for a list.
fn long(property: &str, reading: Reading, is_list: bool) -> String {
    let name = property.strip_suffix("_ids").or(property.strip_suffix("_id"));
    let one = name.unwrap_or(match is_list && reading != Reading::Week {
        true => property.strip_suffix('s').unwrap_or(property),
        false => property,
    });
    one.replace('_', "-")
}

fn all(name: &str) -> String {
    format!("all {name}")
}

fn cleared(name: &str) -> String {
    format!("cleared {name}")
}

fn emptied(name: &str) -> String {
    format!("emptied {name}")
}

fn file(name: &str) -> String {
    format!("file {name}")
}
