//! The addresses of receivers: invented names and public addresses on the loopback device of the harness's
//! namespace.

/// The name of the receiver with this number.
pub(crate) fn host(number: usize) -> String {
    format!("hooks{number}.example.com")
}

/// The address of the receiver with this number.
pub(crate) fn address(number: usize) -> String {
    format!("93.184.216.{}", 34 + number)
}
