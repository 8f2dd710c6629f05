//! The engine of receptionist: the actors and the background jobs.
//!
//! `actors/README.md` is a map of the code. The service's interfaces use [`Engine`], [`BusinessHandle`],
//! the types of [`domain`] and the resources of [`view`]. They see no channels, actors or locks.

mod actor;
pub mod backup;
pub mod business;
pub mod calendars;
mod claims;
mod clock;
pub mod counting;
mod credential_cache;
pub mod credentials;
pub mod delivery;
mod engine;
mod error;
mod key_usage;
mod limits;
mod live;
pub mod mail;
mod maintenance;
mod meta;
pub mod moving;
#[cfg(test)]
#[path = "../../net/src/testing.rs"]
#[allow(dead_code, reason = "only the tests of `net` use the other items")]
mod network;
pub mod people;
mod principals;
mod quota;
pub mod repair;
pub mod salvage;
mod scans;
mod shared;
mod sources;
mod supervisor;
mod talking;
#[cfg(test)]
mod testing;
pub mod upgrade;
pub mod verify;
pub mod window;

pub use business::BusinessHandle;
pub use engine::{Engine, Export, ExportError, NewBusiness, Once};
pub use error::EngineError;
pub use limits::{BUSINESS_ACTORS, Limits};
pub use live::{LiveChange, LiveEvent, LiveKind, LiveSubscription};
pub use people::People;
pub use principals::Principal;
pub use shared::ENGINE_PERMITS;
pub use talking::TalkingCounts;
