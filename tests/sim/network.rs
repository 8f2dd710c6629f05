//! The scripted network: host names with changing addresses, hosts with different behaviour, and the requests that the
//! hosts have received.
//!
//! The webhook receivers and the servers of connected calendars are in separate lists. The test chooses receivers only
//! from the list of receivers. So a seed leads to the same receivers, with or without calendar servers.
//!
//! The network records a violation if the service resolves an unknown name, or connects to an address that is not
//! permitted. An address is permitted if a lookup has returned it and the response to that lookup contained no internal
//! address.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use domain::{BusinessId, StaffId};
use parking_lot::Mutex;
use ports::{BoxFuture, Dialer, NoNameServer, Resolver, Stream};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf, duplex};

use crate::dice::Dice;
use crate::hooks::ATTEMPT_MILLIS;
use crate::practices::{CalendarHost, Weather};
use crate::receiver::{Request, serve};
use crate::time::Time;
use crate::world::Trace;

/// The size of a connection's buffer. Every request fits into it, so the length of a request does not change the order
/// of events.
const PIPE_BYTES: usize = 64 << 10;

/// The time after which the service concludes that no name server is responding.
const SILENCE: Duration = Duration::from_secs(7);

/// The state of the network to which the service is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The network works.
    There,
    /// There is no route. Some names are still cached. For all others, the local resolver reports a temporary failure.
    NoRoute,
    /// No name server responds to queries.
    NoNameServer,
}

/// The behaviour of a host when it gets a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// Responds with 200 and keeps the connection open.
    Takes,
    /// Responds with 204 after this number of seconds.
    TakesSlowly(u64),
    /// Responds with 202 and closes the connection.
    TakesOnce,
    /// Responds with 200 and a body that never ends.
    Floods,
    /// Responds with this status.
    Fails(u16),
    /// Responds with a redirect to an internal name.
    Redirects,
    /// Reads the request and sends no response.
    Hangs,
    /// Accepts the connection and sends nothing, not even a TLS handshake.
    Mute,
    /// Reads the request and closes the connection.
    Closes,
    /// Sends bytes that are not an HTTP response.
    Babbles,
    /// Accepts one of every `n` requests, and refuses the others. The field is `n`.
    Flaps(u32),
    /// Presents a certificate from a CA that the service does not trust.
    Impostor,
    /// Refuses all connections.
    Refuses,
    /// Does not respond to connection attempts.
    Swallows,
    /// Presents the certificate of another host.
    Elsewhere,
}

/// The addresses to which the name of a host resolves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// The address of the host.
    Right,
    /// The second address of the host, to which it has moved.
    Moved,
    /// An internal address.
    Inside,
    /// Two addresses: the address of the host and an internal address.
    Mixed,
    /// One address per lookup: by turns the address of the host and an internal address.
    Flips,
    /// The name has no address.
    Gone,
    /// The lookup gets no response.
    Hangs,
    /// The address of the host. The lookup takes this number of seconds.
    Slow(u64),
}

/// A host and its current state.
struct Host {
    name: String,
    mood: Mood,
    dns: Name,
    asked: u32,
    served: u32,
    /// The addresses to which the service may connect: all addresses in responses to lookups of this host. A response
    /// with an internal address does not count.
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
    /// The status of the response. It is 0 if there was no response.
    pub(crate) status: u16,
    /// Whether the connection was lost, or may have been lost, before the response. The service need not count such an
    /// attempt as failed.
    pub(crate) cut_off: bool,
}

pub(crate) struct Network {
    time: Arc<Time>,
    trace: Arc<Trace>,
    hosts: Mutex<Vec<Host>>,
    received: Mutex<Vec<Received>>,
    calendars: Mutex<Vec<Arc<CalendarHost>>>,
    /// The state of the network, and the time at which it began.
    line: Mutex<(Line, i64)>,
    /// The times at which the state of the network became [`Line::NoRoute`].
    lost: Mutex<Vec<i64>>,
}

fn address(host: usize, other: bool) -> IpAddr {
    let [high, low] = u16::try_from(host + 1).unwrap().to_be_bytes();
    if other { [151, 101, high, low].into() } else { [93, 184, high, low].into() }
}

/// Returns the address of a calendar server.
fn calendar_address(number: usize) -> IpAddr {
    let [high, low] = u16::try_from(number).unwrap().to_be_bytes();
    [93, 185, high, low].into()
}

