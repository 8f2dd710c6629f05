//! Arguments that several commands share.

use clap::Args;

use super::request::Path;
use super::typed::{Kind, Typed};

#[derive(Debug, Args)]
pub(super) struct InBusiness {
    /// The id or name of the business, or the beginning of its name [default: the only business]
    #[arg(long, value_name = "BUSINESS")]
    business: Option<String>,
}

impl InBusiness {
    pub(super) fn typed(self) -> Typed {
        business("--business", self.business)
    }

    pub(super) fn path(self, segments: &[&str]) -> Path {
        Path::business(self.typed(), segments)
    }
}

/// The argument for a business: the given id or name, or the only business if none is given.
pub(super) fn business(argument: &'static str, text: Option<String>) -> Typed {
    match text {
        Some(text) => Typed::new(argument, Kind::Business, text),
        None => Typed::new(argument, Kind::OnlyBusiness, ""),
    }
}

pub(super) fn service(text: String) -> Typed {
    Typed::new("--service", Kind::Service, text)
}

pub(super) fn staff(text: String) -> Typed {
    Typed::new("--staff", Kind::Staff, text)
}

#[derive(Debug, Args)]
pub(super) struct Paging {
    /// Show one page with at most this many rows, instead of the whole list
    #[arg(long, value_name = "COUNT")]
    pub(super) limit: Option<u32>,
    /// Continue after an earlier page
    #[arg(long, value_name = "CURSOR")]
    pub(super) cursor: Option<String>,
}

/// The kinds of commands that need a confirmation, because their effect cannot be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Irreversible {
    Erase,
    Merge,
    Delete,
}
