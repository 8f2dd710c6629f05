//! The limits of requests: private addresses, and simultaneous requests.

use domain::ProblemCode;

use super::*;

fn input(url: &str) -> CalendarInput {
    CalendarInput {
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
