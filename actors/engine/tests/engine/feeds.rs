//! Feeds: their limits and roles, the events that end them, and their appointments.

use chrono::TimeDelta;
use domain::{
    Actor, Conflict, Denied, FEEDS_MAX, FeedDetail, FeedId, MembershipPatch, Named, PersonId, Refusal, Role,
    StaffId,
};
use engine::backup::restore;
use engine::business::commands::appointments::{Cancel, Reschedule};
use engine::business::commands::catalog::{CreateStaff, DeleteStaff};
use engine::business::commands::erasure::EraseContact;
use engine::business::commands::feeds::{CreateFeed, RevokeFeed};
use engine::business::commands::people::RemoveMember;
use engine::business::commands::profile::PatchBusiness;
use engine::business::{Answer, Request};
use engine::calendars::feeds::{FeedToken, LiveFeed};
use engine::{Engine, EngineError};
use store::{Store, Tombstone};
use view::{AppointmentView, NewFeedView};

use crate::harness::{
    Shop, World, appointment_of, at, body, by_operator, first_page, id_of, json, lately, once, pass, text,
};
use crate::people::{member, refusal};

fn feed(staff_id: Option<StaffId>) -> CreateFeed {
    CreateFeed { staff_id, detail: FeedDetail::Services, origin: "https://desk.example.com".into() }
}

fn token(made: &Answer<NewFeedView>) -> FeedToken {
    let url = made.value.url.as_deref().unwrap();
    let token = url.strip_prefix("https://desk.example.com/calendar/").unwrap();
    FeedToken::parse(token.strip_suffix(".ics").unwrap()).unwrap()
}

struct Made {
    id: FeedId,
    token: FeedToken,
}

async fn create(world: &World, shop: &Shop, by: Request, staff_id: Option<StaffId>) -> Made {
    let made = world.at(shop).change(by, feed(staff_id)).await.unwrap();
    Made { id: id_of(&made), token: token(&made) }
}

async fn live(engine: &Engine, made: &Made) -> Option<LiveFeed> {
    engine.live_feed(&made.token).await.unwrap()
}

async fn is_live(world: &World, made: &Made) -> bool {
    live(&world.engine, made).await.is_some()
}

async fn fetched(world: &World, made: &Made) -> Vec<AppointmentView> {
    let live = live(&world.engine, made).await.unwrap();
    world.engine.fetch_feed(&live).await.unwrap().1
}

fn by(person: PersonId) -> Request {
    Request::by(Actor::Person(person))
}

async fn patch(world: &World, shop: &Shop, person: PersonId, patch: MembershipPatch) {
    let request = lately(world, by_operator());
    world.engine.people().patch_member(&world.at(shop), request, (person, patch, None)).await.unwrap();
}

/// Adds a member who is linked to this staff member.
async fn linked_member(world: &World, shop: &Shop, email: &str, staff: StaffId) -> PersonId {
    let (person, _) = member(world, shop, email, Role::Member).await;
    let is = MembershipPatch { staff_id: Some(Some(staff)), ..MembershipPatch::default() };
    patch(world, shop, person, is).await;
    person
}

#[tokio::test(start_paused = true)]
async fn the_address_is_shown_once_and_works_until_the_feed_is_revoked() {
    let mut world = World::new(900).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let made = handle.change(once(1, 1), feed(Some(shop.staff[0]))).await.unwrap();
    let shown = Made { id: id_of(&made), token: token(&made) };
    let again = handle.change(once(1, 1), feed(Some(shop.staff[0]))).await.unwrap();
    assert!(again.replayed && again.value.url.is_none(), "{}", body(&again));
    assert_eq!(json(&again)["id"], json(&made)["id"]);
    let found = live(&world.engine, &shown).await.unwrap();
    assert_eq!((found.feed.staff_id, found.business.id), (Some(shop.staff[0]), shop.id));
    let listed = handle.feeds(None, &first_page()).await.unwrap().items;
    assert!(listed[0].last_fetched_at.is_none() && listed[0].revoked_at.is_none());

    fetched(&world, &shown).await;
    world.restart().await;
    let handle = world.at(&shop);
    let listed = handle.feeds(None, &first_page()).await.unwrap().items;
    assert_eq!(listed[0].last_fetched_at, Some(at(0, 8)));
    handle.change(by_operator(), RevokeFeed { id: shown.id }).await.unwrap();
    assert!(!is_live(&world, &shown).await);
    handle.change(by_operator(), RevokeFeed { id: shown.id }).await.unwrap();
    let listed = handle.feeds(None, &first_page()).await.unwrap().items;
    assert!(listed.len() == 1 && listed[0].revoked_at.is_some());
    let unknown = handle.change(by_operator(), RevokeFeed { id: uuid::Uuid::nil().into() }).await;
    assert_eq!(refusal(unknown), Refusal::NotFound(Named::Feed));
    assert!(world.disk.tombstones().contains(&Tombstone::RevokedFeed(shown.id)));
    world.restart().await;
    assert!(!is_live(&world, &shown).await);
}

