//! A name server with scripted answers (RFC 1035).

use std::collections::HashMap;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};

use super::super::*;
use super::{HOST, ips};

/// Record types.
pub(super) const A: u16 = 1;
pub(super) const NS: u16 = 2;
pub(super) const CNAME: u16 = 5;
pub(super) const AAAA: u16 = 28;
/// Response codes.
pub(super) const NO_ERROR: u8 = 0;
pub(super) const SERVER_FAILURE: u8 = 2;
pub(super) const NO_SUCH_NAME: u8 = 3;
pub(super) const REFUSED: u8 = 5;

/// A scripted answer.
#[derive(Clone)]
pub(super) enum Says {
    /// A response with this response code and these addresses.
    Answer(u8, Vec<IpAddr>),
    /// An alias for another name, which has these addresses.
    Alias(&'static str, Vec<IpAddr>),
    /// A truncated datagram. The response over TCP contains these addresses.
    TooLong(Vec<IpAddr>),
    /// The name server responds only once: when it has received the question this number of times. The response
    /// contains these addresses. It goes to the socket that sent the question first.
    Late(usize, Vec<IpAddr>),
    /// Like `Late`, but the response goes to the socket that sent the question last.
    Lost(usize, Vec<IpAddr>),
    Nothing,
}

type Zone = HashMap<(String, u16), Says>;
type Askers = HashMap<(String, u16), Vec<([u8; 2], SocketAddr)>>;

/// A name server on the loopback interface.
#[derive(Clone, Default)]
pub(super) struct NameServer {
    zone: Arc<Mutex<Zone>>,
    asked: Arc<Mutex<Vec<(String, u16)>>>,
    /// For each question, the sockets from which it was sent and the ids of the queries.
    askers: Arc<Mutex<Askers>>,
}

impl NameServer {
    pub(super) fn set(&self, name: &str, kind: u16, says: Says) {
        self.zone.lock().insert((name.to_owned(), kind), says);
    }

    pub(super) fn has(&self, name: &str, v4: &[&str], v6: &[&str]) {
        for (kind, addresses) in [(A, v4), (AAAA, v6)] {
            self.set(name, kind, Says::Answer(NO_ERROR, ips(addresses)));
        }
    }

    pub(super) fn is_silent_on(&self, name: &str) {
        self.set(name, A, Says::Nothing);
        self.set(name, AAAA, Says::Nothing);
    }

    /// Makes the server ignore questions about [`HOST`] and about the root.
    pub(super) fn is_silent(&self) {
        self.is_silent_on(HOST);
        self.set("", NS, Says::Nothing);
    }

    pub(super) fn asked(&self) -> Vec<(String, u16)> {
        let mut asked = self.asked.lock().clone();
        asked.sort();
        asked
    }

    /// Serves UDP and TCP at this address. Returns the port.
    pub(super) async fn listen(&self, ip: &str, port: u16) -> u16 {
        let (udp, tcp) = loop {
            let udp = UdpSocket::bind((ip, port)).await.unwrap();
            let bound = udp.local_addr().unwrap();
            match TcpListener::bind(bound).await {
                Ok(tcp) => break (udp, tcp),
                Err(error) => assert_eq!(port, 0, "{error}"),
            }
        };
        let port = udp.local_addr().unwrap().port();
        let server = self.clone();
        tokio::spawn(async move {
            let mut question = [0; 512];
            while let Ok((length, from)) = udp.recv_from(&mut question).await {
                if let Some((answer, to)) = server.answer(&question[..length], Some(from)) {
                    udp.send_to(&answer, to.unwrap()).await.unwrap();
                }
            }
        });
        let server = self.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = tcp.accept().await {
                let mut question = vec![0; stream.read_u16().await.unwrap().into()];
                stream.read_exact(&mut question).await.unwrap();
                let (answer, _) = server.answer(&question, None).unwrap();
                stream.write_u16(answer.len().try_into().unwrap()).await.unwrap();
                stream.write_all(&answer).await.unwrap();
            }
        });
        port
    }

    /// Returns the response to a question (RFC 1035 §4.1) and the address to which it must be sent. Over TCP, the
    /// address is `None`.
    fn answer(&self, question: &[u8], from: Option<SocketAddr>) -> Option<(Vec<u8>, Option<SocketAddr>)> {
        let (mut name, mut at) = (Vec::new(), 12);
        while question[at] != 0 {
            let label = at + 1..at + 1 + usize::from(question[at]);
            at = label.end;
            name.push(String::from_utf8(question[label].to_vec()).unwrap());
        }
        let end = at + 5;
        let kind = u16::from_be_bytes([question[at + 1], question[at + 2]]);
        let asked = (name.join("."), kind);
        self.asked.lock().push(asked.clone());
        let says = self.zone.lock().get(&asked).cloned();
        let mut number = [question[0], question[1]];
        let mut to = from;
        let mut times = 0;
        if let Some(from) = from {
            let mut askers = self.askers.lock();
            let askers = askers.entry(asked).or_default();
            askers.push((number, from));
            times = askers.len();
            if let Some(Says::Late(..)) = says {
                (number, to) = (askers[0].0, Some(askers[0].1));
            }
        }
        let (code, alias, addresses, cut) = match says.unwrap_or(Says::Answer(NO_SUCH_NAME, Vec::new())) {
            Says::Answer(code, addresses) => (code, None, addresses, false),
            Says::Alias(other, addresses) => (NO_ERROR, Some(other), addresses, false),
            Says::Late(wanted, addresses) | Says::Lost(wanted, addresses) if times == wanted => {
                (NO_ERROR, None, addresses, false)
            }
            Says::TooLong(_) if from.is_some() => (NO_ERROR, None, Vec::new(), true),
            Says::TooLong(addresses) => (NO_ERROR, None, addresses, false),
            Says::Late(..) | Says::Lost(..) | Says::Nothing => return None,
        };
        let records = addresses.len() + usize::from(alias.is_some());
        let mut answer = number.to_vec();
        answer.extend([
            0x81 | u8::from(cut) << 1,
            0x80 | code,
            0,
            1,
            0,
            records.try_into().unwrap(),
            0,
            0,
            0,
            0,
        ]);
        answer.extend(&question[12..end]);
        // The offset of the name to which the addresses belong.
        let mut owner = 12;
        if let Some(alias) = alias {
            let labels: Vec<u8> = alias.split('.').flat_map(labelled).chain([0]).collect();
            record(&mut answer, owner, CNAME, &labels);
            owner = u8::try_from(answer.len() - labels.len()).unwrap();
        }
        for address in addresses {
            match address {
                IpAddr::V4(address) => record(&mut answer, owner, A, &address.octets()),
                IpAddr::V6(address) => record(&mut answer, owner, AAAA, &address.octets()),
            }
        }
        Some((answer, to))
    }
}

fn labelled(label: &str) -> impl Iterator<Item = u8> {
    [u8::try_from(label.len()).unwrap()].into_iter().chain(label.bytes())
}

/// Adds a record for the name at offset `owner`. Its TTL is one hour.
fn record(answer: &mut Vec<u8>, owner: u8, kind: u16, data: &[u8]) {
    answer.extend([0xc0, owner]);
    answer.extend(kind.to_be_bytes());
    answer.extend([0, 1, 0, 0, 0x0e, 0x10]);
    answer.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
    answer.extend(data);
}
