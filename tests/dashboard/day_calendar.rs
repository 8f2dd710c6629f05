//! Tests of the pages of the calendar: a day by staff member, a week, a month, and a list. Free times are
//! links to the booking form.

use serde_json::{Value, json};

use crate::day_salon::Salon;
use crate::harness::{Page, Server};

/// The text in the column of this staff member.
fn lane(page: &Page, id: &str) -> String {
    let begins =
        page.body.find(&format!("id=\"lane-{id}\"")).unwrap_or_else(|| panic!("there is no column for {id}"));
    let rest = &page.body[begins..];
    rest[..rest.find("</section>").unwrap()].to_owned()
}

#[tokio::test]
async fn the_day_has_a_column_per_staff_member_with_appointments_and_free_times() {
    let mut salon = Salon::open().await;
    let id = salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    salon.requested("2026-03-02T13:00:00Z", "Nora").await;
    salon
        .operator("PATCH", "", json!({ "breaks": [{ "day": "monday", "from": "12:00", "to": "13:00" }] }))
        .await;
    let off =
        json!({ "starts_at": "2026-03-02T14:00:00Z", "ends_at": "2026-03-02T20:00:00Z", "note": "Dentist" });
    salon.operator("POST", &format!("/staff/{}/time-off", salon.hugo), off).await;
    let page = salon.member.get(&salon.to("calendar?date=2026-03-02")).await.is(200);
    let page = page.says("Monday 2 March").says("Week 10 · open 09:00 to 18:00 · times in Paris");
    assert!(page.body.contains("class=\"board normal grid-15 from-8 from-half hours-10\""), "{}", page.body);
    let ines = lane(&page, &salon.ines);
    let visit = format!(
        "<li class=\"at h10 for-30 visit tint-1 brief\" data-moves=\"{}/shift\"",
        salon.to(&format!("appointments/{id}"))
    );
    assert!(ines.contains(&visit), "{ines}");
    assert!(ines.contains("at h14 for-1h for-30 visit tint-1 asks") && ines.contains("Requested"), "{ines}");
    assert!(
        ines.contains("at h15 m30 for-15 buffer"),
        "the time after the appointment must be marked as buffer: {ines}"
    );
    assert!(ines.contains("at h12 for-1h break"), "{ines}");
    assert!(ines.contains("at h8 m30 for-30 shut") && ines.contains("at h18 for-30 shut"), "{ines}");
    let hugo = lane(&page, &salon.hugo);
    assert!(hugo.contains("at h15 for-3h away") && hugo.contains("Time off: Dentist"), "{hugo}");
    let free = format!("appointments/new?staff={}&#38;date=2026-03-02&#38;time=09:30", salon.ines);
    assert!(ines.contains(&free), "{ines}");
    for taken in ["10:00", "12:00", "12:30", "14:30", "15:30"] {
        assert!(!ines.contains(&format!("time={taken}\"")), "{taken} must not be free");
    }
    for taken in ["15:00", "17:30"] {
        assert!(!hugo.contains(&format!("time={taken}\"")), "Hugo is absent at {taken}");
    }
    // A time that has begun is no longer free. The current time is marked.
    salon.server.clock.set("2026-03-02T10:12:00Z");
    let page = salon.member.get(&salon.to("calendar")).await;
    let ines = lane(&page, &salon.ines);
    assert!(ines.contains("at h11 m10 for-5 now") && ines.contains("Now, 11:12"), "{ines}");
    assert!(!ines.contains("time=11:00\"") && ines.contains("time=11:30\""), "{ines}");
    // The booking form offers a time that the calendar shows as free.
    let address = salon.to(&format!("appointments/new?staff={}&date=2026-03-02&time=11:30", salon.ines));
    let page = salon.member.get(&address).await;
    let form = page.form(&salon.to("appointments/new"));
    assert!(form.fields.contains(&("starts_at".into(), "2026-03-02T10:30:00.000Z".into())));
}

