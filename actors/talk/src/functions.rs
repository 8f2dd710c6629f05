//! The functions that a model may call: their schemas and the checks of their arguments.
//!
//! The model is offered only the functions that are possible in this conversation. A call of any other
//! function returns an error.

use chrono::{NaiveDate, NaiveTime};
use serde_json::{Map, Value, json};

use crate::facts::Facts;
use crate::flow::{can_book, can_change, can_transfer};
use crate::model::ARGUMENTS_BYTES_MAX;
use crate::state::{Channel, Talk};

/// The maximum number of characters of a function's answer.
pub const ANSWER_CHARS_MAX: usize = 1_500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    FindOpenings,
    Book,
    MyAppointments,
    Move,
    Cancel,
    SearchKnowledge,
    TakeMessage,
    SendCode,
    CheckCode,
    Transfer,
    End,
}

impl Function {
    const ALL: [Self; 11] = [
        Self::FindOpenings,
        Self::Book,
        Self::MyAppointments,
        Self::Move,
        Self::Cancel,
        Self::SearchKnowledge,
        Self::TakeMessage,
        Self::SendCode,
        Self::CheckCode,
        Self::Transfer,
        Self::End,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::FindOpenings => "find_openings",
            Self::Book => "book",
            Self::MyAppointments => "my_appointments",
            Self::Move => "move",
            Self::Cancel => "cancel",
            Self::SearchKnowledge => "search_knowledge",
            Self::TakeMessage => "take_message",
            Self::SendCode => "send_code",
            Self::CheckCode => "check_code",
            Self::Transfer => "transfer",
            Self::End => "end",
        }
    }

    fn is_possible(self, talk: &Talk, facts: &Facts) -> bool {
        let (books, changes) = (can_book(facts), can_change(talk, facts));
        let is_call = matches!(talk.channel, Channel::Voice | Channel::Assistant);
        match self {
            Self::FindOpenings | Self::Book => books,
            Self::MyAppointments | Self::Move | Self::Cancel => changes,
            Self::SearchKnowledge => facts.knowledge_public,
            Self::SendCode | Self::CheckCode => changes && is_call && !talk.verified,
            Self::Transfer => can_transfer(talk, facts) && !facts.transfers_fail,
            Self::TakeMessage | Self::End => true,
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::FindOpenings => "Finds free times of a service. Returns handles of times, such as t1.",
            Self::Book => {
                "Prepares a booking. The service reads the booking back to the caller, and books it after the caller says yes."
            }
            Self::MyAppointments => {
                "Lists the coming appointments of the verified caller, with handles such as a1."
            }
            Self::Move => {
                "Prepares the move of an appointment. The service asks the caller to confirm it with yes."
            }
            Self::Cancel => "Prepares a cancellation. The service asks the caller to confirm it with yes.",
            Self::SearchKnowledge => "Searches the texts of the business for an answer to a question.",
            Self::TakeMessage => "Passes the caller's own words to the team as a message.",
            Self::SendCode => "Sends a code to the caller's phone, to prove who they are.",
            Self::CheckCode => "Checks the code that the caller has said.",
            Self::Transfer => "Puts the caller through to a person.",
            Self::End => "Says goodbye and ends the conversation.",
        }
    }

    /// The name and the schema of each argument, and whether it is required.
    fn arguments(self) -> Vec<(&'static str, Value, bool)> {
        let text = |description: &str| json!({"type": "string", "description": description});
        match self {
            Self::FindOpenings => vec![
                ("service", text("Handle of a service, such as s1"), true),
                ("from_date", text("First day, YYYY-MM-DD"), false),
                ("to_date", text("Last day, YYYY-MM-DD"), false),
                (
                    "part_of_day",
                    json!({"type": "string", "enum": ["morning", "afternoon", "evening"]}),
                    false,
                ),
                ("time", text("Preferred time of day, HH:MM"), false),
                ("staff", text("Handle of a staff member, such as p1"), false),
            ],
            Self::Book => vec![
                ("time", text("Handle of a time, such as t1"), true),
                ("name", text("The caller's name"), true),
                ("phone", text("The phone number that the caller has said"), false),
                ("email", text("The email address that the caller has said"), false),
            ],
            Self::Move => vec![
                ("appointment", text("Handle of an appointment, such as a1"), true),
                ("time", text("Handle of a time, such as t1"), true),
            ],
            Self::Cancel => vec![("appointment", text("Handle of an appointment, such as a1"), true)],
            Self::SearchKnowledge => vec![("query", text("The question"), true)],
            Self::TakeMessage => vec![
                ("urgency", json!({"type": "string", "enum": ["normal", "urgent"]}), true),
                ("staff", text("Handle of a staff member, such as p1"), false),
                ("name", text("The caller's name"), false),
                ("phone", text("The phone number that the caller has said"), false),
            ],
            Self::SendCode => vec![("phone", text("The phone number that the caller has said"), false)],
            Self::CheckCode => vec![("code", text("The six digits that the caller has said"), true)],
            Self::MyAppointments | Self::Transfer | Self::End => vec![],
        }
    }

    fn schema(self) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (name, schema, is_required) in self.arguments() {
            properties.insert(name.to_owned(), schema);
            if is_required {
                required.push(name);
            }
        }
        json!({
            "type": "function",
            "function": {
                "name": self.name(),
                "description": self.description(),
                "parameters": {
                    "type": "object",
                    "properties": properties,
                    "required": required,
                    "additionalProperties": false,
                },
            },
        })
    }
}

