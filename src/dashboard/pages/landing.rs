//! The first page after signing in. If the person has exactly one business and no invitations, the page redirects to
//! the business. Otherwise the page shows the businesses and invitations, or says that there are none.

use domain::{BusinessId, MembershipStatus, Person};
use engine::BusinessHandle;
use engine::people::MembershipSummary;

use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/landing.html", config = "src/askama.toml")]
struct Page<'a> {
    view: &'a View,
    person: &'a Person,
    businesses: Vec<&'a MembershipSummary>,
    offers: Vec<&'a MembershipSummary>,
}

pub(crate) async fn show(visit: SessionInput) -> Answered {
    let offered = |one: &&MembershipSummary| one.membership.status == MembershipStatus::Invited;
    let mut active = visit.active();
    if let (Some(one), None) = (active.next(), active.next())
        && !visit.belongs.iter().any(|one| offered(&one))
    {
        return Ok(see_other(&format!("/dashboard/b/{}/today", one.business_id)));
    }
    page(&Page {
        view: &visit.view,
        person: &visit.signed_in.person,
        businesses: visit.active().collect(),
        offers: visit.belongs.iter().filter(offered).collect(),
    })
}

pub(crate) async fn accept(visit: SessionInput) -> Answered {
    let business = offered(&visit).await?;
    visit.people().accept(&business, &visit.token).await?;
    Ok(see_other(&format!("/dashboard/b/{}/today", business.id())))
}

pub(crate) async fn decline(visit: SessionInput) -> Answered {
    let business = offered(&visit).await?;
    visit.people().decline(&business, &visit.token).await?;
    Ok(see_other("/dashboard"))
}

async fn offered(visit: &SessionInput) -> Result<BusinessHandle, Refused> {
    let id: BusinessId = visit.id("business_id")?;
    // For a business to which the person does not belong, the response is 404.
    let mut belongs = visit.belongs.iter().filter(|one| one.business_id == id);
    if !belongs.any(|one| one.membership.status != MembershipStatus::Disabled) {
        return Err(Refused::not_found());
    }
    let business = visit.desk.engine.business(id);
    if business.business().await?.suspended {
        return Err(Refused::Suspended);
    }
    Ok(business)
}
