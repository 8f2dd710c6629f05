//! Events.

use crate::domain::{BusinessId, EventId, EventType, Timestamp};

/// The bytes of an event (spec §2, the envelope) about a resource that is rendered already.
pub(crate) fn event(
    id: EventId,
    event: EventType,
    at: Timestamp,
    business: BusinessId,
    resource: &[u8],
) -> Vec<u8> {
    let head = format!(
        r#"{{"id":"{id}","type":"{event}","api_version":"v1","created_at":"{at}","business_id":"{business}","data":"#
    );
    [head.as_bytes(), resource, b"}"].concat()
}
