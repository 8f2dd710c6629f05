//! The scripted network: names with changing addresses, hosts with modes, and the received requests.
//!
//! It records a violation if the service resolves an unknown name, or dials an address that no response
//! for its name contained or that came with an internal address.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use parking_lot::Mutex;
use ports::{BoxFuture, Dialer, NoNameServer, Resolver, Stream};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf, duplex};

use crate::hooks::ATTEMPT_MILLIS;
use crate::receiver::{Request, serve};
use crate::time::Time;
use crate::world::Trace;

/// So many bytes fit into a connection at once; more than any request, so that lengths do not matter to the order of
/// events.
const PIPE_BYTES: usize = 64 << 10;

/// So long it takes to find out that no name server answers.
const SILENCE: Duration = Duration::from_secs(7);

/// Whether the service has a network at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// It has.
    There,
    /// It knows no way to anywhere. Some names it still knows; of the others a server on its own machine says that it
    /// cannot tell.
    NoRoute,
    /// No name server answers.
    NoNameServer,
}

/// How a host behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// 200, and keeps the connection.
    Takes,
    /// 204 after so many seconds.
    TakesSlowly(u64),
    /// 202, and closes the connection.
    TakesOnce,
    /// 200 with a body that never ends.
    Floods,
    /// This status.
    Fails(u16),
    /// A redirect to a name of the inside.
    Redirects,
    /// Reads the request and says nothing.
    Hangs,
    /// Takes the connection and says nothing at all.
    Mute,
    /// Reads the request and closes.
    Closes,
    /// Something that is not HTTP.
    Babbles,
    /// Takes one request in so many and fails the others.
    Flaps(u32),
    /// Shows a certificate of an authority that nobody trusts.
    Impostor,
    /// Takes no connection.
    Refuses,
    /// Never answers whoever connects.
    Swallows,
    /// Turns out to be another host once connected.
    Elsewhere,
}

/// What a host's name resolves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// Its address.
    Right,
    /// Its other address.
    Moved,
    /// An address of the inside.
    Inside,
    /// Its address and one of the inside.
    Mixed,
    /// One time its address, the next time one of the inside.
    Flips,
    /// Nothing.
    Gone,
    /// Nothing, ever.
    Hangs,
    /// Its address, after so many seconds.
    Slow(u64),
}

/// A host and what is known of it.
struct Host {
    name: String,
    mood: Mood,
    dns: Name,
    asked: u32,
    served: u32,
    /// The addresses of all answers that held no address of the inside.
    allowed: Vec<IpAddr>,
}

/// A request that a host received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) at: i64,
    pub(crate) url: String,
    pub(crate) event: String,
    pub(crate) stamp: String,
    pub(crate) signature: String,
    pub(crate) body: String,
    pub(crate) test: bool,
    /// The status it is answered with, or 0.
    pub(crate) status: u16,
    /// Whether the way was lost while the answer was waited for, or may have been: then the attempt may not count.
    pub(crate) cut_off: bool,
}

/// The network.
pub(crate) struct Network {
    time: Arc<Time>,
    trace: Arc<Trace>,
    hosts: Mutex<Vec<Host>>,
    received: Mutex<Vec<Received>>,
    /// The line, and since when it is as it is.
    line: Mutex<(Line, i64)>,
    /// When the way was lost each time.
    lost: Mutex<Vec<i64>>,
}

fn address(host: usize, other: bool) -> IpAddr {
    let [high, low] = u16::try_from(host + 1).unwrap().to_be_bytes();
    if other { [151, 101, high, low].into() } else { [93, 184, high, low].into() }
}

/// The host that is at an address, if it is one of those that hosts have.
fn host_at(address: IpAddr) -> Option<usize> {
    let IpAddr::V4(v4) = address else { return None };
    let [first, second, high, low] = v4.octets();
    let ours = [[93, 184], [151, 101]].contains(&[first, second]);
    usize::from(u16::from_be_bytes([high, low])).checked_sub(1).filter(|_| ours)
}