#[tokio::test]
async fn a_closed_special_day_is_marked_and_has_no_free_times() {
    let mut salon = Salon::open().await;
    let closed = json!({ "closed": true, "note": "Stocktaking" });
    salon.operator("PUT", "/special-days/2026-03-03", closed).await;
    let page = salon.owner.get(&salon.to("calendar?date=2026-03-03")).await.says("Stocktaking");
    let page = page.says("closed all day").says("Inès Closed");
    assert!(!page.text().contains("Not working"), "on a closed day, no staff member is absent");
    assert!(!page.body.contains("class=\"free\""));
    // If the date is invalid, the calendar shows today.
    for date in ["x", "2026-02-30", "9999-01-01", "-1"] {
        salon.owner.get(&salon.to(&format!("calendar?date={date}"))).await.is(200).says("Monday 2 March");
    }
}

#[tokio::test]
async fn the_week_shows_all_staff_or_one_and_links_to_the_days() {
    let mut salon = Salon::open().await;
    salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    salon.booked("2026-03-07T09:00:00Z", "Grace").await;
    salon.booked("2026-03-09T09:00:00Z", "Next").await;
    let page = salon.owner.get(&salon.to("calendar?view=week&date=2026-03-05")).await.is(200);
    let page = page.says("2 to 8 March 2026").says("Ada").says("Grace").says("2 appointments").says("Closed");
    assert!(!page.text().contains("Next"));
    assert!(page.body.contains(&salon.to("calendar?view=day&#38;date=2026-03-07")));
    assert!(page.body.contains("class=\"board thin normal grid-15 from-8 from-half hours-10\""));
    assert!(lane(&page, "2026-03-07").contains("Grace") && !lane(&page, "2026-03-02").contains("Grace"));
    let one = salon.to(&format!("calendar?view=week&date=2026-03-05&staff={}", salon.ines));
    let page = salon.owner.get(&one).await.is(200).says("Week 10 · Inès · 2 appointments");
    assert!(lane(&page, "2026-03-07").contains("Grace") && !lane(&page, "2026-03-02").contains("Grace"));
    let one = salon.to(&format!("calendar?view=week&date=2026-03-05&staff={}", salon.hugo));
    let page = salon.owner.get(&one).await.is(200);
    assert!(!page.text().contains("Ada"));
    let not_staff = salon.to(&format!("calendar?view=week&staff={}", salon.cut));
    salon.owner.get(&not_staff).await.is(404);
    let page = salon.owner.get(&salon.to("calendar?view=week&date=2026-01-01")).await;
    page.says("29 December 2025 to 4 January 2026");
}

#[tokio::test]
async fn the_week_of_all_staff_has_a_column_for_each_of_the_appointments_that_overlap() {
    let mut salon = Salon::open().await;
    salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    let with_hugo = json!({ "service_id": salon.cut, "staff_id": salon.hugo, "starts_at": "2026-03-02T09:00:00Z",
        "contact": { "name": "Grace", "phone": "+33612345678" } });
    salon.operator("POST", "/appointments", with_hugo).await;
    salon.booked("2026-03-02T10:00:00Z", "Joan").await;
    let page = salon.owner.get(&salon.to("calendar?view=week&date=2026-03-02")).await.is(200);
    let monday = lane(&page, "2026-03-02");
    assert!(monday.contains("at h10 for-30 visit of-2 tint-1 brief"), "{monday}");
    assert!(monday.contains("at h10 for-30 visit of-2 col-1 tint-2 brief"), "{monday}");
    assert!(monday.contains("at h11 for-30 visit tint-1 brief"), "{monday}");
    assert!(monday.contains("Cut, Hugo\""), "each appointment names its staff member: {monday}");
    let lane_of = |page: &Page| lane(page, "2026-03-02").matches("<li").count();
    // The order and the colours of the staff members come from their records.
    let ines = format!("/staff/{}", salon.ines);
    salon.operator("PATCH", &ines, json!({ "position": 9, "color": 7 })).await;
    let page = salon.owner.get(&salon.to("calendar?view=week&date=2026-03-02")).await.is(200);
    let monday = lane(&page, "2026-03-02");
    assert!(monday.contains("visit of-2 tint-1 brief") && monday.contains("of-2 col-1 tint-7"), "{monday}");
    let both = lane_of(&page);
    // The dashboard remembers the selected staff members and the density, so a later visit needs no
    // parameters.
    let choice = salon.to(&format!("calendar?view=week&date=2026-03-02&density=compact&show={}", salon.ines));
    salon.owner.get(&choice).await.leads_to(&salon.to("calendar?view=week&date=2026-03-02"));
    let page = salon.owner.get(&salon.to("calendar?view=week&date=2026-03-02")).await.is(200);
    assert_eq!(lane_of(&page), both - 1);
    assert!(
        page.body.contains("class=\"board thin compact ") && !lane(&page, "2026-03-02").contains("Grace")
    );
    let page = salon.owner.get(&salon.to("calendar?view=day&date=2026-03-02")).await.is(200);
    assert!(!page.body.contains(&format!("id=\"lane-{}\"", salon.hugo)));
    let new = json!({ "name": "Zoé", "service_ids": [salon.cut] });
    salon.operator("POST", "/staff", new).await;
    salon.owner.get(&salon.to("calendar")).await.says("Zoé 09:00");
}

