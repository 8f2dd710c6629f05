//! Tests that read every list with a budget of a few rows. A list has the same items with every budget and
//! page size.

use chrono::TimeDelta;
use domain::availability::Terms;
use domain::booking::{MoveRequest, Party};
use domain::{
    AppointmentStatus, CallDetails, CallOutcome, CallStatus, ContactDetails, ContactId, ContactPatch,
    DeliveryStatus, Direction, DisabledReason, EventTypes, KnowledgeDetails, MessageDetails, MessageStatus,
    Scopes, Search, Text, Timestamp, WebhookId, WebhookStatus, WebhookUrl,
};
use engine::business::commands::appointments::{Cancel, Reschedule};
use engine::business::commands::calls::{MarkCall, RecordCall};
use engine::business::commands::contacts::{CreateContact, PatchContact};
use engine::business::commands::keys::CreateKey;
use engine::business::commands::knowledge::AddKnowledge;
use engine::business::commands::messages::TakeMessage;
use engine::business::commands::webhooks::{CreateWebhook, PatchWebhook};
use engine::business::{
    AppointmentFilter, CallFilter, ContactFilter, KnowledgeFilter, MessageFilter, Page, PageRequest,
};
use engine::delivery::DeliveryFilter;
use engine::{BusinessHandle, EngineError, Limits};
use serde::Serialize;
use serde_json::Value;
use view::{AuditView, OperatorServiceView, StaffView, WebhookView};

use crate::harness::{Shop, World, appointment_of, at, by_operator, id_of, text};

fn call(number: i64) -> RecordCall {
    let outcomes = [CallOutcome::Other, CallOutcome::Voicemail, CallOutcome::Hangup];
    let started_at = at(0, 1) + TimeDelta::minutes(number / 3);
    let details = CallDetails {
        status: if number % 5 == 0 { CallStatus::Missed } else { CallStatus::Completed },
        outcome: outcomes[usize::try_from(number % 3).unwrap()],
        from_number: Some(domain::Phone::from_e164(format!("+1555{:07}", number % 4)).unwrap()),
        // Every tenth call has a summary of 10,000 characters, so that its row alone counts as several rows
        // of a page.
        summary: (number % 10 == 0).then(|| Text::new("long ".repeat(2_000)).unwrap()),
        ..CallDetails::of(
            if number % 7 == 0 { Direction::Outbound } else { Direction::Inbound },
            started_at,
            started_at + TimeDelta::minutes(1),
        )
    };
    RecordCall { details, contact_name: None }
}

/// A shop with records of every kind, and an endpoint with missed events.
async fn busy_shop(world: &World) -> (Shop, WebhookId, ContactId) {
    let shop = world.shop(2).await;
    let handle = world.at(&shop);
    let hook = CreateWebhook {
        url: WebhookUrl::parse("https://a.example.com/").unwrap(),
        events: EventTypes::all(),
        description: Text::new(String::new()).unwrap(),
    };
    let hook: WebhookId = id_of(&handle.change(by_operator(), hook).await.unwrap());
    let off = PatchWebhook {
        id: hook,
        url: None,
        events: None,
        description: None,
        status: Some(WebhookStatus::Disabled),
        reason: DisabledReason::Operator,
    };
    handle.change(by_operator(), off).await.unwrap();
    let mut contact = None;
    for number in 0..30 {
        let booking = shop.booking(at(number, 9), usize::try_from(number % 5).unwrap());
        let booked = handle.change(by_operator(), booking).await.unwrap();
        contact =
            contact.or(serde_json::from_value(crate::harness::json(&booked)["contact_id"].clone()).ok());
        let id = appointment_of(&booked);
        if number % 3 == 0 {
            handle.change(by_operator(), Cancel { id }).await.unwrap();
        } else if number % 4 == 0 {
            let request = MoveRequest {
                starts_at: at(100 - number, 9),
                staff_id: None,
                party: Party::TEAM,
                duration: None,
            };
            handle.change(by_operator(), Reschedule { id, request }).await.unwrap();
        }
        world.clock.jump(TimeDelta::milliseconds(number % 2));
        handle.change(by_operator(), call(number)).await.unwrap();
    }
    for number in 0..150 {
        let name = if number % 50 == 49 { format!("Zoë {number}") } else { format!("Contact x{number}") };
        let details = ContactDetails { name: Some(text(&name)), ..ContactDetails::default() };
        let made = handle.change(by_operator(), CreateContact { details }).await.unwrap();
        if number % 20 == 0 {
            let patch = ContactPatch {
                name: Some(Some(text(&format!("Zoë x{number}")))),
                ..ContactPatch::default()
            };
            handle.change(by_operator(), PatchContact { id: id_of(&made), patch }).await.unwrap();
        }
    }
    for number in 0..25 {
        let details = MessageDetails {
            status: if number % 9 == 0 { MessageStatus::Read } else { MessageStatus::New },
            ..MessageDetails::of(Text::new("Ring back".into()).unwrap())
        };
        handle.change(by_operator(), TakeMessage { details }).await.unwrap();
        let details = KnowledgeDetails {
            title: text(&format!("Piece x{number}")),
            content: Text::new(if number % 8 == 0 {
                "Small DOGS may come.".repeat(400)
            } else {
                "No.".into()
            })
            .unwrap(),
            source_url: None,
            locale: None,
        };
        handle.change(by_operator(), AddKnowledge { details }).await.unwrap();
        let key = CreateKey { name: text(&format!("Key {number}")), scopes: Scopes::all() };
        handle.change(by_operator(), key).await.unwrap();
    }
    (shop, hook, contact.unwrap())
}

