//! Measures reads in comparison with the bare server: `/me`, availability and a page of appointments. The steps of the
//! booking page are measured in comparison with availability.

use std::net::SocketAddr;

use chrono::DateTime;
use serde_json::Value;

use crate::client::{Connection, request};
use crate::drive::drive;
use crate::error::Result;
use crate::floors::{CONSTANT, bare_server};
use crate::group::{Context, Group};
use crate::measure::Measured;
use crate::process::{Process, Receptionist, Start, TOKEN};
use crate::scripts::{Constant, Steps};
use crate::shop::{Hours, Plan, Shop};
use crate::table::{Row, Target};

const BARE: &str = "bare axum server";
const ME: &str = "GET /me";
const DAY: &str = "availability of one day";
const WEEK: &str = "availability of a week";
const PAGE: &str = "page of 50 appointments";
const STEPS: &str = "booking page's steps, 64 connections";

const CONNECTIONS: usize = 64;
const STAFF: usize = 3;
const APPOINTMENTS: usize = 200;

/// A business with three staff members and 200 future appointments, and the requests that are sent to it.
pub(crate) struct Reads {
    bare: (Process, SocketAddr),
    server: Receptionist,
    shop: Shop,
}

impl Group for Reads {
    fn rows(_context: &Context) -> Vec<Row> {
        let of_the_floor = |at_least| Target::Rate { of: BARE, at_least };
        vec![
            Row::plain(BARE),
            Row::reaching(ME, &[of_the_floor(0.70)]),
            Row::reaching(DAY, &[of_the_floor(0.55)]),
            Row::plain(WEEK),
            Row::reaching(PAGE, &[of_the_floor(0.20)]),
            Row::reaching(STEPS, &[Target::Rate { of: DAY, at_least: 0.20 }]),
        ]
    }

    async fn set_up(context: &Context, _rows: &[Row]) -> Result<Self> {
        let directory = context.path("reads");
        let plan = Plan {
            businesses: 1,
            kept: 1,
            staff: STAFF,
            appointments: APPOINTMENTS,
            hours: Hours::ByDay,
            first_day: context.first_day,
        };
        let shop = plan.fill(&directory).await?.pop().ok_or("there is no business")?;
        let settings = [("RECEPTIONIST_TRUSTED_PROXIES", "127.0.0.1")];
        let server = Receptionist::start_with(&directory, Start { settings: &settings, ..Start::default() })?;
        let path = format!("/admin/v1/businesses/{}/website", shop.id);
        let page = request("PATCH", &path, TOKEN, Some(r#"{"enabled":true,"slug":"salon"}"#));
        Connection::open(server.operator).await?.exchange(&page).await?.expect(200)?;
        Ok(Self { bare: bare_server()?, server, shop })
    }

    async fn measure(&mut self, context: &Context, row: &'static str) -> Result<Measured> {
        let day = |number: i64| {
            let day = DateTime::from_timestamp_millis(context.first_day + number * 86_400_000);
            day.unwrap_or_default().format("%Y-%m-%d").to_string()
        };
        if row == STEPS {
            let scripts = Steps::scripts(&self.shop, &day(0), CONNECTIONS);
            return drive(self.server.public, scripts, context.options.period, &self.server.process).await;
        }
        let from = format!("/v1/availability?service_id={}&start_date={}", self.shop.service, day(0));
        let (process, address, path) = match row {
            BARE => (&self.bare.0, self.bare.1, "/v1/me".to_owned()),
            ME => (&self.server.process, self.server.public, "/v1/me".to_owned()),
            DAY => (&self.server.process, self.server.public, from),
            WEEK => (&self.server.process, self.server.public, format!("{from}&end_date={}", day(6))),
            _ => (&self.server.process, self.server.public, "/v1/appointments?limit=50".to_owned()),
        };
        let request = request("GET", &path, &self.shop.key, None);
        let mut connection = Connection::open(address).await?;
        let answer = connection.exchange(&request).await?;
        answer.expect(200)?;
        self.check(row, answer.body).map_err(|error| answer.wrong(&error.to_string()))?;
        let script = Constant::new(&request, answer.body);
        drive(address, vec![script; CONNECTIONS], context.options.period, process).await
    }
}

impl Reads {
    /// Checks the first response to a request in detail. All later responses to the request must be equal to it.
    fn check(&self, row: &str, body: &[u8]) -> Result<()> {
        let json: Value = serde_json::from_slice(body)?;
        let data = &json["data"];
        let length = data.as_array().map(Vec::len).unwrap_or_default();
        // The business is open from 09:00 to 18:00 in Paris, so a day has 18 half hours. Each appointment takes half
        // an hour. On each of the first nine days, all three staff members have appointments at 08:00, 09:00 and so
        // on until 14:00 UTC. So seven of the 18 half hours are taken.
        let good = match row {
            BARE => body == CONSTANT.as_bytes(),
            ME => data["business"]["id"] == self.shop.id.as_str(),
            DAY => length == 18 - 7 && json["has_more"] == false,
            WEEK => length == 7 * (18 - 7) && json["has_more"] == false,
            _ => {
                length == 50
                    && json["has_more"] == true
                    && data[49]["service_id"] == self.shop.service.as_str()
            }
        };
        if good { Ok(()) } else { Err(format!("it is not the response to {row}").into()) }
    }
}
