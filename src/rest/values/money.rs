use domain::{Currency, ProblemCode};

use crate::http::read::FromText;

impl FromText for Currency {
    fn from_text(text: &str) -> Result<Self, ProblemCode> {
        Self::parse(text).ok_or(ProblemCode::NotACurrency)
    }
}
