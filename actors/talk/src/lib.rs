//! The rules of the receptionist's conversations with callers, in calls, text messages and website chats. A *caller*
//! may also be a person who writes text messages or chats, and a *model* is a language model.
//!
//! The rules are pure functions of the state ([`Talk`]), the input, the [`Facts`] of the business and the engine's
//! [`Answers`]. Invariants:
//!
//! - A change ([`Ask::Book`], [`Ask::Move`], [`Ask::Cancel`]) is first *staged* and read back to the caller
//!   (the *read-back*). The rules ask the engine for the change only in a turn in which the caller answers
//!   the read-back with a clear yes. The module `reader` decides whether a yes is clear, never a model.
//! - A line that reports a change is returned only after the engine has answered that the change was made.
//! - Appointments are disclosed only to a verified caller.
//! - No input of a caller and no output of a model causes a panic. Only an answer of the engine that does not fit the
//!   request causes a panic.
//!
//! | Module | Purpose |
//! |---|---|
//! | `facts` | the data of the business; requests to the engine and its answers |
//! | `state` | the state between two turns; input and output of a turn |
//! | `turn` | the rules of a turn that apply with and without a model |
//! | `flow` | a turn in progress: its lines, choices and effects; staging and committing a change |
//! | `guided` | the path by menu and questions, without a model |
//! | `draft` | a turn of the model: rounds of text and functions |
//! | `functions` | the functions that a model may call |
//! | `gate` | which sentences of a model are said |
//! | `model` | the request to a model's server and its answer |
//! | `reader` | the meaning of the caller's words |
//! | `words` | the fixed lines in English and French |
//! | `knowledge` | passages and their search |
//! | `outcome` | outcome and summary of a conversation |

mod draft;
mod facts;
mod flow;
pub mod functions;
pub mod gate;
mod guided;
pub mod knowledge;
pub mod model;
mod outcome;
pub mod reader;
mod state;
mod turn;
pub mod words;

pub use self::draft::Draft;
pub use self::facts::*;
pub use self::outcome::{outcome, summary};
pub use self::state::{
    Channel, Choice, Dropped, Effect, EffectKind, EndedBy, HISTORY_CHARS_MAX, Input, Keys, Line, Mode,
    Output, Past, Resource, Rule, Said, Start, Talk,
};
pub use self::turn::{Turned, begin, transfer_failed, turn};