impl Network {
    pub(crate) fn new(time: Arc<Time>, trace: Arc<Trace>) -> Self {
        let line = Mutex::new((Line::There, 0));
        let (hosts, received, lost) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { time, trace, hosts, received, line, lost }
    }

    /// Takes the network away from the service, or gives it back.
    pub(crate) fn set_line(&self, line: Line) {
        let now = self.time.now();
        self.trace.say(now, format_args!("the line is now {line:?}"));
        *self.line.lock() = (line, now);
        if line == Line::NoRoute {
            self.lost.lock().push(now);
        }
    }

    /// What there is of the network, and since when.
    pub(crate) fn line(&self) -> (Line, i64) {
        *self.line.lock()
    }

    fn has_line(&self) -> bool {
        self.line().0 != Line::NoRoute
    }

    /// Adds a host and gives its number.
    pub(crate) fn add(&self, name: String) -> usize {
        let mut hosts = self.hosts.lock();
        let host =
            Host { name, mood: Mood::Takes, dns: Name::Right, asked: 0, served: 0, allowed: Vec::new() };
        hosts.push(host);
        hosts.len() - 1
    }

    pub(crate) fn len(&self) -> usize {
        self.hosts.lock().len()
    }

    pub(crate) fn set_mood(&self, host: usize, mood: Mood) {
        let mut hosts = self.hosts.lock();
        self.trace.say(self.time.now(), format_args!("{} now {mood:?}", hosts[host].name));
        hosts[host].mood = mood;
    }

    pub(crate) fn set_name(&self, host: usize, dns: Name) {
        let mut hosts = self.hosts.lock();
        self.trace.say(self.time.now(), format_args!("{} resolves {dns:?}", hosts[host].name));
        hosts[host].dns = dns;
    }

    /// Makes the line and every host well.
    pub(crate) fn heal(&self) {
        if self.line().0 != Line::There {
            self.set_line(Line::There);
        }
        for host in self.hosts.lock().iter_mut() {
            (host.mood, host.dns) = (Mood::Takes, Name::Right);
        }
    }

    pub(crate) fn mood(&self, host: usize) -> Mood {
        self.hosts.lock()[host].mood
    }

    /// The mood that the next request meets.
    pub(crate) fn mood_of_request(&self, host: usize) -> Mood {
        let mut hosts = self.hosts.lock();
        let host = &mut hosts[host];
        host.served += 1;
        match host.mood {
            Mood::Flaps(each) if host.served.is_multiple_of(each) => Mood::Takes,
            Mood::Flaps(_) => Mood::Fails(503),
            mood => mood,
        }
    }

    /// Notes a request.
    pub(crate) fn received(&self, host: usize, request: &Request, status: u16) {
        let name = self.hosts.lock()[host].name.clone();
        let at = self.time.now();
        let received = Received {
            at,
            url: format!("https://{name}{}", request.path),
            event: request.header("webhook-id").to_owned(),
            stamp: request.header("webhook-timestamp").to_owned(),
            signature: request.header("webhook-signature").to_owned(),
            body: request.body.clone(),
            test: request.header("webhook-test") == "true",
            status,
            cut_off: false,
        };
        if request.header("host") != name {
            self.trace.wrong(at, format_args!("{name} got a request for {}", request.header("host")));
        }
        let what = if received.test { "test" } else { "event" };
        self.trace.say(at, format_args!("{what} {} at {} -> {status}", received.event, received.url));
        self.received.lock().push(received);
    }

    /// What was received since this was asked last.
    pub(crate) fn take_received(&self) -> Vec<Received> {
        let mut all = std::mem::take(&mut *self.received.lock());
        let lost = self.lost.lock();
        for received in &mut all {
            let waits = received.at..=received.at + ATTEMPT_MILLIS;
            received.cut_off = lost.iter().any(|lost| waits.contains(lost));
        }
        all
    }
}

