//! A simulated business that answers the requests of the rules, and a caller.

use chrono::{Datelike, Days, NaiveDate, NaiveTime, TimeDelta, TimeZone};
use chrono_tz::Tz;
use domain::{AppointmentId, BookingMode, ContactId, Locale, MessageId, ServiceId, StaffId, Timestamp};
use talk::{
    Answer, Answers, Ask, Channel, Draft, Effect, EffectKind, Facts, Input, MessageAsk, OfferedService,
    OfferedStaff, OpenDay, Opening, Output, OwnAppointment, Passage, Refused, Said, Start, Talk, Turned,
};
use uuid::Uuid;

pub(crate) const ZONE: Tz = chrono_tz::Europe::Paris;
pub(crate) const CODE: &str = "482913";
pub(crate) const CALLER: &str = "+33612345678";

pub(crate) fn id<T: From<Uuid>>(number: u128) -> T {
    T::from(Uuid::from_u128(number))
}

pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// Friday 20 November 2026, 9:00 in Paris.
pub(crate) fn now() -> Timestamp {
    at("2026-11-20T08:00:00Z")
}

pub(crate) fn instant(date: NaiveDate, time: NaiveTime) -> Timestamp {
    ZONE.from_local_datetime(&date.and_time(time)).unwrap().to_utc().into()
}

#[derive(Clone, Debug)]
pub(crate) struct Booked {
    pub(crate) contact: ContactId,
    pub(crate) own: OwnAppointment,
}

pub(crate) struct World {
    pub(crate) facts: Facts,
    pub(crate) now: Timestamp,
    pub(crate) appointments: Vec<Booked>,
    pub(crate) messages: Vec<MessageAsk>,
    /// Every change that the rules asked for, in order.
    pub(crate) changes: Vec<Ask>,
    /// The number of changes that were made. Refused changes do not count.
    pub(crate) made: usize,
    /// The hours and minutes of the openings on each day from Monday to Friday.
    pub(crate) times: Vec<(u32, u32)>,
    pub(crate) taken: Vec<Timestamp>,
    /// If set, the next change is refused for this reason.
    pub(crate) refuses: Option<Refused>,
    pub(crate) passages: Vec<Passage>,
    next: u128,
}

