//! The requests that connections send, and the checks of the responses to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::client::{Answer, request};
use crate::drive::Script;
use crate::error::Result;
use crate::shop::{Shop, slot};

/// A script that sends the same request again and again, and expects the same response each time.
#[derive(Clone)]
pub(crate) struct Constant {
    request: Arc<[u8]>,
    body: Arc<[u8]>,
}

impl Constant {
    /// Creates a script from a request and the expected response body, which the caller has already checked.
    pub(crate) fn new(request: &[u8], body: &[u8]) -> Self {
        Self { request: request.into(), body: body.into() }
    }
}

impl Script for Constant {
    fn next(&mut self, request: &mut Vec<u8>) -> bool {
        request.extend_from_slice(&self.request);
        true
    }

    fn check(&mut self, answer: &Answer<'_>) -> Result<()> {
        answer.expect(200)?;
        if answer.body == &*self.body { Ok(()) } else { Err(answer.wrong("the body has changed")) }
    }
}

/// Placeholders in the body of a booking. They are as long as the values that replace them.
const STAFF: &str = "00000000-0000-0000-0000-000000000000";
const STARTS_AT: &str = "0000-00-00T00:00:00.000Z";
const PHONE: &str = "+33000000000";

/// The contact for whom appointments are booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum For {
    /// An existing contact, identified by its id.
    Known,
    /// A new contact for each booking, with a name and a phone number.
    New,
}

/// Bookings that all succeed, because each has a time of its own.
pub(crate) struct Bookings {
    shops: Vec<Booked>,
    first_day: i64,
    /// The number of requests so far. It determines the business of the next request, because the businesses take
    /// turns.
    count: AtomicUsize,
    /// The number of half hours that were already booked at each business.
    taken: usize,
    /// The maximum number of requests, and the ids of the appointments that were created. If the number of
    /// requests is not limited, this is `None` and no ids are stored.
    kept: Option<(usize, Mutex<Vec<String>>)>,
}

struct Booked {
    staff: Vec<String>,
    /// A whole request in which the placeholders have not been replaced.
    template: Vec<u8>,
    staff_at: usize,
    starts_at_at: usize,
    phone_at: Option<usize>,
}

impl Bookings {
    /// The scripts book at these businesses in turn. The first `taken` half hours of each business are already booked.
    pub(crate) fn new(shops: &[Shop], first_day: i64, taken: usize, whom: For) -> Result<Arc<Self>> {
        Ok(Arc::new(Self::all(shops, first_day, taken, whom)?))
    }

    /// Creates at most `limit` bookings, and stores the ids of the appointments.
    pub(crate) fn limited(shops: &[Shop], first_day: i64, taken: usize, limit: usize) -> Result<Arc<Self>> {
        let kept = Some((limit, Mutex::default()));
        Ok(Arc::new(Self { kept, ..Self::all(shops, first_day, taken, For::Known)? }))
    }

    fn all(shops: &[Shop], first_day: i64, taken: usize, whom: For) -> Result<Self> {
        let shops = shops.iter().map(|shop| Booked::new(shop, whom)).collect::<Result<_>>()?;
        Ok(Self { shops, first_day, count: AtomicUsize::new(0), taken, kept: None })
    }

    /// Returns one script for each of `connections` connections.
    pub(crate) fn scripts(self: &Arc<Self>, connections: usize) -> Vec<Booking> {
        (0..connections).map(|_| Booking::of(self)).collect()
    }