#[tokio::test(start_paused = true)]
async fn the_business_and_each_staff_member_have_ten_feeds() {
    let world = World::new(901).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    for staff in [None, Some(shop.staff[0]), Some(shop.staff[1])] {
        let mut last = None;
        for _ in 0..FEEDS_MAX {
            last = Some(create(&world, &shop, by_operator(), staff).await);
        }
        let full = refusal(handle.change(by_operator(), feed(staff)).await);
        assert!(
            matches!(full, Refusal::Conflict { conflict: Conflict::FeedsFull(FEEDS_MAX), .. }),
            "{full:?}"
        );
        handle.change(by_operator(), RevokeFeed { id: last.unwrap().id }).await.unwrap();
        create(&world, &shop, by_operator(), staff).await;
    }
    let unknown = refusal(handle.change(by_operator(), feed(Some(uuid::Uuid::nil().into()))).await);
    assert!(matches!(unknown, Refusal::Invalid(_)), "{unknown:?}");
}

#[tokio::test(start_paused = true)]
async fn a_member_manages_only_the_feeds_of_their_own_staff_member() {
    let world = crate::people::world().await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let linked = linked_member(&world, &shop, "linked@example.com", shop.staff[0]).await;
    let of_other = create(&world, &shop, by_operator(), Some(shop.staff[1])).await;
    let of_business = create(&world, &shop, by_operator(), None).await;
    let own = create(&world, &shop, by(linked), Some(shop.staff[0])).await;
    let other = handle.change(by(linked), feed(Some(shop.staff[1]))).await;
    assert_eq!(refusal(other), Refusal::NotFound(Named::Staff));
    let all = handle.change(by(linked), feed(None)).await;
    assert_eq!(refusal(all), Refusal::NotAllowed(Denied::OwnersAndAdmins));
    for made in [&of_other, &of_business] {
        let revoke = handle.change(by(linked), RevokeFeed { id: made.id }).await;
        assert_eq!(refusal(revoke), Refusal::NotFound(Named::Feed));
    }
    let (_, membership) = world.engine.people().member(&handle, linked).await.unwrap();
    let seen = handle.feeds(Some(&membership), &first_page()).await.unwrap().items;
    assert_eq!(seen.iter().map(|it| it.feed.id).collect::<Vec<_>>(), [own.id]);
    handle.change(by(linked), RevokeFeed { id: own.id }).await.unwrap();
    let (admin, _) = member(&world, &shop, "admin@example.com", Role::Admin).await;
    handle.change(by(admin), RevokeFeed { id: of_business.id }).await.unwrap();
    create(&world, &shop, by(admin), None).await;
}

#[tokio::test(start_paused = true)]
async fn a_feed_ends_when_its_creator_may_no_longer_have_it() {
    let world = crate::people::world().await;
    let shop = world.shop(2).await;
    let [first, second] = [shop.staff[0], shop.staff[1]];
    let handle = world.at(&shop);
    let of_operator = create(&world, &shop, by_operator(), Some(first)).await;
    let off = MembershipPatch { active: Some(false), ..MembershipPatch::default() };
    let on = MembershipPatch { active: Some(true), ..MembershipPatch::default() };

    // When a membership is disabled, its feeds end. They stay ended after the membership is enabled again.
    let linked = linked_member(&world, &shop, "linked@example.com", first).await;
    let made = create(&world, &shop, by(linked), Some(first)).await;
    patch(&world, &shop, linked, off).await;
    assert!(!is_live(&world, &made).await);
    patch(&world, &shop, linked, on).await;
    assert!(!is_live(&world, &made).await);

    // When the role of a membership changes, a feed ends only if the new role may not have it. When the membership is
    // linked to another staff member, the feeds of the first staff member end.
    let made = create(&world, &shop, by(linked), Some(first)).await;
    let admin = MembershipPatch { role: Some(Role::Admin), ..MembershipPatch::default() };
    patch(&world, &shop, linked, admin).await;
    let of_business = create(&world, &shop, by(linked), None).await;
    let again = MembershipPatch { role: Some(Role::Member), ..MembershipPatch::default() };
    patch(&world, &shop, linked, again).await;
    assert!(is_live(&world, &made).await);
    assert!(!is_live(&world, &of_business).await, "a member must not have a feed of the business");
    let moved = MembershipPatch { staff_id: Some(Some(second)), ..MembershipPatch::default() };
    patch(&world, &shop, linked, moved).await;
    assert!(!is_live(&world, &made).await);

    let made = create(&world, &shop, by(linked), Some(second)).await;
    handle.change(lately(&world, by_operator()), RemoveMember { id: linked }).await.unwrap();
    assert!(!is_live(&world, &made).await);
    assert!(is_live(&world, &of_operator).await, "the operator's feeds end only by revocation");

    let log = handle.audit(&first_page()).await.unwrap().items;
    let ended = log.iter().filter(|entry| entry.action.as_str() == "feed.revoked").count();
    assert_eq!(ended, 4);
}