/// The result of reading a list to its end.
#[derive(Default)]
struct Walked {
    items: Vec<Value>,
    pages: usize,
    /// The number of pages that were empty and had a next page.
    empty: usize,
}

async fn walked<T: Serialize, F>(limit: usize, mut next: impl FnMut(PageRequest) -> F) -> Walked
where
    F: Future<Output = Result<Page<T>, EngineError>>,
{
    let (mut walked, mut after) = (Walked::default(), None);
    loop {
        let page = next(PageRequest { limit, after }).await.unwrap();
        assert!(page.items.len() <= limit);
        walked.pages += 1;
        assert!(walked.pages < 1_000, "the walk does not end: {:?}", page.next);
        walked.empty += usize::from(page.items.is_empty() && page.next.is_some());
        walked.items.extend(page.items.iter().map(|item| serde_json::to_value(item).unwrap()));
        match page.next {
            None => return walked,
            next => after = next,
        }
    }
}

fn shown<T, V: From<T>>(page: Page<T>) -> Page<V> {
    Page { items: page.items.into_iter().map(V::from).collect(), next: page.next }
}

async fn every_list(
    handle: &BusinessHandle,
    world: &World,
    (hook, contact): (WebhookId, ContactId),
    limit: usize,
) -> Vec<(String, Walked)> {
    let mut lists = Vec::new();
    let changed = [None, Some(Timestamp::MIN), Some(at(0, 8) + TimeDelta::milliseconds(9))];
    for updated_since in changed {
        let any = AppointmentFilter { updated_since, ..AppointmentFilter::default() };
        let filters = [
            any.clone(),
            AppointmentFilter { status: vec![AppointmentStatus::Cancelled], ..any.clone() },
            AppointmentFilter { status: vec![AppointmentStatus::Declined], ..any.clone() },
            AppointmentFilter { contact_id: Some(contact), ..any.clone() },
            AppointmentFilter { contact_id: Some(contact), latest_first: true, ..any.clone() },
            AppointmentFilter {
                from: Some(at(5, 0)),
                to: Some(at(90, 0)),
                latest_first: true,
                ..any.clone()
            },
            AppointmentFilter { from: Some(at(5, 0)), to: Some(at(90, 0)), ..any },
        ];
        for filter in filters {
            let found = walked(limit, async |page| handle.appointments(&filter, &page).await).await;
            lists.push((format!("{filter:?}"), found));
        }
        let any = CallFilter { updated_since, ..CallFilter::default() };
        let filters = [
            any.clone(),
            CallFilter { outcome: Some(CallOutcome::Hangup), ..any.clone() },
            CallFilter { outcome: Some(CallOutcome::Spam), ..any.clone() },
            CallFilter { status: Some(CallStatus::Missed), ..any.clone() },
            CallFilter { contact_id: Some(contact), direction: Some(Direction::Outbound), ..any.clone() },
            CallFilter { unhandled: true, ..any.clone() },
            CallFilter { to: Some(at(0, 1) + TimeDelta::minutes(5)), ..any },
        ];
        for filter in filters {
            let found = walked(limit, async |page| handle.calls(&filter, &page).await).await;
            lists.push((format!("{filter:?}"), found));
        }
        let any = ContactFilter { updated_since, ..ContactFilter::default() };
        for part in [None, Some("zoë"), Some("x1"), Some("absent"), Some("contact")] {
            let filter = ContactFilter { name_part: part.map(Into::into), ..any.clone() };
            let found = walked(limit, async |page| handle.contacts(&filter, &page).await).await;
            lists.push((format!("{filter:?}"), found));
            let search = part.map(|words| Search::new(words, &[]));
            let filter = ContactFilter { search, ..any.clone() };
            let found = walked(limit, async |page| handle.contacts(&filter, &page).await).await;
            lists.push((format!("search {part:?} {filter:?}"), found));
        }
        let any = MessageFilter { updated_since, ..MessageFilter::default() };
        for status in [None, Some(MessageStatus::Read), Some(MessageStatus::Resolved)] {
            let filter = MessageFilter { status, ..any.clone() };
            let found = walked(limit, async |page| handle.messages(&filter, &page).await).await;
            lists.push((format!("{filter:?}"), found));
        }
    }
    for part in [None, Some("dogs"), Some("X1"), Some("absent")] {
        for newest_first in [false, true] {
            let filter = KnowledgeFilter { part: part.map(Into::into), newest_first };
            let found = walked(limit, async |page| handle.knowledge_list(&filter, &page).await).await;
            lists.push((format!("{filter:?}"), found));
        }
    }
    for status in [None, Some(DeliveryStatus::Missed), Some(DeliveryStatus::Failed)] {
        let filter = DeliveryFilter { status, ..DeliveryFilter::default() };
        let found = walked(limit, async |page| handle.deliveries(hook, filter, &page).await).await;
        lists.push((format!("{filter:?}"), found));
    }
    let audit = async |page| Ok(shown::<_, AuditView>(handle.audit(&page).await?));
    lists.push(("audit".into(), walked(limit, audit).await));
    lists.push(("keys".into(), walked(limit, async |page| handle.keys(&page).await).await));
    let services = async |page| {
        let page = handle.services(true, &page).await?;
        Ok(Page { items: page.items.iter().map(OperatorServiceView::from).collect(), next: page.next })
    };
    lists.push(("services".into(), walked(limit, services).await));
    let staff = async |page| {
        let page = handle.staff(&page).await?;
        Ok(Page { items: page.items.iter().map(StaffView::from).collect(), next: page.next })
    };
    lists.push(("staff".into(), walked(limit, staff).await));
    let webhooks = async |page| {
        let page = handle.webhooks(&page).await?;
        Ok(Page { items: page.items.iter().map(WebhookView::from).collect(), next: page.next })
    };
    lists.push(("webhooks".into(), walked(limit, webhooks).await));
    let businesses = async |page| {
        let page = world.engine.businesses(&page).await?;
        Ok(Page { items: page.items.iter().map(|business| business.id).collect(), next: page.next })
    };
    lists.push(("businesses".into(), walked(limit, businesses).await));
    lists
}

