//! Decodes the resource in a stored event or in a stored response, to find the contacts that it names.
//!
//! Invariant: the type of an event determines the type of its resource. A stored response has no type, so it is
//! decoded as the first variant of [`Resource`] that fits.

use domain::{ContactId, Direction, EventType};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use store::records::ShownAnew;
use view::{CallView, ContactView, MessageView, OperatorAppointmentView};

/// The variant `Contact` must be the last, because [`ContactView`] has so few required properties that other resources
/// could be decoded as contacts.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Resource {
    Appointment(Box<OperatorAppointmentView>),
    Call(CallView),
    Message(MessageView),
    Contact(ContactView),
}

impl Resource {
    pub(crate) fn of_event(event: &[u8]) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        struct Head {
            #[serde(rename = "type")]
            kind: EventType,
        }
        #[derive(Deserialize)]
        struct Whole<V> {
            data: V,
        }
        fn data<V: DeserializeOwned>(event: &[u8]) -> serde_json::Result<V> {
            Ok(serde_json::from_slice::<Whole<V>>(event)?.data)
        }
        Ok(match serde_json::from_slice::<Head>(event)?.kind {
            EventType::AppointmentBooked
            | EventType::AppointmentRescheduled
            | EventType::AppointmentCancelled => Self::Appointment(data(event)?),
            EventType::CallCompleted => Self::Call(data(event)?),
            EventType::MessageTaken => Self::Message(data(event)?),
            EventType::ContactCreated => Self::Contact(data(event)?),
        })
    }

    pub(crate) fn of_answer(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }

    pub(crate) fn shown_anew(&self) -> ShownAnew {
        match self {
            Self::Appointment(view) => ShownAnew::Appointment(view.appointment.id),
            Self::Call(view) => ShownAnew::Call(view.id),
            Self::Message(view) => ShownAnew::Message(view.id),
            Self::Contact(view) => ShownAnew::Contact(view.id),
        }
    }

    pub(crate) fn contact_id(&self) -> Option<ContactId> {
        match self {
            Self::Appointment(view) => view.appointment.contact_id,
            Self::Call(view) => view.contact_id,
            Self::Message(view) => view.contact_id,
            Self::Contact(view) => Some(view.id),
        }
    }

    /// The phone number and email address that a customer entered in the booking form.
    pub(crate) fn entered(&self) -> [Option<&str>; 2] {
        let Self::Appointment(view) = self else { return [None, None] };
        let entered = view.booked_as.as_ref().and_then(Option::as_ref);
        [entered.and_then(|it| it.phone.as_deref()), entered.and_then(|it| it.email.as_deref())]
    }

    /// The customer's phone number. The other number of a call belongs to the business.
    pub(crate) fn phone(&self) -> Option<&str> {
        match self {
            Self::Appointment(view) => view.appointment.contact_phone.as_deref(),
            Self::Call(view) if view.direction == Direction::Outbound => view.to_number.as_deref(),
            Self::Call(view) => view.from_number.as_deref(),
            Self::Message(view) => view.caller_phone.as_deref(),
            Self::Contact(view) => view.phone.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;
    use crate::delivery::trial::sample;

    #[test]
    fn an_event_and_an_answer_decode_as_the_same_resource() {
        let now = Timestamp::from_millis(1_772_442_000_000);
        for kind in EventType::ALL {
            let data = sample(*kind, now, "Europe/Paris");
            let event = [format!(r#"{{"type":"{kind}","data":"#).as_bytes(), &data, b"}"].concat();
            let (event, answer) = (Resource::of_event(&event).unwrap(), Resource::of_answer(&data).unwrap());
            assert_eq!(event.shown_anew(), answer.shown_anew(), "{kind}");
            assert_eq!(event.contact_id(), answer.contact_id(), "{kind}");
            assert_eq!(
                (event.phone(), answer.phone()),
                (Some("+33612345680"), Some("+33612345680")),
                "{kind}"
            );
        }
        assert!(Resource::of_event(br#"{"type":"contact.erased","data":{}}"#).is_err());
        assert!(Resource::of_answer(br#"{"id":"01900000-0000-7000-8000-000000000000"}"#).is_none());
    }
}
