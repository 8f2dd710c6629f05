//! Creates and revokes feeds. A feed that a person created is also revoked in two cases: the person loses access to the
//! calendars of the feed, or the staff member of the feed is deleted.

use domain::{
    Actor, AuditAction, Conflict, Denied, FEEDS_MAX, Feed, FeedDetail, FeedId, KeyCreator, Membership, Named,
    Person, PersonId, ProblemCode, Refusal, Right, StaffId, Timestamp,
};
use store::keys::kind;
use store::{KeyRange, Order, StoreError, Weight, keys};
use view::{FeedView, KeyCreatorView, NewFeedView};

use crate::business::decision::Decided;
use crate::business::state::State;
use crate::business::{Change, Context, Decision, New, Removed, Write};
use crate::calendars::feeds::FeedToken;
use crate::error::Result;

super::listed!(CreateFeed, RevokeFeed);

/// Creates a feed. Only the answer to this change contains the address.
#[derive(Clone, Debug)]
pub struct CreateFeed {
    /// It is `None` for a feed of the whole business.
    pub staff_id: Option<StaffId>,
    pub detail: FeedDetail,
    /// The public URL, without a slash at its end.
    pub origin: String,
}

impl Change for CreateFeed {
    type Gives = New<NewFeedView>;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { staff_id, detail, origin } = self;
        let state = context.state;
        match staff_id {
            _ if context.editor()?.sees_calendars_of(staff_id) => {}
            Some(_) => return Err(Refusal::NotFound(Named::Staff).into()),
            None => return Err(Refusal::NotAllowed(Denied::OwnersAndAdmins).into()),
        }
        if staff_id.is_some_and(|id| context.staff(id).is_none()) {
            return Err(Refusal::invalid("staff_id", ProblemCode::NotOfTheBusiness(Named::Staff)).into());
        }
        let count = live(state, keys::live_feeds_of(state.id, staff_id))?.len();
        if count >= FEEDS_MAX {
            let full = Conflict::FeedsFull(FEEDS_MAX);
            return Err(Refusal::conflict(full, "staff_id", ProblemCode::Feeds(count)).into());
        }
        let token = FeedToken::new(context.random());
        let created_by = match context.request.actor {
            Actor::Person(id) => KeyCreator::Person(id),
            Actor::ApiKey(_) | Actor::Operator | Actor::System | Actor::Customer | Actor::Receptionist(_) => {
                KeyCreator::Operator
            }
        };
        let name = match created_by {
            KeyCreator::Operator => None,
            KeyCreator::Person(id) => state.find::<Person>(&keys::person(id))?.map(|person| person.name),
        };
        let feed = Feed {
            id: context.mint(),
            staff_id,
            detail,
            hash: token.hash(),
            created_by,
            created_at: context.at,
            revoked_at: None,
        };
        let shown = NewFeedView {
            feed: FeedView::new(&feed, KeyCreatorView::new(created_by, name)),
            url: Some(format!("{origin}/calendar/{}.ics", token.text())),
        };
        Ok(Decision::answering(shown.clone())
            .remember(NewFeedView { url: None, ..shown })
            .note(AuditAction::FeedCreated, feed.id)
            .write(Write::Feed { before: None, after: feed }))
    }
}

/// Revokes a feed permanently. A repeated request changes nothing.
#[derive(Clone, Copy, Debug)]
pub struct RevokeFeed {
    pub id: FeedId,
}

impl Change for RevokeFeed {
    type Gives = Removed;
    const WEIGHT: Weight = Weight::Frees;
    const RIGHT: Option<Right> = Some(Right::Own);

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let feed = context.state.read::<Feed>(&keys::feed(context.state.id, self.id))?;
        let editor = context.editor()?;
        let feed = feed.filter(|feed| editor.sees_calendars_of(feed.staff_id));
        let before = feed.ok_or(Refusal::NotFound(Named::Feed))?;
        if before.revoked_at.is_some() {
            return Ok(Decision::gone());
        }
        Ok(Decision::gone().note(AuditAction::FeedRevoked, self.id).write(revoked(before, context.at)))
    }
}

fn revoked(before: Feed, at: Timestamp) -> Write {
    let after = Feed { revoked_at: Some(at), ..before.clone() };
    Write::Feed { before: Some(before), after }
}

/// The feeds whose index rows ([`kind::FEED_LIVE`]) are in a range, including changes that are not durable
/// yet.
fn live(state: &State, range: KeyRange) -> Result<Vec<Feed>, StoreError> {
    let (mut feeds, mut left) = (Vec::new(), range);
    while let Some((row, _)) = state.next_in(&left, Order::Ascending)? {
        left = left.after(row);
        let id = keys::id_at_end::<FeedId>(&row)?;
        feeds.extend(state.find::<Feed>(&keys::feed(state.id, id))?);
    }
    Ok(feeds)
}

/// Revokes the feeds that must end because of a change. If the access of a person changes, these are the feeds that the
/// person created and may no longer have. If a staff member is deleted, these are the feeds of the staff member. The
/// feeds that the operator created are not revoked here.
pub(in crate::business) fn end(
    state: &State,
    at: Timestamp,
    decided: &mut Decided,
) -> Result<(), StoreError> {
    let mut ended = Vec::new();
    for write in &decided.writes {
        match write {
            Write::Membership(after) => {
                let access = |it: &Membership| (it.role, it.status, it.staff_id);
                let before = state.people.get(&after.person_id);
                if before.is_some_and(|before| access(before) != access(after)) {
                    ended.extend(lost(state, after.person_id, Some(after))?);
                }
            }
            Write::NoMembership(id, _) => ended.extend(lost(state, *id, None)?),
            Write::NoStaff(id) => {
                let feeds = live(state, keys::live_feeds_of(state.id, Some(*id)))?;
                ended.extend(feeds.into_iter().filter(|feed| feed.created_by != KeyCreator::Operator));
            }
            _ => {}
        }
    }
    for feed in ended {
        decided.note(AuditAction::FeedRevoked, feed.id);
        decided.writes.push(revoked(feed, at));
    }
    Ok(())
}

/// Returns each feed that the person created and that `membership` does not permit. If `membership` is `None`, returns
/// every feed that the person created.
fn lost(state: &State, person: PersonId, membership: Option<&Membership>) -> Result<Vec<Feed>, StoreError> {
    let mut feeds = live(state, keys::of_kind(state.id, kind::FEED_LIVE))?;
    feeds.retain(|feed| feed.created_by == KeyCreator::Person(person) && !feed.is_kept_by(membership));
    Ok(feeds)
}