#[tokio::test(start_paused = true)]
async fn a_walk_shows_the_same_whatever_the_budget_and_the_page() {
    let mut world = World::new(3).await;
    let (shop, hook, contact) = busy_shop(&world).await;
    for _ in 0..5 {
        world.shop(0).await;
    }
    world.limits = Limits { scan_rows: 1_000_000, ..Limits::default() };
    world.restart().await;
    let whole = every_list(&world.at(&shop), &world, (hook, contact), usize::MAX).await;
    assert!(
        whole.iter().all(|(_, walked)| walked.pages == 1),
        "with a large budget, each list must fit on one page"
    );
    let found =
        |part: &str| whole.iter().any(|(name, walked)| name.contains(part) && !walked.items.is_empty());
    assert!(
        ["Hangup", "zoë", "Cancelled", "Missed", "unhandled: true", "dogs", "X1", "audit"]
            .into_iter()
            .all(found)
    );
    from_either_end(&whole);
    let mut empty = 0;
    for scan_rows in [1, 2, 3, 4, 7, 20, 100, 2_048] {
        world.limits = Limits { scan_rows, ..Limits::default() };
        world.restart().await;
        for limit in [1, 4, 100] {
            let lists = every_list(&world.at(&shop), &world, (hook, contact), limit).await;
            for ((name, walked), (_, whole)) in lists.iter().zip(&whole) {
                assert_eq!(walked.items, whole.items, "{name}, {scan_rows} rows, {limit} items per page");
                empty += walked.empty;
            }
        }
    }
    assert!(empty > 1_000, "only {empty} pages were empty and had a next page");
}

/// Checks that a list in descending order is the reverse of the list in ascending order. A list with `updated_since`
/// ignores the requested order.
fn from_either_end(lists: &[(String, Walked)]) {
    let mut turned = 0;
    for (name, forwards) in lists {
        for (reversed, usual) in
            [("latest_first: true", "latest_first: false"), ("newest_first: true", "newest_first: false")]
        {
            let other = name.replace(usual, reversed);
            let Some((_, backwards)) = lists.iter().find(|(one, _)| *one == other && other != *name) else {
                continue;
            };
            if name.contains("updated_since: Some") {
                assert_eq!(backwards.items, forwards.items, "{name}");
                continue;
            }
            let mut items = backwards.items.clone();
            items.reverse();
            assert_eq!(items, forwards.items, "{name}");
            turned += usize::from(items.len() > 1);
        }
    }
    assert!(turned >= 3, "only {turned} lists were read in both directions");
}

