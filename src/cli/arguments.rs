//! The arguments that commands on many kinds of records share.

use clap::Args;

/// Which business a command is about.
#[derive(Debug, Args)]
pub struct InBusiness {
    /// The business's id
    #[arg(long, value_name = "ID")]
    pub(super) business: String,
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
    pub(super) of: InBusiness,
    /// The record's id
    pub(super) id: String,
}
