//! The names and addresses of receivers. The names are invented, and the addresses are public addresses on
//! the loopback device of the harness's network namespace.

/// Returns the host name of the receiver with this number.
pub(crate) fn host(number: usize) -> String {
    format!("hooks{number}.example.com")
}

/// Returns the address of the receiver with this number.
pub(crate) fn address(number: usize) -> String {
    format!("93.184.216.{}", 34 + number)
}
