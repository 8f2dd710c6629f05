//! Changes to the booking page and to the settings of notices.

use domain::{
    AuditAction, BusinessId, Color, Conflict, Email, NoticeScope, NoticeSettings, Phone, ProblemCode,
    Refusal, SLUG_RESERVED, SiteOrigin, Slug, SlugOwner, Text, Timestamp, Website,
};
use store::{Batch, Record, keys};
use view::{NoticesView, WebsiteView};

use crate::business::{AnswerOf, BusinessHandle, Change, Context, Decision, Request, Shown, Write};
use crate::error::Result;

super::listed!(PatchNotices, SetWebsite);

/// A change to the booking page. `Some(None)` sets a field to its default.
#[derive(Clone, Debug, Default)]
pub struct PatchWebsite {
    pub enabled: Option<bool>,
    pub slug: Option<Option<Slug>>,
    pub origins: Option<Vec<SiteOrigin>>,
    pub color: Option<Option<Color>>,
    pub phone: Option<Option<Phone>>,
    pub email: Option<Option<Email>>,
    pub address: Option<Option<Text<1, 300>>>,
    pub change_by_caller: Option<bool>,
    pub change_notice_minutes: Option<Option<u32>>,
    pub show_prices: Option<bool>,
    /// The public URL of the service, for the address of the page.
    pub public_url: Option<String>,
}

impl BusinessHandle {
    /// Changes the booking page. A page that is enabled for the first time gets a slug.
    pub async fn patch_website(&self, request: Request, patch: PatchWebsite) -> Result<AnswerOf<SetWebsite>> {
        let shared = self.shared();
        let name =
            shared.store.get::<domain::Business>(&keys::profile(self.id))?.map(|business| business.name);
        let default = Slug::of_name(name.as_deref().unwrap_or_default());
        let other = default.with_suffix(shared.ports.random_bytes());
        let given = patch.slug.clone().flatten();
        let has_slug =
            shared.store.get::<Website>(&keys::website(self.id))?.is_some_and(|it| it.slug.is_some());
        // The page may get the slug in the request. If the page has no slug yet, it may also get one of the two default
        // slugs. All slugs that the page may get are locked.
        let claimed =
            [given.as_ref(), Some(&default).filter(|_| !has_slug), Some(&other).filter(|_| !has_slug)];
        let names: Vec<_> = claimed.into_iter().flatten().map(Slug::as_str).collect();
        let claim = if names.is_empty() { None } else { Some(self.businesses.slugs.on(&names).await) };
        self.with_claim(claim).change(request, SetWebsite { patch, defaults: [default, other] }).await
    }
}

/// A [`PatchWebsite`] that is sent to the actor. Until the commit, the sender holds a lock on each slug that the page
/// may get.
#[derive(Clone, Debug)]
pub struct SetWebsite {
    patch: PatchWebsite,
    /// The default slugs for a page that is enabled for the first time. The second slug is used if another business has
    /// the first slug.
    defaults: [Slug; 2],
}

