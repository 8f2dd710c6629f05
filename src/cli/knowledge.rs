//! `receptionist knowledge`: what the receptionist of a business knows.

use clap::{Args, Subcommand};

use super::arguments::{InBusiness, ListInBusiness, OneInBusiness};
use super::request::Body;
use super::task::Task;
use super::typed::{Kind, Typed};

const COLUMNS: &[&str] = &["id", "title", "locale", "source_url", "updated_at"];

/// Commands on knowledge.
#[derive(Debug, Subcommand)]
pub enum KnowledgeCommand {
    /// List what the receptionist knows
    List(ListInBusiness),
    /// Show a piece of knowledge with its content
    Show(OneInBusiness),
    /// Add a piece of knowledge; its content comes from --content, --file or standard input
    Add(Add),
    /// Change a piece of knowledge; what is not given stays as it is
    Update(Update),
    /// Delete a piece of knowledge
    Delete(OneInBusiness),
}

/// What is added.
#[derive(Debug, Args)]
pub struct Add {
    #[command(flatten)]
    of: InBusiness,
    /// What it is about
    #[arg(long)]
    title: String,
    #[command(flatten)]
    content: Content,
    #[command(flatten)]
    rest: Rest,
}

/// What changes.
#[derive(Debug, Args)]
pub struct Update {
    #[command(flatten)]
    one: OneInBusiness,
    /// What it is about
    #[arg(long)]
    title: Option<String>,
    #[command(flatten)]
    content: Content,
    #[command(flatten)]
    rest: Rest,
    /// Forget where it comes from
    #[arg(long, conflicts_with = "source_url")]
    clear_source_url: bool,
    /// It is in no language in particular
    #[arg(long, conflicts_with = "locale")]
    clear_locale: bool,
}

/// What it says.
#[derive(Debug, Args)]
struct Content {
    /// What it says
    #[arg(long, value_name = "TEXT")]
    content: Option<String>,
    /// The file with what it says; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "content")]
    file: Option<String>,
}

impl Content {
    fn add_to(self, body: Body) -> Body {
        let file = self.file.map(|file| Typed::new("--file", Kind::File, file));
        body.given("content", self.content).given("content", file)
    }
}

/// What can be left out.
#[derive(Debug, Args)]
struct Rest {
    /// Where it comes from
    #[arg(long, value_name = "URL")]
    source_url: Option<String>,
    /// The language it is in: en or fr
    #[arg(long)]
    locale: Option<String>,
}

impl Rest {
    fn add_to(self, body: Body) -> Body {
        body.given("source_url", self.source_url).given("locale", self.locale)
    }
}

impl KnowledgeCommand {
    pub(super) fn into_task(self) -> Task {
        match self {
            Self::List(list) => Task::list(list.of.path(&["knowledge"]), COLUMNS, list.paging),
            Self::Show(one) => Task::get(one.path("knowledge")),
            Self::Add(Add { of, title, content, rest }) => {
                let input = Typed::new("standard input", Kind::File, "-");
                // What was given takes its place.
                let body = Body::default().with("title", title).with("content", input);
                Task::post(of.path(&["knowledge"]), rest.add_to(content.add_to(body)))
            }
            Self::Update(Update { one, title, content, rest, clear_source_url, clear_locale }) => {
                let body = rest.add_to(content.add_to(Body::default().given("title", title)));
                let body = body.cleared("source_url", clear_source_url).cleared("locale", clear_locale);
                Task::patch(one.path("knowledge"), body)
            }
            Self::Delete(one) => Task::delete(one.path("knowledge"), "deleted"),
        }
    }
}
