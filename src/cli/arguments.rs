//! The arguments that commands on many kinds of records share.

use clap::Args;

use super::request::Path;
use super::typed::{Kind, Typed};

/// Which business a command is about.
#[derive(Debug, Args)]
pub(super) struct InBusiness {
    /// The business, by its id or name, or by how its name alone begins [default: the only one there is]
    #[arg(long, value_name = "BUSINESS")]
    business: Option<String>,
}

impl InBusiness {
    /// The business that is meant.
    pub(super) fn typed(self) -> Typed {
        business("--business", self.business)
    }

    /// The path of the business, followed by these segments.
    pub(super) fn path(self, segments: &[&str]) -> Path {
        Path::business(self.typed(), segments)
    }
}

/// The business that these words mean; none where it goes without saying.
pub(super) fn business(place: &'static str, text: Option<String>) -> Typed {
    match text {
        Some(text) => Typed::new(place, Kind::Business, text),
        None => Typed::new(place, Kind::OnlyBusiness, ""),
    }
}

/// The service that `--service` means.
pub(super) fn service(text: String) -> Typed {
    Typed::new("--service", Kind::Service, text)
}

/// The staff member that `--staff` means.
pub(super) fn staff(text: String) -> Typed {
    Typed::new("--staff", Kind::Staff, text)
}

/// Which part of a list to show.
#[derive(Debug, Args)]
pub(super) struct Paging {
    /// Show one page of at most so many, instead of the whole list
    #[arg(long, value_name = "COUNT")]
    pub(super) limit: Option<u32>,
    /// Go on where an earlier page ended
    #[arg(long, value_name = "CURSOR")]
    pub(super) cursor: Option<String>,
}

/// A whole list of a business, or a page of it.
#[derive(Debug, Args)]
pub(super) struct ListInBusiness {
    #[command(flatten)]
    pub(super) of: InBusiness,
    #[command(flatten)]
    pub(super) paging: Paging,
}

/// Whether somebody is asked.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct Sure {
    /// Do not ask
    #[arg(long)]
    pub(super) yes: bool,
}

/// What is done for good, which somebody has to want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Final {
    /// The record at the path is erased.
    Erases,
    /// The business at the path ends.
    Ends,
}
