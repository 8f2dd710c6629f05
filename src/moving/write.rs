use domain::Timestamp;
use engine::counting::Difference;
use engine::moving::{Moved, MovedKind};

use super::line::Written;
use super::records::written;
use super::{BUSINESS_END, END, FORMAT, PROBLEM, VERSION};

pub(crate) fn head(exported_at: Timestamp) -> String {
    Written::new("format", FORMAT).put("version", &VERSION).put("exported_at", &exported_at).end()
}

pub(crate) fn end(businesses: u64) -> String {
    Written::new("kind", END).put("businesses", &businesses).end()
}

/// A line that replaces the last line: the export lacks records of a business.
pub(crate) fn problem(difference: &Difference) -> String {
    let Difference { business_id, kind, recorded, found } = difference;
    Written::new("kind", PROBLEM)
        .put("business_id", business_id)
        .put("records", kind)
        .put("recorded", recorded)
        .put("found", found)
        .end()
}

pub(crate) fn line(moved: &Moved) -> String {
    let kind = moved.kind().map_or(BUSINESS_END, MovedKind::word);
    written(moved, Written::new("kind", kind)).end()
}
