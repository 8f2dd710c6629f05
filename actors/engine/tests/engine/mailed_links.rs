//! The number of manage links of an appointment is limited. At the limit, a new link invalidates the oldest link that
//! was not sent by mail. If all links were sent by mail, it invalidates the oldest link.

use domain::{Actor, AppointmentId};
use engine::BusinessHandle;
use engine::business::Request;
use engine::business::commands::customers::{ManageToken, MintLink};
use engine::business::commands::notices::StopNotices;

use crate::harness::{World, at};
use crate::notices::{EMAIL, book, booking_by};

async fn mint(handle: &BusinessHandle, appointment_id: AppointmentId, to: Option<&str>) -> ManageToken {
    let mint = MintLink { appointment_id, to: to.map(str::to_owned) };
    let minted = handle.change(Request::by(Actor::System), mint).await.unwrap().value;
    ManageToken::parse(&minted.token).unwrap()
}

async fn works(handle: &BusinessHandle, token: &ManageToken) -> bool {
    handle.seen_by_link(token).await.unwrap().is_some()
}

#[tokio::test(start_paused = true)]
async fn repetitions_of_a_form_do_not_end_the_link_in_a_mail() {
    let world = World::new(44).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let id = book(&world, &shop, at(1, 9)).await;
    let mailed = mint(&handle, id, Some(EMAIL)).await;
    let shown = mint(&handle, id, None).await;
    for _ in 0..40 {
        let last = mint(&handle, id, None).await;
        assert!(works(&handle, &last).await && works(&handle, &mailed).await);
    }
    assert!(!works(&handle, &shown).await, "the oldest link of a page has ended");
    let stop = StopNotices { token: mailed, all: true };
    handle.change(Request::by(Actor::Customer), stop).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn of_more_than_32_mailed_links_the_oldest_ends() {
    let world = World::new(45).await;
    let shop = world.shop(1).await;
    let handle = world.at(&shop);
    let booked = handle.change(Request::by(Actor::Customer), booking_by(&shop, at(1, 9), 1, EMAIL)).await;
    let booked = booked.unwrap().value;
    let (id, shown) = (booked.appointment_id, ManageToken::parse(&booked.token.unwrap()).unwrap());
    let mut mailed = Vec::new();
    for _ in 0..33 {
        mailed.push(mint(&handle, id, Some(EMAIL)).await);
    }
    assert!(!works(&handle, &shown).await && !works(&handle, &mailed[0]).await);
    // Now 32 mailed links work, which is the limit. The test creates four links that are not mailed. The first of the
    // four ends the oldest mailed link, because all 32 links are mailed. Each of the other three ends the link that was
    // created before it, because that link is not mailed. So 31 mailed links remain.
    let mut shown = mint(&handle, id, None).await;
    for _ in 0..3 {
        let next = mint(&handle, id, None).await;
        assert!(works(&handle, &next).await && !works(&handle, &shown).await);
        shown = next;
    }
    assert!(!works(&handle, &mailed[1]).await);
    for link in &mailed[2..] {
        assert!(works(&handle, link).await);
    }
}
