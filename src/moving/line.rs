//! The trait of export lines, and the writer of a line.

use serde::Serialize;

use crate::http::read::FromJson;

/// The line of one kind of record, for both directions.
pub(super) trait RecordLine: FromJson {
    type Record;

    fn write(it: &Self::Record, line: Written) -> Written;

    fn made(self) -> Self::Record;
}

/// Puts fields whose names are those of their properties.
macro_rules! put {
    ($line:expr, $it:ident: $($name:ident),+ $(,)?) => {
        $line$(.put(stringify!($name), &$it.$name))+
    };
}
pub(super) use put;

/// A line under construction.
pub(super) struct Written(String);

impl Written {
    pub(super) fn new(name: &str, word: &str) -> Self {
        Self(String::from("{")).value(name, &word)
    }

    pub(super) fn put(mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        self.0.push(',');
        self.value(name, value)
    }

    fn value(mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_string(value) {
            Ok(value) => self.0.push_str(&format!("\"{name}\":{value}")),
            Err(error) => unreachable!("texts, numbers and lists of them can be written: {error}"),
        }
        self
    }

    pub(super) fn end(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }
}