/// The functions that are possible in this conversation, as the `tools` of a request.
pub fn tools(talk: &Talk, facts: &Facts) -> Vec<Value> {
    let possible = Function::ALL.into_iter().filter(|function| function.is_possible(talk, facts));
    possible.map(Function::schema).collect()
}

/// The checked arguments of a call. They are texts without surrounding white space.
#[derive(Debug)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }

    pub(crate) fn date(&self, name: &str) -> Result<Option<NaiveDate>, String> {
        let parse = |text: &str| {
            NaiveDate::parse_from_str(text, "%Y-%m-%d")
                .map_err(|_| format!("{name} is not a date. Use YYYY-MM-DD."))
        };
        self.get(name).map(parse).transpose()
    }

    pub(crate) fn time(&self, name: &str) -> Result<Option<NaiveTime>, String> {
        let parse = |text: &str| {
            NaiveTime::parse_from_str(text, "%H:%M")
                .map_err(|_| format!("{name} is not a time of day. Use HH:MM."))
        };
        self.get(name).map(parse).transpose()
    }

    /// The index to which the handle in an argument refers. A handle consists of this letter and a number from 1 up, so
    /// `s1` refers to the index 0.
    pub(crate) fn handle(&self, name: &str, letter: char) -> Result<Option<usize>, String> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let number =
            text.strip_prefix(letter).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
        let number =
            number.and_then(|digits| digits.parse::<usize>().ok()).and_then(|number| number.checked_sub(1));
        let unknown =
            format!("The handle in `{name}` is unknown. Use one that you were given, such as {letter}1.");
        number.map(Some).ok_or(unknown)
    }
}

/// Checks a function call of the model. The error is a text for the model.
pub(crate) fn check(
    name: &str,
    arguments: &str,
    talk: &Talk,
    facts: &Facts,
) -> Result<(Function, Arguments), String> {
    let function = Function::ALL.into_iter().find(|function| function.name() == name);
    let Some(function) = function.filter(|function| function.is_possible(talk, facts)) else {
        return Err("This function does not exist here.".into());
    };
    if arguments.len() > ARGUMENTS_BYTES_MAX {
        return Err("The arguments are too long.".into());
    }
    let given = if arguments.trim().is_empty() { "{}" } else { arguments };
    let Ok(Value::Object(given)) = serde_json::from_str(given) else {
        return Err("The arguments are not a JSON object.".into());
    };
    let known = function.arguments();
    for (name, value) in &given {
        let Some((_, schema, _)) = known.iter().find(|(known, _, _)| known == name) else {
            return Err(format!("The argument {} is unknown.", name.chars().take(50).collect::<String>()));
        };
        // A model often writes null for an argument that it leaves out.
        let Some(text) = value.as_str() else {
            if value.is_null() {
                continue;
            }
            return Err(format!("The argument `{name}` is not a string."));
        };
        let allowed = schema.get("enum").and_then(Value::as_array);
        if allowed.is_some_and(|allowed| !allowed.iter().any(|word| word == text)) {
            return Err(format!("The schema does not allow the value of the argument `{name}`."));
        }
    }
    let arguments = Arguments(given);
    for (name, _, is_required) in known {
        if is_required && arguments.get(name).is_none() {
            return Err(format!("The argument `{name}` is missing."));
        }
    }
    Ok((function, arguments))
}
