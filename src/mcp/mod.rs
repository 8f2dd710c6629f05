//! The assistants' server: the Model Context Protocol over streamable HTTP at `/mcp`, for models that act for whoever
//! holds an API key.
//!
//! ```text
//! gate      Host and Origin first (`crate::origins`), then the key and its rate, as before `/v1`
//! message   one JSON-RPC message, read strictly; the arguments of a tool as they were written
//! params    what the protocol's methods take, so that what is malformed is told by its name
//! server    the protocol, by `rmcp`: which tools, resources and prompts there are for this key
//! tools     the table of tools; one file per group holds what they do
//! schema    what a tool takes and gives, in the few words of JSON Schema that every client knows
//! ```
//!
//! What always holds in it:
//!
//! - every tool is a thin face of the same commands and queries as `/v1`: its rules, its readers of values, its audit;
//! - what a model could mend is a result that says how, never an error of the protocol; what it could not is the
//!   answer that `/v1` gives, status and all;
//! - an answer is short, bounded in characters, and holds nothing of another business;
//! - there are no sessions: a request is answered by itself, and nothing of it is kept.

mod answer;
mod appointments;
mod asking;
mod booking;
mod bounds;
mod business;
mod calls;
mod catalog;
mod contacts;
mod gate;
mod knowledge;
mod lists;
mod message;
mod messages;
mod moment;
mod no_times;
mod open_times;
mod params;
mod prompts;
mod refused;
mod resources;
mod router;
mod schema;
mod server;
mod tool;
mod tools;
mod values;

pub(crate) use router::{PATH, router};