pub(crate) fn facts() -> Facts {
    let service = |number, name: &str, staff: &[u128]| OfferedService {
        id: id::<ServiceId>(number),
        name: name.into(),
        staff: staff.iter().map(|number| id(*number)).collect(),
    };
    let member = |number, name: &str| OfferedStaff { id: id::<StaffId>(number), name: name.into() };
    let start = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
    let clock = |hour| NaiveTime::from_hms_opt(hour, 0, 0).unwrap();
    let day = |days| {
        let date = start + Days::new(days);
        let is_closed = date.weekday().number_from_monday() >= 6;
        OpenDay { date, windows: if is_closed { vec![] } else { vec![(clock(9), clock(18))] } }
    };
    Facts {
        business: "Salon Lumière".into(),
        zone: ZONE,
        locale: Locale::En,
        phone_region: "FR".into(),
        booking_mode: BookingMode::Instant,
        services: vec![service(1, "Haircut", &[11, 12]), service(2, "Colour", &[12])],
        staff: vec![member(11, "Julia Martin"), member(12, "Karim Benali")],
        hours: (0..14).map(day).collect(),
        phone: Some("+33140000000".into()),
        email: None,
        address: Some("3 rue des Lilas, Paris".into()),
        website_url: None,
        change_by_caller: true,
        knowledge_public: true,
        handoff: false,
        transfers_fail: false,
        greeting_en: None,
        greeting_fr: None,
        instructions: None,
        asks_consent: false,
        sends_codes: true,
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let own = |number, service: u128, name: &str, staff: u128, starts_at| OwnAppointment {
            id: id(number),
            service: id(service),
            service_name: name.into(),
            staff: id(staff),
            staff_name: if staff == 11 { "Julia Martin".into() } else { "Karim Benali".into() },
            starts_at: at(starts_at),
            changeable: true,
        };
        Self {
            facts: facts(),
            now: now(),
            appointments: vec![
                Booked { contact: id(50), own: own(100, 1, "Haircut", 11, "2026-11-26T13:00:00Z") },
                // No other appointment has this service or this time of day, so the tests can detect that this
                // appointment was disclosed.
                Booked { contact: id(51), own: own(101, 3, "Foreign Ritual", 12, "2026-11-27T10:07:00Z") },
            ],
            messages: Vec::new(),
            changes: Vec::new(),
            made: 0,
            times: vec![(10, 0), (11, 30), (15, 0)],
            taken: Vec::new(),
            refuses: None,
            passages: vec![],
            next: 1_000,
        }
    }

    fn open(&self, date: NaiveDate) -> Vec<Timestamp> {
        if date.weekday().number_from_monday() >= 6 {
            return vec![];
        }
        let times = self
            .times
            .iter()
            .map(|(hour, minute)| instant(date, NaiveTime::from_hms_opt(*hour, *minute, 0).unwrap()));
        times.filter(|time| *time > self.now && !self.taken.contains(time)).collect()
    }

    pub(crate) fn answer(&mut self, ask: &Ask) -> Answer {
        if matches!(ask, Ask::Book(_) | Ask::Move(_) | Ask::Cancel { .. } | Ask::Message(_)) {
            self.changes.push(ask.clone());
            if let Some(refused) = self.refuses.take() {
                return Answer::Refused(refused);
            }
            self.made += 1;
        }
        match ask {
            Ask::Openings(ask) => {
                let mut found = Vec::new();
                let mut days = 0;
                for date in ask.from.iter_days().take_while(|date| *date <= ask.to) {
                    let staff = ask.staff.or_else(|| {
                        self.facts.services.iter().find(|it| it.id == ask.service)?.staff.first().copied()
                    });
                    let mut times = self.open(date);
                    let local = |time: &Timestamp| time.utc().with_timezone(&ZONE).time();
                    times.retain(|time| ask.times.as_ref().is_none_or(|it| it.contains(local(time))));
                    days += u32::from(!times.is_empty());
                    if days > ask.days_max {
                        break;
                    }
                    found.extend(
                        times.into_iter().filter_map(|starts_at| Some(Opening { starts_at, staff: staff? })),
                    );
                }
                Answer::Openings(found)
            }
            Ask::Appointments { contact } => {
                let own = self.appointments.iter().filter(|booked| booked.contact == *contact);
                Answer::Appointments(own.map(|booked| booked.own.clone()).collect())
            }
            Ask::Passages { .. } => Answer::Passages(self.passages.clone()),
            Ask::Phone { written } => {
                let digits: String = written.chars().filter(char::is_ascii_digit).collect();
                let national = digits.strip_prefix('0').filter(|_| digits.len() == 10);
                let phone = match national {
                    Some(national) => Some(format!("+33{national}")),
                    None => written.starts_with('+').then(|| format!("+{digits}")),
                };
                Answer::Phone(phone)
            }
            Ask::Book(ask) => {
                self.taken.push(ask.starts_at);
                self.next += 1;
                let confirmed = self.facts.booking_mode == BookingMode::Instant;
                Answer::Booked { appointment: id::<AppointmentId>(self.next), staff: ask.staff, confirmed }
            }
            Ask::Move(ask) => {
                let booked =
                    self.appointments.iter_mut().find(|booked| booked.own.id == ask.appointment).unwrap();
                booked.own.starts_at = ask.starts_at;
                Answer::Booked { appointment: ask.appointment, staff: booked.own.staff, confirmed: true }
            }
            Ask::Cancel { appointment, .. } => {
                self.appointments.retain(|booked| booked.own.id != *appointment);
                Answer::Done
            }
            Ask::Message(ask) => {
                self.messages.push(ask.clone());
                self.next += 1;
                Answer::Message(id::<MessageId>(self.next))
            }
            Ask::SendCode { .. } | Ask::Consent { .. } => Answer::Done,
            Ask::CheckCode { code } if code == CODE => {
                Answer::Verified { contact: id(50), name: Some("Ada Lovelace".into()) }
            }
            Ask::CheckCode { .. } => Answer::Refused(Refused::Code),
        }
    }

    pub(crate) fn asking<T>(
        &mut self,
        answers: &mut Answers,
        mut run: impl FnMut(&Facts, &Answers) -> talk::Asked<T>,
    ) -> T {
        for _ in 0..100 {
            match run(&self.facts, answers) {
                Ok(result) => return result,
                Err(ask) => {
                    let answer = self.answer(&ask);
                    answers.add(*ask, answer);
                }
            }
        }
        panic!("a rule asks without end")
    }
}