/// The cell of a day in the month.
fn cell(page: &Page, date: &str) -> String {
    let main = page.body.split_once("id=\"main\"").unwrap().1;
    let at = main.find(&format!("datetime=\"{date}\"")).unwrap_or_else(|| panic!("{date} has no cell"));
    let begins = main[..at].rfind("<td").unwrap();
    let rest = &main[begins..];
    rest[..rest.find("</td>").unwrap()].to_owned()
}

#[tokio::test]
async fn the_sidebar_has_the_days_of_the_next_six_weeks() {
    let mut salon = Salon::open().await;
    let days = |page: &crate::harness::Page| -> Vec<String> {
        let weeks = page.body.split_once("class=\"weeks\"").unwrap().1;
        let weeks = weeks.split_once("</nav>").unwrap().0;
        weeks.split("datetime=\"").skip(1).map(|rest| rest[..10].to_owned()).collect()
    };
    let months = |page: &crate::harness::Page| -> Vec<String> {
        let rows = page.body.split("<th scope=\"row\">").skip(1);
        rows.map(|row| row.split_once('<').unwrap().0.to_owned()).collect()
    };
    let today = salon.to("today");
    let page = salon.owner.get(&today).await.is(200);
    let shown = days(&page);
    assert_eq!(months(&page), ["Mar", "Apr"]);
    assert_eq!((shown.len(), &*shown[0], &*shown[41]), (42, "2026-03-02", "2026-04-12"));
    // The link of a day keeps the view and the staff member of the current page.
    let to = |date: &str| format!("calendar?view=week&date={date}&staff={}", salon.ines);
    let (week, next) = (salon.to(&to("2026-03-10")), salon.to(&to("2026-03-24")));
    let page = salon.owner.get(&week).await.is(200);
    assert_eq!(days(&page), shown);
    assert!(page.tags().iter().any(|tag| tag.get("href") == Some(&next)));
    // If the page shows a day that is not in the next six weeks, the sidebar begins with the week of that day.
    let later = salon.to("calendar?view=month&date=2026-07-01");
    let shown = days(&salon.owner.get(&later).await.is(200));
    assert_eq!((&*shown[0], &*shown[41]), ("2026-06-29", "2026-08-09"));
    // Each row is a week. The first row names the month of its first day. A later row names the month of its last day,
    // unless an earlier row has named this month.
    let february = salon.owner.get(&salon.to("calendar?view=day&date=2027-02-24")).await.is(200);
    assert_eq!(months(&february), ["Feb", "Mar", "Apr"]);
    let january = salon.owner.get(&salon.to("calendar?view=day&date=2027-12-29")).await.is(200);
    assert_eq!(months(&january), ["Dec", "Jan", "Feb"]);
}

