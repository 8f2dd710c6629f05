//! The MCP server at `/mcp` (streamable HTTP) for assistants with an API key.
//!
//! Invariants:
//! - A tool uses the commands, queries, value parsers and audit of `/v1`.
//! - A failure that the assistant's model can correct becomes a tool result with the next step. Any other
//!   failure becomes the HTTP error response that `/v1` sends for it.
//! - A result is bounded in characters and contains no data of another business.
//! - There are no sessions. Each request is independent.

mod appointments;
mod booking;
mod bounds;
mod business;
mod catalog;
mod contacts;
mod conversations;
mod knowledge;
mod message;
mod moment;
mod open_times;
mod params;
mod prompts;
mod refused;
mod router;
mod schema;
mod server;
mod tool_call;
mod tools;
mod values;

pub(crate) use router::{PATH, router};