#[tokio::test(start_paused = true)]
async fn the_feeds_of_a_deleted_staff_member_and_of_a_deleted_business_end() {
    let mut world = crate::people::world().await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let new = CreateStaff::offering(text("Gone"), Vec::new());
    let gone: StaffId = id_of(&handle.change(by_operator(), new).await.unwrap());
    let (admin, _) = member(&world, &shop, "admin@example.com", Role::Admin).await;
    let of_gone = create(&world, &shop, by(admin), Some(gone)).await;
    let of_operator = create(&world, &shop, by_operator(), Some(gone)).await;
    let of_business = create(&world, &shop, by_operator(), None).await;
    let watch = handle.watch_unused_staff(gone).await.unwrap();
    handle.change(by_operator(), DeleteStaff { id: gone, watch }).await.unwrap();
    assert!(!is_live(&world, &of_gone).await && is_live(&world, &of_business).await);
    assert!(fetched(&world, &of_operator).await.is_empty(), "the operator's feeds end only by revocation");
    handle.change(by_operator(), RevokeFeed { id: of_operator.id }).await.unwrap();
    assert!(!is_live(&world, &of_operator).await);
    fetched(&world, &of_business).await;
    handle.feeds(None, &first_page()).await.unwrap();
    world.engine.end_business(shop.id, by_operator()).await.unwrap();
    assert!(!is_live(&world, &of_business).await);
    pass(2).await;
    world.engine.clone().close().await.unwrap();
    let store = world.store();
    for kind in [store::keys::installation_kind::FEED_BY_TOKEN, store::keys::installation_kind::FEED_FETCHED]
    {
        let range = store::keys::of_kind(domain::BusinessId::INSTALLATION, kind);
        assert_eq!(store.scan(&range, store::Order::Ascending).count(), 0, "kind {kind:#x}");
    }
    store.close().await.unwrap();
    world.open_again().await;
}

#[tokio::test(start_paused = true)]
async fn a_feed_has_the_active_appointments_of_its_window_earliest_first() {
    let world = World::new(903).await;
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let book = async |starts_at, staff: usize, contact| {
        let booking = shop.booking_with(Some(shop.staff[staff]), starts_at, contact);
        appointment_of(&handle.change(by_operator(), booking).await.unwrap())
    };
    let late = book(at(3, 9), 0, 1).await;
    let early = book(at(1, 9), 0, 2).await;
    let of_other = book(at(2, 9), 1, 3).await;
    let cancelled = book(at(2, 12), 0, 1).await;
    handle.change(by_operator(), Cancel { id: cancelled }).await.unwrap();
    let all = create(&world, &shop, by_operator(), None).await;
    let own = create(&world, &shop, by_operator(), Some(shop.staff[0])).await;
    let ids = |found: Vec<AppointmentView>| found.iter().map(|it| it.id).collect::<Vec<_>>();
    assert_eq!(ids(fetched(&world, &all).await), [early, of_other, late]);
    let of_staff = fetched(&world, &own).await;
    assert_eq!(of_staff[0].contact_name.as_deref(), Some("Contact 2"));
    assert_eq!(ids(of_staff), [early, late]);

    // The erasure of a contact removes the contact's name from the feed at once, before the background job has
    // run.
    let contact = fetched(&world, &own).await[0].contact_id.unwrap();
    handle.change(by_operator(), EraseContact { id: contact }).await.unwrap();
    assert_eq!(fetched(&world, &own).await[0].contact_name, None);

    let to = domain::booking::MoveRequest {
        starts_at: at(5, 9),
        staff_id: Some(shop.staff[1]),
        party: domain::booking::Party::Integration { allow_pending: true },
        duration: None,
    };
    handle.change(by_operator(), Reschedule { id: late, request: to }).await.unwrap();
    assert_eq!(ids(fetched(&world, &own).await), [early]);

    // The appointment ends on day 1 at 10:00. It must be in the feed until exactly 30 days later.
    let left = at(31, 10) - world.engine.now();
    tokio::time::sleep(left.to_std().unwrap()).await;
    assert_eq!(ids(fetched(&world, &own).await), [early]);
    tokio::time::sleep(TimeDelta::seconds(1).to_std().unwrap()).await;
    assert_eq!(ids(fetched(&world, &own).await), []);
}