#[tokio::test]
async fn the_month_counts_appointments_and_marks_closed_days() {
    let mut salon = Salon::open().await;
    salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    salon.booked("2026-03-02T10:00:00Z", "Grace").await;
    salon.requested("2026-03-05T13:00:00Z", "Nora").await;
    salon.booked("2026-04-01T09:00:00Z", "Joan").await;
    let closed = json!({ "closed": true, "note": "Stocktaking" });
    salon.operator("PUT", "/special-days/2026-03-10", closed).await;
    let page = salon.member.get(&salon.to("calendar?view=month&date=2026-03-17")).await.is(200);
    let page = page.says("March 2026").says("3 appointments");
    let busy = cell(&page, "2026-03-02");
    assert!(
        busy.contains("load-8 today\"") && busy.contains(">2<") && busy.contains("appointments"),
        "{busy}"
    );
    assert!(busy.contains(&salon.to("calendar?view=day&#38;date=2026-03-02")), "{busy}");
    let asks = cell(&page, "2026-03-05");
    assert!(asks.contains("load-4\"") && asks.contains("1 to confirm"), "{asks}");
    let closed = cell(&page, "2026-03-10");
    assert!(
        closed.contains("closed") && closed.contains("Stocktaking") && closed.contains("Closed"),
        "{closed}"
    );
    assert!(cell(&page, "2026-04-01").contains("load-4 other"), "the last week belongs to two months");
    // If the shown month is at most 2 months before or 12 months after the current month, the page has links to the
    // months around the current month. Otherwise it has links to the months around the shown month.
    let months = async |salon: &mut Salon, shown: &str, linked: [&str; 2], others: [&str; 2]| {
        let page = salon.member.get(&salon.to(&format!("calendar?view=month&date={shown}"))).await.is(200);
        let has = |month: &str| {
            page.body.contains(&format!(
                "<a href=\"{}-01\"",
                salon.to(&format!("calendar?view=month&#38;date={month}"))
            ))
        };
        assert!(linked.iter().all(|month| has(month)) && !others.iter().any(|month| has(month)), "{shown}");
    };
    months(&mut salon, "2026-03-17", ["2026-01", "2027-04"], ["2025-12", "2027-05"]).await;
    months(&mut salon, "2027-03-31", ["2026-01", "2027-04"], ["2025-12", "2027-05"]).await;
    months(&mut salon, "2026-01-31", ["2026-01", "2027-04"], ["2025-11", "2027-05"]).await;
    months(&mut salon, "2030-05-31", ["2030-03", "2031-06"], ["2026-03", "2031-07"]).await;
    assert!(page.body.contains(&salon.to("calendar?view=week&#38;date=2026-03-12")));
    let hugo = salon.to(&format!("calendar?view=month&date=2026-03-17&staff={}", salon.hugo));
    salon.member.get(&hugo).await.is(200).says("No appointments");
    // The weeks of this business begin on Monday. When its region is the United States, they begin on Sunday.
    assert!(page.text().contains("Mon Tue Wed Thu Fri Sat Sun"));
    salon.operator("PATCH", "", json!({ "phone_region": "US" })).await;
    let page = salon.member.get(&salon.to("calendar?view=month")).await.is(200);
    assert!(page.text().contains("Sun Mon Tue Wed Thu Fri Sat"));
}

#[tokio::test]
async fn a_card_shows_notes_the_alert_the_attendance_and_whether_it_is_outside_the_hours() {
    let mut salon = Salon::open().await;
    let id = salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    let other = salon.booked("2026-03-02T10:00:00Z", "Grace").await;
    let day = salon.to("calendar?view=day&date=2026-03-02");
    let marks = ["class=\"flag note\"", "Peanuts", "Outside working hours", "chip mini"];
    let page = salon.member.get(&day).await.is(200);
    assert!(marks.iter().all(|mark| !page.body.contains(mark)), "{}", page.body);
    salon.operator("PATCH", &format!("/appointments/{id}"), json!({ "notes": "Brings a friend" })).await;
    let contact = salon.appointment(&id).await["contact_id"].as_str().unwrap().to_owned();
    salon.operator("PATCH", &format!("/contacts/{contact}"), json!({ "alert": "Peanuts" })).await;
    let breaks = json!({ "breaks": [{ "day": "monday", "from": "10:15", "to": "10:45" }] });
    salon.operator("PATCH", "", breaks).await;
    // A single button records the arrival and leads back to the same view.
    let week = salon.to(&format!("calendar?view=week&date=2026-03-02&staff={}", salon.ines));
    let page = salon.member.get(&week).await.is(200);
    let way = salon.to(&format!("appointments/{id}/attendance"));
    let mut fields = page.form(&way).fields;
    fields.push(("attendance".into(), "arrived".into()));
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    salon.member.post(&way, &fields).await.leads_to(&week);
    for view in [&day, &week] {
        let page = salon.member.get(view).await.says("Arrived");
        for mark in marks {
            // A mark is a CSS class or a text. The page contains a class once, and a text twice: as a tooltip, and for
            // screen readers.
            let times = if mark.contains("class") || mark.contains("chip") { 1 } else { 2 };
            assert_eq!(page.body.matches(mark).count(), times, "{view} {mark}");
        }
    }
    assert!(salon.appointment(&other).await["attendance"].is_null());
}

