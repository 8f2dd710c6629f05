//! The arguments that commands on many kinds of records share.

use clap::Args;

use super::request::Path;
use super::typed::{Kind, Typed};

/// Which business a command is about.
#[derive(Debug, Args)]
pub struct InBusiness {
    /// The business, by its id or name, or by how its name alone begins [default: the only one there is]
    #[arg(long, value_name = "BUSINESS")]
    business: Option<String>,
}

impl InBusiness {
    /// The path of the business, followed by these segments.
    pub(super) fn path(self, segments: &[&str]) -> Path {
        Path::business(business("--business", self.business), segments)
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
pub struct Paging {
    /// Show one page of at most so many, instead of the whole list
    #[arg(long, value_name = "COUNT")]
    pub(super) limit: Option<u32>,
    /// Go on where an earlier page ended
    #[arg(long, value_name = "CURSOR")]
    pub(super) cursor: Option<String>,
}

/// A whole list of a business, or a page of it.
#[derive(Debug, Args)]
pub struct ListInBusiness {
    #[command(flatten)]
    pub(super) of: InBusiness,
    #[command(flatten)]
    pub(super) paging: Paging,
}

/// One record of a business.
#[derive(Debug, Args)]
pub struct OneInBusiness {
    #[command(flatten)]
    of: InBusiness,
    /// The record's id
    id: String,
}

impl OneInBusiness {
    /// The path of the record, among its kind.
    pub(super) fn path(self, kind: &str) -> Path {
        self.of.path(&[kind]).then(self.id)
    }
}

/// Between which instants what a list shows lies.
#[derive(Debug, Args)]
pub(super) struct Span {
    /// Only what is at or after this time, such as 2026-03-02, '2026-03-02 9:00' of the business, or with an offset
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Only what is before this time
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    #[command(flatten)]
    changed: Changed,
}

impl Span {
    /// The filters of the list.
    pub(super) fn filters(self) -> impl Iterator<Item = Filter> {
        let [from, to] = [("from", "--from", self.from), ("to", "--to", self.to)].map(instant);
        [from, to].into_iter().chain(self.changed.filters())
    }
}

/// Since when what a list shows has changed.
#[derive(Debug, Args)]
pub(super) struct Changed {
    /// Only what has changed at or after this time, in the order of the changes
    #[arg(long, value_name = "TIME")]
    updated_since: Option<String>,
}

impl Changed {
    /// The filters of the list.
    pub(super) fn filters(self) -> impl Iterator<Item = Filter> {
        std::iter::once(instant(("updated_since", "--updated-since", self.updated_since)))
    }
}

/// A parameter that narrows a list, if it was given.
type Filter = (&'static str, Option<Typed>);

fn instant((name, place, text): (&'static str, &'static str, Option<String>)) -> Filter {
    (name, text.map(|text| Typed::new(place, Kind::Instant, text)))
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
