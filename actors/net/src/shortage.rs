//! Shortages of this machine or service, for example of sockets or memory. They never count as a failure of a receiver.

use std::io;
use std::net::IpAddr;

/// The numbers of the system errors `ENOMEM`, `ENFILE`, `EMFILE` and `ENOBUFS`.
const EXHAUSTED: [i32; 4] = [12, 23, 24, 105];

/// The number of the system error `EADDRNOTAVAIL`, which means that no local port is free.
const NO_PORT: i32 = 99;

#[derive(Debug, thiserror::Error)]
#[error("the limit of {0} concurrent name lookups has been reached")]
pub(super) struct TooManyLookups(pub(super) usize);

pub(super) fn is_ours(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|number| EXHAUSTED.contains(&number))
        || error.get_ref().is_some_and(|inner| inner.is::<TooManyLookups>())
}

/// True if this error of a connection attempt is a local shortage. Over IPv4, `EADDRNOTAVAIL` means that no local port
/// is free. Over IPv6, it may mean that the machine has no address, so it does not count.
pub(super) fn is_ours_connecting(error: &io::Error, to: IpAddr) -> bool {
    is_ours(error) || (to.is_ipv4() && error.raw_os_error() == Some(NO_PORT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_local_shortage_is_ours() {
        let (v4, v6) = ("93.184.216.34".parse().unwrap(), "2606:4700::1111".parse().unwrap());
        for number in EXHAUSTED {
            let error = io::Error::from_raw_os_error(number);
            assert!(is_ours(&error) && is_ours_connecting(&error, v4) && is_ours_connecting(&error, v6));
        }
        let no_port = io::Error::from_raw_os_error(NO_PORT);
        assert!(!is_ours(&no_port));
        assert!(is_ours_connecting(&no_port, v4) && !is_ours_connecting(&no_port, v6));
        assert!(is_ours(&io::Error::other(TooManyLookups(1))));
        // The numbers mean: connection refused, network unreachable, host unreachable, and timeout.
        for number in [111, 101, 113, 110] {
            assert!(!is_ours_connecting(&io::Error::from_raw_os_error(number), v4), "{number}");
        }
        assert!(!is_ours(&io::ErrorKind::NotFound.into()) && !is_ours(&io::Error::other("x")));
    }
}