#[tokio::test]
async fn the_list_has_pages_and_filters() {
    let mut salon = Salon::open().await;
    for day in 2..=7 {
        for half in 0..10 {
            let (hour, minute) = (8 + half / 2, half % 2 * 30);
            salon
                .booked(
                    &format!("2026-03-{day:02}T{hour:02}:{minute:02}:00Z"),
                    &format!("Person{day}x{half}"),
                )
                .await;
        }
    }
    let list = salon.to("calendar?view=list&date=2026-03-02");
    let page = salon.owner.get(&list).await.is(200).says("Person2x0").says("Person6x9");
    assert!(!page.text().contains("Person7x0"), "a page must have 50 appointments");
    let later = page
        .tags()
        .into_iter()
        .find_map(|tag| tag.get("href").filter(|to| to.contains("after=")).map(str::to_owned));
    let page = salon.owner.get(&later.unwrap()).await.is(200).says("Person7x0").says("Person7x9");
    assert!(!page.text().contains("Person2x0") && page.text().contains("To the beginning"));
    let narrowed = format!("{list}&to=2026-03-03&staff={}", salon.ines);
    let page = salon.owner.get(&narrowed).await.says("Person3x9");
    assert!(!page.text().contains("Person4x0"));
    salon.owner.get(&format!("{list}&staff={}", salon.hugo)).await.says("No appointments found");
    salon.owner.get(&format!("{list}&status=cancelled")).await.says("No appointments found");
}