/// The number of rows that one page reads from the disk, and whether there is a next page.
async fn cost<T>(world: &World, page: impl Future<Output = Result<Page<T>, EngineError>>) -> (u64, bool) {
    let (read, listed) = (world.disk.reads(), world.engine.rows_listed());
    let more = page.await.unwrap().next.is_some();
    let (read, listed) = (world.disk.reads() - read, world.engine.rows_listed() - listed);
    // The end of each scan costs one more read, which returns no row. At most 8 such reads are allowed.
    assert!((listed..=listed + 8).contains(&read), "{listed} rows were counted, but {read} rows were read");
    (read, more)
}

#[tokio::test(start_paused = true)]
async fn a_filter_with_few_matches_reads_only_its_budget() {
    let mut world = World::new(4).await;
    let (shop, hook, contact) = busy_shop(&world).await;
    let page = PageRequest { limit: 100, after: None };
    for scan_rows in [4, 12, 20] {
        world.limits = Limits { scan_rows, ..Limits::default() };
        world.restart().await;
        let handle = world.at(&shop);
        handle
            .availability(
                shop.service,
                None,
                (at(1, 0).utc().date_naive(), at(1, 0).utc().date_naive()),
                Terms::Integration,
            )
            .await
            .unwrap();
        let mut costs = Vec::new();
        for updated_since in [None, Some(Timestamp::MIN)] {
            let spam =
                CallFilter { outcome: Some(CallOutcome::Spam), updated_since, ..CallFilter::default() };
            costs.push(cost(&world, handle.calls(&spam, &page)).await);
            let declined = AppointmentFilter {
                status: vec![AppointmentStatus::Declined],
                updated_since,
                ..AppointmentFilter::default()
            };
            costs.push(cost(&world, handle.appointments(&declined, &page)).await);
            let shown = AppointmentFilter { updated_since, ..AppointmentFilter::default() };
            costs.push(cost(&world, handle.appointments(&shown, &page)).await);
            let of_one =
                MessageFilter { contact_id: Some(contact), updated_since, ..MessageFilter::default() };
            costs.push(cost(&world, handle.messages(&of_one, &page)).await);
            let name_part = Some("x1".into());
            let named = ContactFilter { name_part, updated_since, ..ContactFilter::default() };
            costs.push(cost(&world, handle.contacts(&named, &page)).await);
            let search = Some(Search::new("zoe", &[]));
            let searched = ContactFilter { search, updated_since, ..ContactFilter::default() };
            costs.push(cost(&world, handle.contacts(&searched, &page)).await);
        }
        let failed = DeliveryFilter { status: Some(DeliveryStatus::Failed), ..DeliveryFilter::default() };
        costs.push(cost(&world, handle.deliveries(hook, failed, &page)).await);
        costs.push(cost(&world, handle.audit(&page)).await);
        costs.push(cost(&world, handle.keys(&page)).await);
        let bound = scan_rows as u64 + 24;
        assert!(costs.iter().all(|(read, _)| *read <= bound), "{costs:?} with a budget of {scan_rows} rows");
        let more = costs.iter().filter(|(_, more)| *more).count();
        assert!(more >= 11, "most lists must have a next page: {costs:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_list_of_unhandled_calls_reads_no_other_calls() {
    let world = World::new(6).await;
    let handle = world.at(&world.shop(1).await);
    let record = async |number: i64, direction, status| {
        let started_at = at(0, 1) + TimeDelta::minutes(number);
        let details = CallDetails {
            status,
            from_number: Some(domain::Phone::from_e164("+15550000001".into()).unwrap()),
            ..CallDetails::of(direction, started_at, started_at)
        };
        let call = RecordCall { details, contact_name: None };
        id_of(&handle.change(by_operator(), call).await.unwrap())
    };
    let filter = CallFilter { unhandled: true, ..CallFilter::default() };
    let page = PageRequest { limit: 100, after: None };
    let read = async || {
        let before = world.engine.rows_listed();
        let found = handle.calls(&filter, &page).await.unwrap().items;
        (found.iter().map(|call| call.id).collect::<Vec<_>>(), world.engine.rows_listed() - before)
    };
    let (inbound, missed) = (Direction::Inbound, CallStatus::Missed);
    let unhandled = [record(2, inbound, missed).await, record(1, inbound, CallStatus::Failed).await];
    let (found, rows) = read().await;
    assert_eq!(found, unhandled);
    for number in 3..40 {
        let handled = MarkCall { id: record(number, inbound, missed).await, handled: true };
        handle.change(by_operator(), handled).await.unwrap();
        record(number, inbound, CallStatus::Completed).await;
        record(number, Direction::Outbound, missed).await;
    }
    assert_eq!(read().await, (unhandled.to_vec(), rows), "other calls were listed or read");
}
