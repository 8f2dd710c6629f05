//! The values of fields in audit entries, in each language.

use domain::{DisabledReason, Locale, Urgency, WebhookStatus};

use super::of;

pub(in crate::dashboard) fn webhook_status(locale: Locale, status: WebhookStatus) -> &'static str {
    match status {
        WebhookStatus::Enabled => of(locale, "On", "Activé"),
        WebhookStatus::Disabled => of(locale, "Off", "Désactivé"),
    }
}

pub(in crate::dashboard) fn disabled_reason(locale: Locale, reason: DisabledReason) -> &'static str {
    match reason {
        DisabledReason::Failures => of(locale, "The deliveries failed", "Les livraisons ont échoué"),
        DisabledReason::Api => of(locale, "Switched off over the API", "Désactivé par l’API"),
        DisabledReason::Operator => of(locale, "Switched off by a person", "Désactivé par une personne"),
    }
}

pub(in crate::dashboard) fn urgency(locale: Locale, urgency: Urgency) -> &'static str {
    match urgency {
        Urgency::Normal => of(locale, "Normal", "Normale"),
        Urgency::Urgent => of(locale, "Urgent", "Urgent"),
    }
}
