//! The limits of requests: private addresses, and simultaneous requests.

use domain::ProblemCode;
use tokio::task::JoinSet;

use super::*;

fn input(url: &str) -> CalendarInput {
    CalendarInput {
        id: None,
        kind: CalendarKind::Ics,
        url: url.into(),
        login: None,
        password_of: None,
        collection: None,
    }
}

fn redirect(target: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nconnection: close\r\nlocation: {target}\r\ncontent-length: 0\r\n\r\n")
}

impl World {
    /// Starts a server at a private address that the operator has listed.
    fn listed(&self, host: &str, response: String) -> Arc<Receiver> {
        self.engine.set_calendar_hosts([format!("{host}:443")]);
        self.dns.set(host, &["10.0.0.1"]);
        let receiver = Receiver::new(self.authority.server(host), response, Then::GoesOn);
        self.net.put("10.0.0.1:443", Place::Receiver(receiver.clone()));
        receiver
    }
}

#[tokio::test(start_paused = true)]
async fn a_redirect_does_not_reach_a_listed_server() {
    let world = World::new().await;
    let listed = "cal.corp.example";
    let entered = input(&format!("https://{listed}/entered.ics"));
    world.listed(listed, file(&[("a", 10, 12)]));
    world.business.check_calendar(entered.clone()).await.unwrap();
    world.serve(1, &redirect(&format!("https://{listed}/chosen")));
    for target in [format!("https://{HOST}/x.ics"), format!("https://{listed}/chosen"), "/chosen".to_owned()]
    {
        let inner = world.listed(listed, redirect(&target));
        let refused = world.business.check_calendar(entered.clone()).await.unwrap_err();
        let EngineError::Refused(Refusal::Invalid(problems)) = &refused else { panic!("{refused:?}") };
        let ProblemCode::Calendar(error) = &problems[0].code else { panic!("{problems:?}") };
        assert_eq!(error.code, CalendarFault::Unreachable, "{target}");
        let requests = inner.requests();
        assert!(requests.len() == 1 && requests[0].starts_with("GET /entered.ics"), "{target}: {requests:?}");
    }
}

const HANGING: &str = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n";

#[tokio::test(start_paused = true)]
async fn checks_count_towards_the_requests_to_a_host() {
    let world = World::new().await;
    let server = world.serve_then(1, HANGING, Then::Hangs);
    let mut checks = JoinSet::new();
    for number in 0..6 {
        let business = world.business.clone();
        checks
            .spawn(async move { business.check_calendar(input(&format!("https://{HOST}/{number}"))).await });
    }
    settle().await;
    assert_eq!(server.requests().len(), 4);
    let results = checks.join_all().await;
    let overloaded = results.iter().filter(|result| matches!(result, Err(EngineError::Overloaded)));
    assert_eq!(
        (overloaded.count(), server.requests().len()),
        (2, 4),
        "a wait ends before the slow responses do"
    );
}

#[tokio::test(start_paused = true)]
async fn the_check_of_a_change_waits_for_the_request_to_the_calendar() {
    let world = World::new().await;
    let server = world.serve_then(1, HANGING, Then::Hangs);
    let id = world.connect().await;
    let change = || CalendarInput { id: Some(id), ..input(&format!("https://{HOST}/secret.ics")) };
    let waited = world.business.check_calendar(change()).await;
    assert!(matches!(waited, Err(EngineError::Overloaded)), "{waited:?}");
    assert_eq!(server.requests().len(), 1, "the read has not ended");
    sleep(Duration::from_secs(10)).await;
    let server = world.serve(2, &file(&[("a", 10, 12)]));
    let (began, business) = (tokio::time::Instant::now(), world.business.clone());
    sleep(Duration::from_secs(6)).await;
    business.check_calendar(change()).await.unwrap();
    assert!(began.elapsed() > Duration::from_secs(9), "the check waited for the end of the read");
    assert_eq!(server.requests().len(), 1);
}
