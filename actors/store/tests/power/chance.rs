//! Random numbers, and the settings and the temporary directory of a test.

use std::path::Path;

/// A generator of random numbers (SplitMix64). The seed determines the numbers.
#[derive(Clone)]
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

pub(crate) fn number_of(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |number| number.parse().unwrap())
}

/// Returns the seed from this environment variable, or a random seed if the variable is not set. Prints the seed, so
/// that a failed run can be repeated.
#[allow(clippy::disallowed_methods, reason = "this function chooses the seed")]
pub(crate) fn seed(variable: &str) -> u64 {
    let drawn = || uuid::Uuid::new_v4().as_u64_pair().0;
    let seed = std::env::var(variable).map_or_else(|_| drawn(), |seed| seed.parse().unwrap());
    println!("again: {variable}={seed}");
    seed
}

/// Creates a temporary directory for the files of a test. It is in `TMPDIR` if this variable is set. Otherwise it is in
/// memory if possible, because the files need not be durable.
pub(crate) fn home() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() && std::env::var_os("TMPDIR").is_none() {
        tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir())
    } else {
        tempfile::tempdir()
    }
    .unwrap()
}

/// True if the arguments of the test binary select a test with this name, by the same rules as in the standard test
/// harness. With the argument `--list`, the function prints the name and returns false.
pub(crate) fn is_selected(name: &str) -> bool {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        println!("{name}: test");
        return false;
    }
    let exact = arguments.iter().any(|argument| argument == "--exact");
    let mut filters = arguments.iter().filter(|argument| !argument.starts_with("--")).peekable();
    filters.peek().is_none()
        || filters.any(|filter| if exact { name == filter } else { name.contains(filter.as_str()) })
}
