//! The words of a search.

use domain::{ProblemCode, Search, Text};
use schemars::JsonSchema;

use super::phone::trunk_prefixes;
use crate::http::read::FromText;
use crate::rest::list::Narrows;

#[derive(Clone, Debug, JsonSchema)]
#[schemars(inline)]
pub(crate) struct SearchWords(Text<1, 200>);

impl SearchWords {
    pub(crate) fn search(&self) -> Search {
        Search::new(self.0.as_str(), trunk_prefixes())
    }
}

impl FromText for SearchWords {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        Text::from_text(text).map(Self)
    }
}

impl Narrows for SearchWords {
    type Given = Search;

    fn text(&self) -> Option<String> {
        Some(self.0.as_str().to_owned())
    }

    fn given(self) -> Search {
        self.search()
    }
}
