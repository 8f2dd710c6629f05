//! What this machine or this service lacks itself. It says nothing of the receiver, so it is never held against one.

use std::io;
use std::net::IpAddr;

/// The numbers of the system's errors that say that it has run out of something: of memory (`ENOMEM`), of open files
/// for all or for this process (`ENFILE`, `EMFILE`), of room for sockets (`ENOBUFS`).
const EXHAUSTED: [i32; 4] = [12, 23, 24, 105];

/// No local port is left for a connection (`EADDRNOTAVAIL`).
const NO_PORT: i32 = 99;

/// So many names are being looked up that no further one is begun.
#[derive(Debug, thiserror::Error)]
#[error("{0} names are being looked up at once, which is the bound")]
pub(super) struct TooManyLookups(pub(super) usize);

/// Whether an error is a lack of our own, not the doing of whoever was asked.
pub(super) fn is_ours(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|number| EXHAUSTED.contains(&number))
        || error.get_ref().is_some_and(|inner| inner.is::<TooManyLookups>())
}

/// Whether connecting to an address failed for a lack of our own. Only over IPv4 does the missing local address mean
/// that all ports are in use: a machine on which IPv6 is turned off has none for it at any time.
pub(super) fn is_ours_connecting(error: &io::Error, to: IpAddr) -> bool {
    is_ours(error) || (to.is_ipv4() && error.raw_os_error() == Some(NO_PORT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_lack_of_our_own_is_ours() {
        let (v4, v6) = ("93.184.216.34".parse().unwrap(), "2606:4700::1111".parse().unwrap());
        for number in EXHAUSTED {
            let error = io::Error::from_raw_os_error(number);
            assert!(is_ours(&error) && is_ours_connecting(&error, v4) && is_ours_connecting(&error, v6));
        }
        let no_port = io::Error::from_raw_os_error(NO_PORT);
        assert!(!is_ours(&no_port));
        assert!(is_ours_connecting(&no_port, v4) && !is_ours_connecting(&no_port, v6));
        assert!(is_ours(&io::Error::other(TooManyLookups(1))));
        // Refused, unreachable, timed out, and whatever else an error may hold.
        for number in [111, 101, 113, 110] {
            assert!(!is_ours_connecting(&io::Error::from_raw_os_error(number), v4), "{number}");
        }
        assert!(!is_ours(&io::ErrorKind::NotFound.into()) && !is_ours(&io::Error::other("x")));
    }
}