#[tokio::test]
async fn the_calendar_uses_the_language_of_the_person() {
    let mut salon = Salon::open().await;
    salon.booked("2026-03-02T09:00:00Z", "Ada").await;
    let page = salon.owner.get("/dashboard/account").await;
    salon.owner.submit(&page, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    let page =
        salon.owner.get(&salon.to("calendar")).await.says("Lundi 2 mars").says("ouvert de 09:00 à 18:00");
    assert!(page.body.contains("<html lang=\"fr\""));
    salon.owner.get(&salon.to("today")).await.says("Rien à traiter").says("Un rendez-vous, jusqu’à 10:30");
    salon
        .owner
        .get(&salon.to("appointments/new"))
        .await
        .says("Prendre un rendez-vous")
        .says("Heure locale : Paris");
}

#[tokio::test]
async fn the_calendar_and_its_fields_follow_the_clock_of_the_person() {
    let mut salon = Salon::open().await;
    let (day, form) = (salon.to("calendar?date=2026-03-02"), salon.to("appointments/new"));
    let other = format!("{form}?date=2026-03-02&time=07:15&staff={}", salon.ines);
    let page = salon.owner.get(&day).await.is(200);
    assert!(page.body.contains(">09:00</span>") && !page.body.contains(" data-twelve"), "{}", page.body);
    let page = salon.owner.get("/dashboard/account").await;
    salon.owner.submit(&page, "/dashboard/account", &[("clock", "12")]).await.is(303);
    let page = salon.owner.get(&day).await.is(200).says("9:00 am to 6:00 pm");
    assert!(
        page.body.contains(">9:00\u{a0}am</span>") && page.body.contains(" data-twelve"),
        "{}",
        page.body
    );
    assert!(!page.body.contains(">09:00</span>"), "{}", page.body);
    page.says("9:00 am – 6:00 pm").says("9:30 am free");
    // The value of a time field is in the 24-hour format that HTML requires, even if the page shows times
    // with 12 hours.
    let page = salon.owner.get(&other).await.is(200);
    assert_eq!(page.field(&form, "time"), "07:15");
    let id = salon.booked("2026-03-02T13:00:00Z", "Ada").await;
    let way = salon.to(&format!("appointments/{id}/move"));
    let page = salon.owner.get(&way).await.is(200).says("2:00 pm");
    assert_eq!(page.field(&way, "time"), "14:00");
    assert!(!page.text().contains("This time does not exist"), "{}", page.text());
}

#[tokio::test]
async fn the_booking_form_offers_to_block_the_time_to_people_who_may_block_it() {
    let mut salon = Salon::open().await;
    let of = |staff: &str| format!("appointments/new?date=2026-03-02&time=10:30&staff={staff}");
    let (ines, hugo) = (salon.to(&of(&salon.ines)), salon.to(&of(&salon.hugo)));
    let page = salon.owner.get(&ines).await.says("Block this time");
    let link = page.tags().into_iter().find_map(|tag| {
        let is_link = tag.get("data-block").is_some();
        tag.get("href").filter(|_| is_link).map(str::to_owned)
    });
    let page = salon.owner.get(&link.unwrap()).await.is(200);
    let block = salon.to("calendar/block");
    for (field, value) in [("from", "2026-03-02"), ("from_time", "10:30"), ("staff", &salon.ines)] {
        assert_eq!(page.field(&block, field), value);
    }
    // A member may block only the time of the staff member to whom the member is linked.
    let people = salon.operator("GET", "/people", Value::Null).await;
    let person = people.as_array().unwrap().iter().find(|one| one["email"] == "member@example.com").unwrap();
    let path = format!("/people/{}", person["id"].as_str().unwrap());
    salon.operator("PATCH", &path, json!({ "staff_id": salon.ines })).await;
    let offers = |page: &crate::harness::Page| page.body.contains("data-block");
    let (own, others) = (salon.member.get(&ines).await, salon.member.get(&hugo).await);
    assert!(offers(&own) && !offers(&others));
    // Without a selected time, the form does not offer to block time.
    assert!(!offers(&salon.owner.get(&salon.to("appointments/new")).await));
}

#[tokio::test]
async fn a_business_without_staff_has_an_empty_calendar_that_says_so() {
    let server = Server::open().await;
    let id = server.business("Neu").await;
    let person = server.person(&id, "neu@example.com", "owner").await;
    let mut browser = server.signed_in(&id, &person).await;
    browser.get(&format!("/dashboard/b/{id}/calendar")).await.is(200).says("No staff members yet");
    browser.get(&format!("/dashboard/b/{id}/calendar?view=week")).await.is(200);
    browser.get(&format!("/dashboard/b/{id}/calendar?view=list")).await.says("No appointments found");
}

#[tokio::test]
async fn the_form_for_time_off_leads_back_to_the_view_from_which_it_was_opened() {
    let mut salon = Salon::open().await;
    let block = salon.to("calendar/block");
    let week_of = format!("view=week&date=2026-03-03&staff={}", salon.ines);
    for query in [
        "view=day&date=2026-03-02",
        &week_of,
        "view=week&date=2026-03-04",
        "view=month&date=2026-03-05",
        "view=list&date=2026-03-06",
    ] {
        let view = salon.to(&format!("calendar?{query}"));
        let page = salon.owner.get(&view).await.is(200);
        let form = salon.owner.get(&page.link("calendar/block?")).await.is(200);
        let leaves = form.tags().iter().filter(|tag| tag.get("href") == Some(&view)).count();
        assert!(leaves > 0, "{query}: the form must have a link to the view");
        let refused = salon.owner.submit(&form, &block, &[("from_time", "25:00")]).await.is(422);
        let saved = salon.owner.submit(&refused, &block, &[("from_time", "")]).await;
        let view = format!("{view}&blocked=1");
        saved.leads_to(&view);
        salon.owner.get(&view).await.is(200).says("The time is blocked.");
    }
    // A person opens the booking form from a week, and follows its link to the form for time off. When the second form
    // is saved, it leads back to the week.
    let back: String = url::form_urlencoded::byte_serialize(week_of.as_bytes()).collect();
    let booking = format!("appointments/new?staff={}&date=2026-03-03&time=10:30&back={back}", salon.hugo);
    let page = salon.owner.get(&salon.to(&booking)).await.is(200);
    let form = salon.owner.get(&page.link("calendar/block?")).await.is(200);
    let view = salon.to(&format!("calendar?{week_of}"));
    let view = format!("{view}&blocked=1");
    salon.owner.submit(&form, &block, &[]).await.leads_to(&view);
}
