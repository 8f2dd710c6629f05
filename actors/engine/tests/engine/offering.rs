//! The staff members who offer a service.

use domain::{OFFERED_MAX, Problem, ProblemCode, Refusal, ServiceId};
use engine::EngineError;
use engine::business::commands::catalog::{CreateService, PatchStaff, SetServiceStaff};

use crate::harness::{World, by_operator, id_of, text};

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
    // A service that the staff member offers already can be set again.
    let kept = set(services[0], vec![busy]).await.unwrap().value.resource;
    assert_eq!(kept.staff_ids, [busy]);
    set(services[0], Vec::new()).await.unwrap();
    let both = set(one_more, shop.staff.clone()).await.unwrap().value.resource;
    assert_eq!(both.staff_ids, shop.staff);
}