impl Change for SetWebsite {
    type Gives = Shown<WebsiteView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let Self { patch, defaults } = self;
        let (of, before) = (context.state.id, &context.state.website);
        let public_url = patch.public_url.as_deref();
        let shown = WebsiteView::new(before, public_url);
        context.check_match(&shown)?;
        if before.slug.is_some() && patch.slug == Some(None) {
            return Err(Refusal::invalid("slug", ProblemCode::Required).into());
        }
        let mut after = before.clone();
        after.enabled = patch.enabled.unwrap_or(after.enabled);
        after.origins = patch.origins.unwrap_or(after.origins);
        after.color = patch.color.unwrap_or(after.color);
        after.phone = patch.phone.unwrap_or(after.phone);
        after.email = patch.email.unwrap_or(after.email);
        after.address = patch.address.map_or(after.address, |address| address.map(Text::into_string));
        after.change_by_caller = patch.change_by_caller.unwrap_or(after.change_by_caller);
        after.change_notice_minutes = patch.change_notice_minutes.unwrap_or(after.change_notice_minutes);
        after.show_prices = patch.show_prices.unwrap_or(after.show_prices);
        if let Some(Some(slug)) = patch.slug {
            if !is_free(context, &slug)? {
                return Err(Refusal::conflict(Conflict::SlugTaken, "slug", ProblemCode::Taken).into());
            }
            after.slug = Some(slug);
        }
        if after.enabled && after.slug.is_none() {
            let [first, second] = defaults;
            let free = [first, second].into_iter().find_map(|slug| match is_free(context, &slug) {
                Ok(is_free) => is_free.then_some(Ok(slug)),
                Err(error) => Some(Err(error)),
            });
            let taken = || Refusal::conflict(Conflict::SlugTaken, "slug", ProblemCode::Taken);
            after.slug = Some(free.transpose()?.ok_or_else(taken)?);
        }
        if after == *before {
            return Ok(Decision::answering(shown));
        }
        let mut rows = Batch::default();
        if after.slug != before.slug {
            release(of, before, context.at, &mut rows);
            if let Some(slug) = &after.slug {
                let owner = SlugOwner { business_id: of, reserved_until: None };
                rows.put(keys::slug(slug.as_str()), owner.encode());
            }
        }
        let now_shown = WebsiteView::new(&after, public_url);
        let mut decision = Decision::answering(now_shown.clone())
            .note_changes(AuditAction::WebsiteUpdated, of, (&shown, &now_shown))
            .write(Write::hot(of, Some(before), after));
        if !rows.is_empty() {
            decision = decision.write(Write::Rows(rows));
        }
        Ok(decision)
    }
}

fn is_free(context: &Context<'_>, slug: &Slug) -> Result<bool> {
    let owner = context.state.read::<SlugOwner>(&keys::slug(slug.as_str()))?;
    Ok(!owner.is_some_and(|owner| owner.excludes(context.state.id, context.now)))
}

/// When a page gives up its slug, reserves the slug for [`SLUG_RESERVED`]. After this time, another business can take
/// the slug.
pub(super) fn release(of: BusinessId, website: &Website, now: Timestamp, rows: &mut Batch) {
    if let Some(slug) = &website.slug {
        let owner = SlugOwner { business_id: of, reserved_until: Some(now + SLUG_RESERVED) };
        rows.put(keys::slug(slug.as_str()), owner.encode());
    }
}

#[derive(Clone, Debug, Default)]
pub struct PatchNotices {
    pub email: Option<NoticeScope>,
    pub text: Option<NoticeScope>,
    pub reminder_hours: Option<Vec<u8>>,
}

impl Change for PatchNotices {
    type Gives = Shown<NoticesView>;

    fn decide(self, context: &mut Context<'_>) -> Result<Decision<Self::Gives>> {
        let before = &context.state.notices;
        let shown = NoticesView::from(before);
        context.check_match(&shown)?;
        if self.text.is_some_and(|text| text != NoticeScope::Off) {
            return Err(Refusal::conflict(Conflict::NoTexts, "text", ProblemCode::NoTexts).into());
        }
        let after = NoticeSettings {
            email: self.email.unwrap_or(before.email),
            text: self.text.unwrap_or(before.text),
            reminder_hours: self.reminder_hours.unwrap_or_else(|| before.reminder_hours.clone()),
        };
        // A business that was created before the service had notices has no stored notice settings. The first request
        // that contains `email` stores the settings, even if the request repeats the default values.
        let is_stored = context.state.read::<NoticeSettings>(&keys::notices(context.state.id))?.is_some();
        if after == *before && (is_stored || self.email.is_none()) {
            return Ok(Decision::answering(shown));
        }
        let now_shown = NoticesView::from(&after);
        // A background job writes the missing reminders of upcoming appointments.
        let mut rows = Batch::default();
        if context.state.outbox.transport().is_some() {
            rows.put(keys::reminding(context.state.id), Vec::new());
            rows.put(keys::unfinished(context.state.id), Vec::new());
        }
        Ok(Decision::answering(now_shown.clone())
            .note_changes(AuditAction::NoticesUpdated, context.state.id, (&shown, &now_shown))
            .write(Write::Notices(after))
            .write(Write::Rows(rows)))
    }
}
