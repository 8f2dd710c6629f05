//! Tests of the attendance on the page of an appointment, on the Today page, in the list of appointments and
//! on the page of the contact.

use crate::day_salon::Salon;

/// Monday at 09:00 in the salon's time zone. The clock of the test begins two hours earlier.
const AT: &str = "2026-03-02T08:00:00Z";

#[tokio::test]
async fn one_click_sets_the_attendance_and_another_one_removes_it() {
    let mut salon = Salon::open().await;
    let id = salon.booked(AT, "Ada").await;
    let tomorrow = salon.booked("2026-03-03T09:00:00Z", "Nora").await;
    let page = salon.member.get(&salon.to(&format!("appointments/{tomorrow}"))).await.is(200);
    let way = format!("{}/attendance", salon.to(&format!("appointments/{tomorrow}")));
    assert!(!page.forms().iter().any(|form| form.action == way), "it is too early for an attendance");
    let path = salon.to(&format!("appointments/{id}"));
    let way = format!("{path}/attendance");
    // Before the start of the appointment, only the arrival can be recorded.
    let page = salon.member.get(&path).await.is(200);
    assert!(page.body.contains("value=\"arrived\"") && !page.body.contains("value=\"no_show\""));
    let mut fields = page.form(&way).fields;
    fields.push(("attendance".into(), "arrived".into()));
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    salon.member.post(&way, &fields).await.leads_to(&format!("{path}?done=attended"));
    assert_eq!(salon.appointment(&id).await["attendance"], "arrived");
    let page = salon.member.get(&path).await.says("Arrived").says("Attendance changed");
    assert!(page.body.contains("aria-pressed=\"true\""));
    // A form that was loaded before the change has no effect.
    salon.member.post(&way, &fields).await;
    let mut fields = page.form(&way).fields;
    fields.push(("attendance".into(), String::new()));
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    salon.member.post(&way, &fields).await.leads_to(&format!("{path}?done=attended"));
    assert!(salon.appointment(&id).await["attendance"].is_null());
}

#[tokio::test]
async fn today_offers_the_next_attendance_and_lists_show_it() {
    let mut salon = Salon::open().await;
    let id = salon.booked(AT, "Ada Lovelace").await;
    let other = salon.booked("2026-03-02T09:00:00Z", "Nora Haddad").await;
    let today = salon.to("today");
    let way = |id: &str| format!("{}/attendance", salon.to(&format!("appointments/{id}")));
    let (way, of_other) = (way(&id), way(&other));
    let set = async |salon: &mut Salon, way: &str, attendance: &str| {
        let page = salon.member.get(&today).await.is(200);
        let mut fields = page.form(way).fields;
        fields.push(("attendance".into(), attendance.into()));
        let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        salon.member.post(way, &fields).await.leads_to(&format!("{today}?done=attended"));
    };
    set(&mut salon, &way, "arrived").await;
    let page = salon.member.get(&today).await.is(200);
    assert!(!page.forms().iter().any(|form| form.action == way), "the appointment has not started");
    salon.server.clock.set("2026-03-02T09:30:00Z");
    set(&mut salon, &way, "completed").await;
    set(&mut salon, &of_other, "no_show").await;
    let page = salon.member.get(&today).await.says("Completed").says("No-show");
    assert!(!page.forms().iter().any(|form| form.action.ends_with("/attendance")));
    let list = salon.to("calendar?view=list&date=2026-03-02");
    salon.member.get(&list).await.says("Completed").says("No-show");
    let page = salon.member.get(&format!("{list}&attendance=no_show")).await.says("Nora Haddad");
    assert!(!page.text().contains("Ada Lovelace"));
    let contact = salon.appointment(&other).await["contact_id"].as_str().unwrap().to_owned();
    salon.member.get(&salon.to(&format!("contacts/{contact}"))).await.says("No-show");
}

#[tokio::test]
async fn the_calendar_offers_each_next_attendance_on_an_appointment() {
    let mut salon = Salon::open().await;
    let id = salon.booked(AT, "Ada").await;
    salon.server.clock.set("2026-03-02T08:10:00Z");
    let day = salon.to("calendar?view=day&date=2026-03-02");
    let page = salon.member.get(&day).await.is(200);
    let buttons = |page: &crate::harness::Page| {
        let tags = page.tags().into_iter().filter(|tag| tag.get("name") == Some("attendance"));
        tags.map(|tag| tag.get("aria-label").unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(buttons(&page), ["Arrived, Ada", "No-show, Ada"]);
    let way = format!("{}/attendance", salon.to(&format!("appointments/{id}")));
    let mut fields = page.form(&way).fields;
    fields.retain(|(name, _)| name != "attendance");
    fields.push(("attendance".into(), "no_show".into()));
    let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    salon.member.post(&way, &fields).await.leads_to(&day);
    let page = salon.member.get(&day).await.says("No-show");
    assert_eq!(buttons(&page), [""; 0]);
}

#[tokio::test]
async fn a_no_show_and_time_off_have_different_names_in_french() {
    let mut salon = Salon::open().await;
    let id = salon.booked(AT, "Ada").await;
    let off = serde_json::json!({ "starts_at": "2026-03-02T13:00:00Z", "ends_at": "2026-03-02T14:00:00Z" });
    salon.operator("POST", &format!("/staff/{}/time-off", salon.ines), off).await;
    salon.server.clock.set("2026-03-02T08:10:00Z");
    let no_show = serde_json::json!({ "attendance": "no_show" });
    salon.operator("PATCH", &format!("/appointments/{id}"), no_show).await;
    let account = salon.owner.get("/dashboard/account").await;
    salon.owner.submit(&account, "/dashboard/account", &[("locale", "fr")]).await.is(303);
    let page = salon.owner.get(&salon.to("calendar?view=day&date=2026-03-02")).await.is(200);
    let page = page.says("Non venu").says("Absence");
    assert_eq!(page.text().matches("Absence").count(), 1, "{}", page.text());
}
