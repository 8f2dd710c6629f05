//! What the engine needs from outside itself, so that a simulation can stand in for all of it.
//!
//! Ambient time and randomness exist only in this file; `clippy.toml` bans them everywhere else.

use std::sync::Arc;

use crate::domain::Timestamp;

/// The wall clock. It may jump both ways; the engine never lets a record's stamp go back.
pub trait Clock: Send + Sync + 'static {
    /// The present instant.
    fn now(&self) -> Timestamp;
}

/// A source of bytes that nobody can foretell.
pub trait Random: Send + Sync + 'static {
    /// Fills the slice.
    fn fill(&self, bytes: &mut [u8]);
}

/// The ports of one engine.
#[derive(Clone)]
pub struct Ports {
    /// The wall clock.
    pub clock: Arc<dyn Clock>,
    /// The source of randomness.
    pub random: Arc<dyn Random>,
}

impl Ports {
    /// The machine's own clock and randomness.
    pub fn system() -> Self {
        Self { clock: Arc::new(SystemClock), random: Arc::new(SystemRandom) }
    }

    /// So many random bytes.
    pub fn random_bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.random.fill(&mut bytes);
        bytes
    }
}

impl std::fmt::Debug for Ports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ports")
    }
}

/// The machine's clock.
struct SystemClock;

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    fn now(&self) -> Timestamp {
        let since_1970 =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
    }
}

/// The operating system's generator.
struct SystemRandom;

impl Random for SystemRandom {
    #[allow(clippy::disallowed_methods, reason = "this is the one place that draws randomness")]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives randomness");
    }
}