#[tokio::test(start_paused = true)]
async fn a_suspended_business_is_named_with_its_feed() {
    let world = World::new(904).await;
    let shop = world.shop(1).await;
    let made = create(&world, &shop, by_operator(), None).await;
    world.at(&shop).change(by_operator(), PatchBusiness::suspending(true)).await.unwrap();
    assert!(live(&world.engine, &made).await.unwrap().business.suspended);
    let refused = world.at(&shop).change(by(uuid::Uuid::from_u128(9).into()), feed(None)).await;
    assert!(matches!(refused, Err(EngineError::Suspended)));
}

#[tokio::test]
async fn a_restore_revokes_the_feeds_of_the_list_or_all_without_a_list() {
    let world = World::new(905).await;
    let shop = world.shop(1).await;
    let revoked = create(&world, &shop, by_operator(), None).await;
    let kept = create(&world, &shop, by_operator(), Some(shop.staff[0])).await;
    let home = tempfile::tempdir().unwrap();
    let backup = home.path().join("backup");
    crate::restoring::backed_up(&world, &backup).await;
    world.at(&shop).change(by_operator(), RevokeFeed { id: revoked.id }).await.unwrap();
    let lines: String = world.disk.tombstones().iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(home.path().join("tombstones"), lines).unwrap();
    for (list, count) in [(None, 2), (Some(home.path()), 1)] {
        let to = home.path().join(if list.is_some() { "with" } else { "without" });
        let restored = restore(&backup, &to, list, false, &world.ports).await.unwrap();
        assert_eq!(restored.feeds_revoked, count);
        let verified = engine::verify::verify(&to).await.unwrap();
        assert!(verified.is_whole(), "{:?}", verified.findings);
        let store = Store::open_disk(&to, Box::new(|error| panic!("{error}"))).unwrap();
        let engine = Engine::start(store, world.ports.clone()).await.unwrap();
        assert!(live(&engine, &revoked).await.is_none());
        assert_eq!(live(&engine, &kept).await.is_some(), list.is_some());
        engine.close().await.unwrap();
    }
}

/// The power is cut while two changes are unsynced. None, one or both of the changes survive. A feed and its
/// token must then exist together or not at all, and a feed with an acknowledged revocation must stay
/// revoked.
#[tokio::test(start_paused = true)]
async fn a_crash_keeps_a_feed_and_its_token_together_and_revives_no_revoked_feed() {
    for keep in 0..3 {
        let mut world = World::new(906).await;
        let shop = world.shop(1).await;
        let kept = create(&world, &shop, by_operator(), None).await;
        let revoked = create(&world, &shop, by_operator(), None).await;
        world.at(&shop).change(by_operator(), RevokeFeed { id: revoked.id }).await.unwrap();
        world.disk.hold_syncs();
        let creating = world.ask(&shop, feed(Some(shop.staff[0]))).await;
        let revoking = world.ask(&shop, RevokeFeed { id: kept.id }).await;
        assert!(!creating.is_finished() && !revoking.is_finished());
        world.crash(keep).await;
        assert!(!is_live(&world, &revoked).await);
        let listed = world.at(&shop).feeds(None, &first_page()).await.unwrap().items;
        let known = listed.iter().find(|it| it.feed.id == kept.id).unwrap();
        assert_eq!(is_live(&world, &kept).await, known.revoked_at.is_none(), "{keep}");
        let live = listed.iter().filter(|it| it.revoked_at.is_none()).count();
        world.engine.clone().close().await.unwrap();
        let store = world.store();
        let tokens = store::keys::of_kind(
            domain::BusinessId::INSTALLATION,
            store::keys::installation_kind::FEED_BY_TOKEN,
        );
        assert_eq!(store.scan(&tokens, store::Order::Ascending).count(), live, "{keep}");
        store.close().await.unwrap();
    }
}