/// A conversation in progress.
pub(crate) struct Caller {
    pub(crate) world: World,
    pub(crate) talk: Talk,
    pub(crate) last: Output,
    /// The random bits of the next turn.
    pub(crate) random: u64,
    pub(crate) heard: Option<String>,
}

impl Caller {
    pub(crate) fn with(world: World, channel: Channel, locale: Locale, from: Option<&str>) -> Self {
        let contact = (channel == Channel::Sms && from == Some(CALLER)).then(|| id(50));
        let from = from.map(str::to_owned);
        let start = Start { at: world.now, channel, from, locale, contact, wrong_numbers: 0 };
        let last = talk::begin(&start, &world.facts);
        Self { talk: last.talk.clone(), world, last, random: 0, heard: None }
    }

    pub(crate) fn new(channel: Channel) -> Self {
        Self::with(World::new(), channel, Locale::En, None)
    }

    pub(crate) fn input(&mut self, said: Said, model: bool) -> Input {
        self.world.now = self.world.now + TimeDelta::seconds(10);
        Input { at: self.world.now, said, heard: self.heard.take(), model, random: self.random }
    }

    /// Takes a turn on the guided path. Returns the lines.
    pub(crate) fn take(&mut self, said: Said) -> String {
        let input = self.input(said, false);
        let talk = self.talk.clone();
        let mut answers = Answers::default();
        let turned =
            self.world.asking(&mut answers, |facts, answers| talk::turn(&talk, &input, facts, answers));
        let Turned::Done(output) = turned else { panic!("a model takes a guided turn") };
        self.keep(*output)
    }

    pub(crate) fn keep(&mut self, output: Output) -> String {
        let lines: Vec<&str> = output.lines.iter().map(|line| line.text.as_str()).collect();
        let said = lines.join(" ");
        // The state must be the same after it was stored and read.
        let stored = serde_json::to_string(&output.talk).unwrap();
        self.talk = serde_json::from_str(&stored).unwrap();
        assert_eq!(self.talk, output.talk);
        self.last = output;
        said
    }

    pub(crate) fn says(&mut self, text: &str) -> String {
        let said = match self.talk.channel {
            Channel::Voice | Channel::Assistant => Said::Speech(text.into()),
            _ => Said::Text(text.into()),
        };
        self.take(said)
    }

    pub(crate) fn keys(&mut self, keys: &str) -> String {
        self.take(Said::Keys(keys.into()))
    }

    pub(crate) fn effects(&self) -> Vec<EffectKind> {
        self.last.effects.iter().map(|effect: &Effect| effect.kind).collect()
    }

    /// Starts a turn that a model takes.
    pub(crate) fn draft(&mut self, text: &str) -> (Box<Draft>, Answers) {
        let said = match self.talk.channel {
            Channel::Voice | Channel::Assistant => Said::Speech(text.into()),
            _ => Said::Text(text.into()),
        };
        let input = self.input(said, true);
        let talk = self.talk.clone();
        let mut answers = Answers::default();
        let turned =
            self.world.asking(&mut answers, |facts, answers| talk::turn(&talk, &input, facts, answers));
        let Turned::Model(draft) = turned else { panic!("the model does not take the turn") };
        (draft, answers)
    }
}
