//! Measures 512 clients that book the same time at the same moment. One of them gets the time, and all others are
//! refused.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::client::{Connection, request};
use crate::error::Result;
use crate::group::{Context, Group};
use crate::measure::{Measured, nanos};
use crate::process::Receptionist;
use crate::shop::{Hours, Plan, Shop, slot};
use crate::table::{Row, Target};

const NAME: &str = "512 clients compete for one slot";
const CLIENTS: usize = 512;

/// A business with one staff member. Its half-hour slots are booked one by one.
pub(crate) struct OneSlot {
    server: Receptionist,
    shop: Shop,
    /// The number of half-hour slots that are already booked.
    done: usize,
}

impl Group for OneSlot {
    fn rows(_context: &Context) -> Vec<Row> {
        vec![Row::reaching(NAME, &[Target::P99 { under: 50.0 }])]
    }

    async fn set_up(context: &Context, _rows: &[Row]) -> Result<Self> {
        let directory = context.path("one-slot");
        let plan = Plan {
            businesses: 1,
            kept: 1,
            staff: 1,
            appointments: 0,
            hours: Hours::Always,
            first_day: context.first_day,
        };
        let shop = plan.fill(&directory).await?.pop().ok_or("there is no business")?;
        Ok(Self { server: Receptionist::start(&directory, None)?, shop, done: 0 })
    }

    async fn measure(&mut self, context: &Context, _row: &'static str) -> Result<Measured> {
        let times = context.options.sized(20, 4);
        let bodies: Arc<Vec<Vec<u8>>> =
            Arc::new((0..times).map(|at| self.booking(context, self.done + at)).collect());
        self.done += times;
        let barrier = Arc::new(Barrier::new(CLIENTS));
        let mut connections = Vec::new();
        for _ in 0..CLIENTS {
            connections.push(Connection::open(self.server.public).await?);
        }
        let mut clients = JoinSet::new();
        let cpu = self.server.process.cpu_seconds()?;
        let started = Instant::now();
        for connection in connections {
            clients.spawn(client(connection, Arc::clone(&bodies), Arc::clone(&barrier)));
        }
        let (mut all, mut winners) = (Vec::new(), vec![0; times]);
        while let Some(ended) = clients.join_next().await {
            let (mut took, won) = ended??;
            all.append(&mut took);
            won.into_iter().for_each(|at| winners[at] += 1);
        }
        if winners.iter().any(|winners| *winners != 1) {
            return Err(format!("not every time was given to exactly one client: {winners:?}").into());
        }
        let measured = Measured::of(&mut all, started.elapsed());
        let process = &self.server.process;
        Ok(Measured {
            cpu_seconds: Some(process.cpu_seconds()? - cpu),
            memory: process.peak_memory(),
            ..measured
        })
    }
}

impl OneSlot {
    fn booking(&self, context: &Context, number: usize) -> Vec<u8> {
        let (service, staff, contact) = (&self.shop.service, &self.shop.staff[0], &self.shop.contact);
        let starts_at = slot(context.first_day, number, 1);
        let body = format!(
            r#"{{"service_id":"{service}","staff_id":"{staff}","starts_at":"{starts_at}","contact_id":"{contact}"}}"#
        );
        request("POST", "/v1/appointments", &self.shop.key, Some(&body))
    }
}

/// Requests the half-hour slots one by one. All clients request the same slot at the same moment. Returns the durations
/// of the requests, and the slots that this client got.
async fn client(
    mut connection: Connection,
    requests: Arc<Vec<Vec<u8>>>,
    together: Arc<Barrier>,
) -> Result<(Vec<u64>, Vec<usize>)> {
    let (mut took, mut won) = (Vec::new(), Vec::new());
    for (at, request) in requests.iter().enumerate() {
        together.wait().await;
        let sent = Instant::now();
        let answer = connection.exchange(request).await?;
        took.push(nanos(sent.elapsed()));
        if answer.status == 201 {
            won.push(at);
        } else {
            answer.expect(409)?;
            answer.expect_in_body(br#""code":"slot_unavailable""#)?;
        }
    }
    Ok((took, won))
}