impl Resolver for Network {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let mut hosts = self.hosts.lock();
        let Some((number, host)) = hosts.iter_mut().enumerate().find(|(_, host)| host.name == name) else {
            self.trace.wrong(self.time.now(), format_args!("somebody asked for {name}"));
            return Box::pin(async { Err(io::ErrorKind::NotFound.into()) });
        };
        match self.line.lock().0 {
            Line::NoNameServer => {
                return Box::pin(async {
                    tokio::time::sleep(SILENCE).await;
                    Err(io::Error::other(NoNameServer("the line is down".into())))
                });
            }
            Line::NoRoute if host.dns != Name::Right => {
                return Box::pin(async { Err(io::Error::other("the server has failed")) });
            }
            Line::There | Line::NoRoute => {}
        }
        host.asked += 1;
        let inside: IpAddr = [10, 0, 0, 7].into();
        let (right, moved) = (address(number, false), address(number, true));
        let answer = match host.dns {
            Name::Right | Name::Slow(_) => vec![right],
            Name::Moved => vec![moved],
            Name::Inside => vec![inside],
            Name::Mixed => vec![right, inside],
            Name::Flips if host.asked % 2 == 0 => vec![inside],
            Name::Flips => vec![right],
            Name::Gone | Name::Hangs => vec![],
        };
        if !answer.contains(&inside) {
            host.allowed.extend(&answer);
        }
        let dns = host.dns;
        Box::pin(async move {
            match dns {
                Name::Gone => Err(io::ErrorKind::NotFound.into()),
                Name::Hangs => std::future::pending().await,
                Name::Slow(seconds) => {
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                    Ok(answer)
                }
                _ => Ok(answer),
            }
        })
    }

    fn is_answered(&self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            let silent = self.line().0 == Line::NoNameServer;
            if silent {
                tokio::time::sleep(SILENCE).await;
            }
            !silent
        })
    }
}

/// What the dialer shares with the receivers it starts.
pub(crate) struct Shared(pub(crate) Arc<Network>);

impl Dialer for Shared {
    fn dial(&self, target: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        let network = Arc::clone(&self.0);
        let host = {
            let hosts = network.hosts.lock();
            let host = host_at(target.ip())
                .filter(|host| hosts.get(*host).is_some_and(|known| known.allowed.contains(&target.ip())));
            if host.is_none() || target.port() != 443 {
                network.trace.wrong(network.time.now(), format_args!("{target} was dialled"));
            }
            host.map(|host| (host, hosts[host].mood))
        };
        Box::pin(async move {
            if !network.has_line() {
                return Err(io::ErrorKind::NetworkUnreachable.into());
            }
            let Some((host, mood)) = host else { return Err(io::ErrorKind::NetworkUnreachable.into()) };
            match mood {
                Mood::Refuses => return Err(io::ErrorKind::ConnectionRefused.into()),
                Mood::Swallows => std::future::pending().await,
                _ => {}
            }
            let (stream, theirs) = duplex(PIPE_BYTES);
            tokio::spawn(serve(Arc::clone(&network), host, theirs));
            let peer = if mood == Mood::Elsewhere { ([10, 0, 0, 9], 443).into() } else { target };
            Ok(Box::new(At { stream, peer, network }) as Box<dyn Stream>)
        })
    }

    fn has_route(&self, _: IpAddr) -> bool {
        self.0.has_line()
    }
}

/// A stream that says whom it leads to. Nothing can be sent on it while there is no way.
struct At {
    stream: DuplexStream,
    peer: SocketAddr,
    network: Arc<Network>,
}

impl Stream for At {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.peer)
    }
}

impl AsyncRead for At {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for At {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if !self.network.has_line() {
            return Poll::Ready(Err(io::ErrorKind::NetworkUnreachable.into()));
        }
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