/// Returns the number of the host that has this address.
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
        Self { time, trace, hosts, received, calendars: Mutex::default(), line, lost }
    }

    /// Adds the server of a calendar. Its name always has the same address.
    pub(crate) fn add_calendar(&self, of: (BusinessId, StaffId), dice: Dice) -> Arc<CalendarHost> {
        let mut calendars = self.calendars.lock();
        let name = format!("c{}.example.com", calendars.len());
        let clock = (Arc::clone(&self.time), Arc::clone(&self.trace));
        let host = Arc::new(CalendarHost::new(name, of, dice, clock));
        calendars.push(Arc::clone(&host));
        host
    }

    pub(crate) fn calendars(&self) -> Vec<Arc<CalendarHost>> {
        self.calendars.lock().clone()
    }

    /// Returns the server that accepts connections to this address.
    fn calendar_at(&self, target: SocketAddr) -> Option<Arc<CalendarHost>> {
        let calendars = self.calendars.lock();
        let number = (0..calendars.len()).find(|number| calendar_address(*number) == target.ip())?;
        (target.port() == 443).then(|| Arc::clone(&calendars[number]))
    }

    async fn connect(
        self: Arc<Self>,
        host: Arc<CalendarHost>,
        peer: SocketAddr,
    ) -> io::Result<Box<dyn Stream>> {
        if !self.has_line() {
            return Err(io::ErrorKind::NetworkUnreachable.into());
        }
        if host.refuses_connections() {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let (stream, theirs) = duplex(PIPE_BYTES);
        tokio::spawn(host.serve(theirs));
        Ok(Box::new(At { stream, peer, network: self }))
    }

    /// Sets the state of the network.
    pub(crate) fn set_line(&self, line: Line) {
        let now = self.time.now();
        self.trace.say(now, format_args!("the network is now {line:?}"));
        *self.line.lock() = (line, now);
        if line == Line::NoRoute {
            self.lost.lock().push(now);
        }
    }

    /// Returns the state of the network, and the time at which it began.
    pub(crate) fn line(&self) -> (Line, i64) {
        *self.line.lock()
    }

    fn has_line(&self) -> bool {
        self.line().0 != Line::NoRoute
    }

    /// Adds a host and returns its number.
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

    /// Makes the network and every host work.
    pub(crate) fn heal(&self) {
        if self.line().0 != Line::There {
            self.set_line(Line::There);
        }
        for host in self.hosts.lock().iter_mut() {
            (host.mood, host.dns) = (Mood::Takes, Name::Right);
        }
        self.calendars().iter().for_each(|host| host.set_weather(Weather::Fair));
    }

    pub(crate) fn mood(&self, host: usize) -> Mood {
        self.hosts.lock()[host].mood
    }

    /// Returns the behaviour of the host for the next request.
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

    /// Records a request.
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

    /// Returns the requests that were received since the last call.
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
        if let Some(number) = self.calendars.lock().iter().position(|host| host.name == name) {
            let is_silent = self.line().0 == Line::NoNameServer;
            return Box::pin(async move {
                if is_silent {
                    tokio::time::sleep(SILENCE).await;
                    return Err(io::Error::other(NoNameServer("the line is down".into())));
                }
                Ok(vec![calendar_address(number)])
            });
        }
        let mut hosts = self.hosts.lock();
        let Some((number, host)) = hosts.iter_mut().enumerate().find(|(_, host)| host.name == name) else {
            self.trace.wrong(self.time.now(), format_args!("the service resolved the unknown name {name}"));
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

/// A dialer that connects the service to the hosts of the network.
pub(crate) struct Shared(pub(crate) Arc<Network>);

impl Dialer for Shared {
    fn dial(&self, target: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn Stream>>> {
        let network = Arc::clone(&self.0);
        if let Some(host) = network.calendar_at(target) {
            return Box::pin(network.connect(host, target));
        }
        let host = {
            let hosts = network.hosts.lock();
            let host = host_at(target.ip())
                .filter(|host| hosts.get(*host).is_some_and(|known| known.allowed.contains(&target.ip())));
            if host.is_none() || target.port() != 443 {
                network.trace.wrong(
                    network.time.now(),
                    format_args!("the service connected to {target}, which is not permitted"),
                );
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

/// A connection to the address `peer`. Writes fail while there is no route.
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
