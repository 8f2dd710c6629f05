//! The staff members who offer a service, and changes to several records.

use chrono::{Days, NaiveDate};
use domain::{Conflict, OFFERED_MAX, Problem, ProblemCode, Refusal, ServiceId};
use engine::EngineError;
use engine::business::commands::catalog::{CreateFirstServices, CreateService, PatchStaff, SetServiceStaff};
use engine::business::commands::diary::{CLOSED_AT_ONCE_MAX, CloseDays};
use engine::business::commands::profile::PatchBusiness;

use crate::harness::{World, by_operator, first_page, id_of, text, walk};

#[tokio::test(start_paused = true)]
async fn a_staff_member_offers_a_limited_number_of_services() {
    let world = World::new(70).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let mut services: Vec<ServiceId> = vec![shop.service];
    for number in 0..OFFERED_MAX {
        let service = CreateService::lasting(text(&format!("Service {number}")), 30);
        services.push(id_of(&handle.change(by_operator(), service).await.unwrap()));
    }
    let busy = shop.staff[1];
    let offered = Some(services[..OFFERED_MAX].to_vec());
    let patch = PatchStaff { service_ids: offered, ..PatchStaff::of(busy) };
    handle.change(by_operator(), patch).await.unwrap();
    let set = async |id, staff_ids| handle.change(by_operator(), SetServiceStaff { id, staff_ids }).await;
    let one_more = services[OFFERED_MAX];
    let expected = Problem::new("staff_ids[1]", ProblemCode::OffersMax(OFFERED_MAX));
    match set(one_more, shop.staff.clone()).await {
        Err(EngineError::Refused(Refusal::Invalid(problems))) => assert_eq!(problems, [expected]),
        other => panic!("{other:?}"),
    }
    // A service that the staff member already offers can be set again.
    let kept = set(services[0], vec![busy]).await.unwrap().value.resource;
    assert_eq!(kept.staff_ids, [busy]);
    set(services[0], Vec::new()).await.unwrap();
    let both = set(one_more, shop.staff.clone()).await.unwrap().value.resource;
    assert_eq!(both.staff_ids, shop.staff);
}

#[tokio::test(start_paused = true)]
async fn first_services_are_refused_if_the_business_has_a_service() {
    let world = World::new(71).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let services = vec![CreateService::lasting(text("Cut"), 30)];
    let first = CreateFirstServices { profile: PatchBusiness::default(), services };
    match handle.change(by_operator(), first).await {
        Err(EngineError::Refused(Refusal::Conflict { conflict, .. })) => {
            assert_eq!(conflict, Conflict::Changed);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(handle.services(true, &first_page()).await.unwrap().items.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn days_are_closed_together_up_to_a_limit_and_special_days_stay() {
    let world = World::new(72).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let first = NaiveDate::from_ymd_opt(2026, 5, 1).unwrap();
    let days = |count: usize, note: &str| {
        let note = |day: usize| (first + Days::new(day as u64), Some(text(note)));
        CloseDays { dates: (0..count).map(note).collect() }
    };
    handle.change(by_operator(), days(1, "Fair")).await.unwrap();
    match handle.change(by_operator(), days(CLOSED_AT_ONCE_MAX + 2, "x")).await {
        Err(EngineError::Refused(Refusal::Invalid(problems))) => {
            assert_eq!(problems, [Problem::new("dates", ProblemCode::ValuesMax(CLOSED_AT_ONCE_MAX))]);
        }
        other => panic!("{other:?}"),
    }
    // The maximum number of days, each with a note of the maximum length, fits into one change.
    let longest = "😀".repeat(200);
    handle.change(by_operator(), days(CLOSED_AT_ONCE_MAX + 1, &longest)).await.unwrap();
    let all = walk(100, async |page| handle.special_days((None, None), &page).await).await;
    assert_eq!(all.len(), CLOSED_AT_ONCE_MAX + 1);
    assert_eq!(all[0].note.as_deref(), Some("Fair"));
}
