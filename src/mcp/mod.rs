//! The MCP server at `/mcp` (streamable HTTP) for assistants with an API key.
//!
//! ```text
//! gate      Host and Origin (`crate::origins`), then key and rate limit as for `/v1`
//! message   one JSON-RPC message, checked strictly
//! params    the parameters of the protocol's methods, with named problems
//! server    the protocol (`rmcp`): the tools, resources and prompts of a key
//! tools     the table of tools; each group of tools has a file
//! schema    input and output schemas in the JSON Schema keywords that every client knows
//! ```
//!
//! Invariants:
//! - A tool uses the commands, queries, value parsers and audit of `/v1`.
//! - A problem that a model can correct is a tool result with the next step. Any other failure is the HTTP
//!   response of `/v1`.
//! - A result is bounded in characters and contains no data of another business.
//! - There are no sessions. Each request is independent.

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