    /// Returns the number of requests so far.
    pub(crate) fn asked(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Returns the ids of the appointments that were created. The list is empty if no ids are stored.
    pub(crate) fn made(&self) -> Vec<String> {
        self.kept.as_ref().map(|(_, ids)| ids.lock().clone()).unwrap_or_default()
    }
}

impl Booked {
    fn new(shop: &Shop, whom: For) -> Result<Self> {
        let contact = match whom {
            For::Known => format!(r#""contact_id":"{}""#, shop.contact),
            For::New => format!(r#""contact":{{"name":"Jean Petit","phone":"{PHONE}"}}"#),
        };
        let service = &shop.service;
        let body = format!(
            r#"{{"service_id":"{service}","staff_id":"{STAFF}","starts_at":"{STARTS_AT}",{contact}}}"#
        );
        let template = request("POST", "/v1/appointments", &shop.key, Some(&body));
        let at = |text: &str| memchr::memmem::find(&template, text.as_bytes());
        Ok(Self {
            staff: shop.staff.clone(),
            staff_at: at(STAFF).ok_or("the template has no staff member")?,
            starts_at_at: at(STARTS_AT).ok_or("the template has no start")?,
            phone_at: at(PHONE),
            template,
        })
    }
}

/// The script of one connection that makes bookings.
pub(crate) struct Booking {
    all: Arc<Bookings>,
    starts_at: String,
    /// The indexes of the business and of the staff member in the current request.
    asked: (usize, usize),
}

impl Booking {
    fn of(all: &Arc<Bookings>) -> Self {
        Self { all: Arc::clone(all), starts_at: String::new(), asked: (0, 0) }
    }
}

impl Script for Booking {
    fn next(&mut self, request: &mut Vec<u8>) -> bool {
        let count = self.all.count.fetch_add(1, Ordering::Relaxed);
        if self.all.kept.as_ref().is_some_and(|(limit, _)| count >= *limit) {
            return false;
        }
        let (shop, number) = (count % self.all.shops.len(), self.all.taken + count / self.all.shops.len());
        let booked = &self.all.shops[shop];
        let staff = number % booked.staff.len();
        self.asked = (shop, staff);
        self.starts_at = slot(self.all.first_day, number, booked.staff.len()).to_string();
        request.extend_from_slice(&booked.template);
        put(request, booked.starts_at_at, &self.starts_at);
        put(request, booked.staff_at, &booked.staff[staff]);
        if let Some(at) = booked.phone_at {
            put(request, at, &format!("+336{count:08}"));
        }
        true
    }

    fn check(&mut self, answer: &Answer<'_>) -> Result<()> {
        answer.expect(201)?;
        answer.expect_in_body(br#""status":"confirmed""#)?;
        answer.expect_in_body(self.starts_at.as_bytes())?;
        answer.expect_in_body(self.all.shops[self.asked.0].staff[self.asked.1].as_bytes())?;
        if let Some((_, ids)) = &self.all.kept {
            ids.lock().push(id(answer)?);
        }
        Ok(())
    }
}

/// Returns the id of the record in a response. The id is the first property of every record.
fn id(answer: &Answer<'_>) -> Result<String> {
    const BEFORE: usize = r#"{"data":{"id":""#.len();
    let id = answer.body.get(BEFORE..BEFORE + 36).ok_or_else(|| answer.wrong("expected an id"))?;
    Ok(std::str::from_utf8(id)?.to_owned())
}

fn put(request: &mut [u8], at: usize, text: &str) {
    request[at..at + text.len()].copy_from_slice(text.as_bytes());
}

/// A script that makes four reads and then a booking, at each business in turn.
pub(crate) struct Mixed {
    booking: Booking,
    shops: Arc<[Shop]>,
    date: String,
    turn: usize,
    last: Option<String>,
}

impl Mixed {
    /// Returns the scripts for several connections. Each starts at a different business.
    pub(crate) fn scripts(
        bookings: &Arc<Bookings>,
        shops: &[Shop],
        date: &str,
        connections: usize,
    ) -> Vec<Self> {
        let shops: Arc<[Shop]> = shops.into();
        let one = |number: usize| Self {
            booking: Booking::of(bookings),
            shops: Arc::clone(&shops),
            date: date.to_owned(),
            turn: 7 * number,
            last: None,
        };
        (0..connections).map(one).collect()
    }

    fn shop(&self) -> &Shop {
        &self.shops[(self.turn / 5 * 31) % self.shops.len()]
    }
}

impl Script for Mixed {
    fn next(&mut self, out: &mut Vec<u8>) -> bool {
        self.turn += 1;
        let shop = self.shop();
        let path = match (self.turn % 5, &self.last) {
            (0, _) => return self.booking.next(out),
            (1, _) => format!("/v1/availability?service_id={}&start_date={}", shop.service, self.date),
            (2, _) => "/v1/appointments?limit=20".to_owned(),
            (3, Some(last)) => {
                let shop = &self.shops[self.booking.asked.0];
                out.extend(request("GET", &format!("/v1/appointments/{last}"), &shop.key, None));
                return true;
            }
            _ => "/v1/me".to_owned(),
        };
        out.extend(request("GET", &path, &shop.key, None));
        true
    }

    fn check(&mut self, answer: &Answer<'_>) -> Result<()> {
        match (self.turn % 5, &self.last) {
            (0, _) => {
                self.booking.check(answer)?;
                self.last = Some(id(answer)?);
                Ok(())
            }
            (1 | 2, _) => {
                answer.expect(200)?;
                answer.expect_in_body(br#""has_more":"#)
            }
            (3, Some(last)) => {
                answer.expect(200)?;
                answer.expect_in_body(last.as_bytes())
            }
            _ => {
                answer.expect(200)?;
                answer.expect_in_body(self.shop().id.as_bytes())
            }
        }
    }
}

/// A script for the steps of the booking page up to the form: services, times and details. Each request seems to come
/// from an address of its own, through a proxy, so the limit on requests per address does not apply.
pub(crate) struct Steps {
    paths: Arc<[String; 3]>,
    turn: usize,
}

impl Steps {
    pub(crate) fn scripts(shop: &Shop, date: &str, connections: usize) -> Vec<Self> {
        let service = format!("/book/salon?service={}&date={date}", shop.service);
        // All appointments start on the hour, so this half hour is free.
        let times = format!("{service}&time={date}T08:30:00Z");
        let paths = Arc::new(["/book/salon".to_owned(), service, times]);
        (0..connections).map(|number| Self { paths: Arc::clone(&paths), turn: number << 16 }).collect()
    }
}

impl Script for Steps {
    fn next(&mut self, out: &mut Vec<u8>) -> bool {
        self.turn += 1;
        let [_, a, b, c] = u32::try_from(self.turn).unwrap_or_default().to_be_bytes();
        let path = &self.paths[self.turn % 3];
        let head = format!("GET {path} HTTP/1.1\r\nhost: bench\r\nx-forwarded-for: 10.{a}.{b}.{c}\r\n\r\n");
        out.extend_from_slice(head.as_bytes());
        true
    }

    fn check(&mut self, answer: &Answer<'_>) -> Result<()> {
        answer.expect(200)?;
        answer.expect_in_body(if self.turn % 3 == 2 { b"form_id" } else { b"Salon 0" })
    }
}
