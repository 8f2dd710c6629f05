//! The engine of receptionist: everything that holds or changes state.
//!
//! See `README.md` beside `Cargo.toml` for the map. The edges use [`Engine`], [`BusinessHandle`], the types of
//! [`domain`] and the resources of [`view`]; channels, actor references and locks stay behind the handles.

pub mod business;
pub mod credentials;
pub mod delivery;
mod directory;
pub mod domain;
mod engine;
mod key_usage;
pub mod measure;
pub mod net;
pub mod ports;
mod principals;
mod shares;
pub mod store;
mod supervisor;
pub mod view;

pub use business::BusinessHandle;
pub use engine::{ENGINE_PERMITS, Engine, EngineError, Limits, NewBusiness};
pub use principals::Principal;
