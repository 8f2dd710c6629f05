//! The page that lists connected calendars and feeds, with the form for a new feed, and the page that revokes
//! a feed. Only the response to the form shows the address of a feed. A member sees the feeds of their own
//! staff member, and gets a 404 for any other feed.

use std::collections::HashMap;

use domain::{FeedDetail, FeedId, Right, Role, StaffId, StaffMember};
use engine::business::commands::feeds::{CreateFeed, RevokeFeed};
use view::{CalendarView, FeedView, ListedFeedView};

use super::connected;

use crate::admin::feeds::FeedBody;
use crate::dashboard::pages::prelude::*;
use crate::rest::error::ApiError;

const SHOWN: usize = 50;
const PLACE: &str = "settings/calendars";

#[derive(Template)]
#[template(path = "dashboard/pages/settings/calendars/list.html", config = "src/askama.toml")]
struct List<'a> {
    sheet: Sheet<'a>,
    done: String,
    filled: Filled,
    /// The fields of the form, or `None` if the person cannot create a feed.
    fields: Option<[Field; 2]>,
    feeds: Vec<ListedFeedView>,
    calendars: Vec<CalendarView>,
    calendar_pages: Pages,
    staff: HashMap<StaffId, String>,
    pages: Pages,
}

impl<'a> List<'a> {
    async fn new(member: &'a Member, mut filled: Filled) -> Result<Self, Refused> {
        let part = member.part("feeds", SHOWN, &[]);
        let found =
            part.read(|page| async move { member.business.feeds(Some(&member.membership), &page).await });
        let found = found.await?;
        let staff = member.staff().await?;
        let fields = fields(member, &staff);
        let (calendars, calendar_pages) = connected::calendars(member).await?;
        Ok(Self {
            done: member.done(&[
                ("revoked", "feeds-revoked"),
                ("connected", "calendars-connected"),
                ("changed", "calendars-changed"),
                ("disconnected", "calendars-disconnected"),
                ("removing", "calendars-removing"),
                ("read", "calendars-reading"),
            ]),
            fields: fields.map(|fields| fields.map(|field| filled.field(&member.view, field))),
            filled,
            feeds: found.items,
            calendars,
            calendar_pages,
            staff: staff.into_iter().map(|one| (one.id, one.name)).collect(),
            pages: part.pages(found.next.as_deref()),
            sheet: member.sheet(PLACE),
        })
    }

    fn name_of(&self, staff: &StaffId) -> String {
        self.staff.get(staff).cloned().unwrap_or_default()
    }

    fn whose(&self, feed: &FeedView) -> String {
        whose(self.sheet.member, feed, &self.staff)
    }
}

/// The name of the staff member whose appointments the feed contains, or a text for the whole business.
fn whose(member: &Member, feed: &FeedView, staff: &HashMap<StaffId, String>) -> String {
    match feed.staff_id {
        None => member.t("feeds-of-all"),
        Some(id) => staff.get(&id).cloned().unwrap_or_else(|| member.t("feeds-of-gone")),
    }
}

fn fields(member: &Member, staff: &[StaffMember]) -> Option<[Field; 2]> {
    let (view, own) = (&member.view, &member.membership);
    let offered: Vec<_> =
        staff.iter().filter(|one| one.active && own.sees_calendars_of(Some(one.id))).collect();
    if !member.may(Right::Own) || (own.role == Role::Member && offered.is_empty()) {
        return None;
    }
    let choices = offered.into_iter().map(|one| Choice::new(one.id.to_string(), one.name.as_str()));
    let whose = Field::select("staff_id", view.t("feeds-whose"), choices);
    let whose = if own.role == Role::Member { whose } else { whose.or_empty(view.t("feeds-of-all")) };
    let details = FeedDetail::ALL.iter().map(|detail| Choice {
        hint: view.t(&format!("feeds-detail-{detail}-hint")),
        ..Choice::new(detail.as_str(), view.feed_detail(*detail))
    });
    let detail = Field::choices("detail", "radio", view.t("feeds-detail"), details).class("boxes");
    Some([whose, detail])
}

pub(crate) async fn show(member: Member) -> Answered {
    let filled = member.filled(member.path(), || Form::of([("detail", FeedDetail::Services.as_str())]));
    page(&List::new(&member, filled).await?)
}

pub(crate) async fn create(member: Member) -> Answered {
    match created(&member).await {
        Err(Refused::FormError(undone)) => {
            let shown = List::new(&member, member.refused(undone)).await?;
            page_as(shown.filled.status, &shown)
        }
        created => created,
    }
}

#[derive(Template)]
#[template(path = "dashboard/pages/settings/calendars/made.html", config = "src/askama.toml")]
struct Made<'a> {
    sheet: Sheet<'a>,
    title: String,
    url: String,
}

async fn created(member: &Member) -> Answered {
    let FeedBody { staff_id, detail } = member.body().optional("staff_id").text("detail").read()?;
    let origin = member.people().public_url().ok_or(ApiError::NoPublicUrl)?;
    let change = CreateFeed { staff_id, detail: detail.unwrap_or(FeedDetail::Services), origin };
    let made = member.change(change).await?.value;
    let staff = member.staff().await?.into_iter().map(|one| (one.id, one.name)).collect();
    page(&Made {
        title: member.with("feeds-made", "name", &whose(member, &made.feed, &staff)),
        url: made.url.ok_or_else(Refused::not_found)?,
        sheet: member.sheet_below(PLACE),
    })
}

#[derive(Template)]
#[template(path = "dashboard/pages/settings/calendars/revoke.html", config = "src/askama.toml")]
struct Revoke<'a> {
    sheet: Sheet<'a>,
    title: String,
    feed: ListedFeedView,
}

/// The page that asks for confirmation before a feed is revoked. A revoked feed has no such page.
pub(crate) async fn ask_revoke(member: Member) -> Answered {
    let feed = member.business.feed(member.id::<FeedId>("feed_id")?).await?;
    let is_seen = |it: &ListedFeedView| member.membership.sees_calendars_of(it.feed.staff_id);
    let feed = feed.filter(|it| it.revoked_at.is_none() && is_seen(it)).ok_or_else(Refused::not_found)?;
    let staff = member.staff().await?.into_iter().map(|one| (one.id, one.name)).collect();
    let title = member.with("feeds-revoke-title", "name", &whose(&member, &feed.feed, &staff));
    page(&Revoke { sheet: member.sheet_below(PLACE), title, feed })
}

pub(crate) async fn revoke(member: Member) -> Answered {
    let id: FeedId = member.id("feed_id")?;
    member.business.change(member.request(), RevokeFeed { id }).await?;
    Ok(see_other(&member.path_to("settings/calendars?done=revoked")))
}

impl View {
    fn feed_detail(&self, detail: FeedDetail) -> String {
        self.t(&format!("feeds-detail-{detail}"))
    }
}
