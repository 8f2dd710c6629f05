//! The page that lists the questions that the receptionist could not answer. A person can write a knowledge entry for
//! each question.

use domain::Right;
use engine::business::commands::conversations::DeleteGap;
use view::GapView;

use crate::dashboard::pages::prelude::*;

#[derive(Template)]
#[template(path = "dashboard/pages/records/gaps.html", config = "src/askama.toml")]
struct List<'a> {
    sheet: Sheet<'a>,
    done: String,
    gaps: Vec<GapView>,
}

impl List<'_> {
    fn asked(&self, gap: &GapView) -> String {
        self.sheet.member.view.count("gaps-count", gap.count.into())
    }

    /// The path of the form for a new knowledge entry, with the question as its title.
    fn entry(&self, gap: &GapView) -> String {
        let query =
            url::form_urlencoded::Serializer::new(String::new()).append_pair("title", &gap.question).finish();
        self.sheet.member.path_to(&format!("knowledge/new?{query}"))
    }
}

pub(crate) async fn list(member: Member) -> Answered {
    let gaps = member.business.gaps(member.business.now()).await?;
    let sheet = member.sheet("knowledge/gaps").under(vec![member.crumb("knowledge")]);
    page(&List { sheet, done: member.done(&[("deleted", "gaps-deleted")]), gaps })
}

pub(crate) async fn delete(member: Member) -> Answered {
    member.change(DeleteGap { id: member.id("gap_id")? }).await?;
    Ok(see_other(&member.path_to("knowledge/gaps?done=deleted")))
}
