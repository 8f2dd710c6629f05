//! The names of the fields in audit entries, in each language. Every field has a name.

use domain::{AuditedField, DisabledReason, Locale, Urgency, WebhookStatus};

use super::of;

pub(in crate::dashboard) fn field(locale: Locale, field: AuditedField) -> &'static str {
    use AuditedField as F;
    let (english, french) = match field {
        F::Active => ("Active", "Active"),
        F::Address => ("Address", "Adresse"),
        F::Alert => ("Text beside the name", "Texte à côté du nom"),
        F::AppointmentBooked => ("Alerts about booked appointments", "Alertes sur les rendez-vous pris"),
        F::AppointmentCancelled => {
            ("Alerts about cancelled appointments", "Alertes sur les rendez-vous annulés")
        }
        F::AppointmentId => ("Appointment", "Rendez-vous"),
        F::AppointmentRequested => {
            ("Alerts about requested appointments", "Alertes sur les rendez-vous demandés")
        }
        F::AppointmentRescheduled => {
            ("Alerts about moved appointments", "Alertes sur les rendez-vous déplacés")
        }
        F::Appointments => ("Limit of appointments", "Limite de rendez-vous"),
        F::AppointmentsDays => {
            ("Days until appointments are deleted", "Jours avant la suppression des rendez-vous")
        }
        F::Attendance => ("Attendance", "Présence"),
        F::AuditDays => ("Days until audit entries are deleted", "Jours avant la suppression du journal"),
        F::BlockedNumbers => ("Blocked numbers", "Numéros bloqués"),
        F::Body => ("Text", "Texte"),
        F::BookedAs => ("Entries in the booking form", "Saisie du formulaire de réservation"),
        F::BookingMode => ("Bookings", "Réservations"),
        F::Breaks => ("Breaks", "Pauses"),
        F::BufferAfterMinutes => ("Minutes after the appointment", "Minutes après le rendez-vous"),
        F::BufferBeforeMinutes => ("Minutes before the appointment", "Minutes avant le rendez-vous"),
        F::CalendarEventChanged => {
            ("Alerts about events changed in calendars", "Alertes sur les événements modifiés dans un agenda")
        }
        F::CalendarFailed => ("Alerts about calendars that fail", "Alertes sur les agendas en échec"),
        F::CalendarSyncStatus => ("Calendar", "Agenda"),
        F::CallId => ("Call", "Appel"),
        F::CallMissed => ("Alerts about missed calls", "Alertes sur les appels manqués"),
        F::CallerName => ("Name of the caller", "Nom de l’appelant"),
        F::CallerPhone => ("Phone of the caller", "Téléphone de l’appelant"),
        F::Calls => ("Limit of calls", "Limite d’appels"),
        F::CallsDays => ("Days until calls are deleted", "Jours avant la suppression des appels"),
        F::Category => ("Heading", "Rubrique"),
        F::ChangeByCaller => {
            ("Customers may change appointments", "Les clients peuvent modifier les rendez-vous")
        }
        F::ChangeNoticeMinutes => (
            "Minutes in which customers cannot change an appointment",
            "Minutes pendant lesquelles les clients ne peuvent plus modifier",
        ),
        F::Channels => ("Channels", "Canaux"),
        F::Clock => ("Format of times", "Format des heures"),
        F::Closed => ("Closed", "Fermé"),
        F::Color => ("Colour", "Couleur"),
        F::ContactId => ("Contact", "Contact"),
        F::ContactName => ("Name of the contact", "Nom du contact"),
        F::ContactPhone => ("Phone of the contact", "Téléphone du contact"),
        F::Contacts => ("Limit of contacts", "Limite de contacts"),
        F::Content => ("Text", "Texte"),
        F::Conversations => ("Limit of conversations", "Limite de conversations"),
        F::Created => ("Created contacts", "Contacts créés"),
        F::CreatedAt => ("Created", "Création"),
        F::Currency => ("Currency", "Devise"),
        F::CustomerNote => ("Note of the customer", "Note du client"),
        F::CustomerWord => ("Word for a customer", "Mot pour un client"),
        F::Description => ("Description", "Description"),
        F::Direction => ("Direction", "Sens"),
        F::DisabledAt => ("Off since", "Désactivé depuis"),
        F::DisabledReason => ("Reason for being off", "Motif de la désactivation"),
        F::DurationMinutes => ("Duration in minutes", "Durée en minutes"),
        F::DurationSeconds => ("Duration in seconds", "Durée en secondes"),
        F::Email => ("Email", "E-mail"),
        F::Enabled => ("On", "Activé"),
        F::EndedAt => ("Ended", "Fin"),
        F::EndsAt => ("Ends", "Fin"),
        F::Events => ("Events", "Événements"),
        F::FromNumber => ("Number of the caller", "Numéro de l’appelant"),
        F::Greeting => ("Greeting", "Message d’accueil"),
        F::GridMinutes => {
            ("Minutes between the lines of the calendar", "Minutes entre les lignes du calendrier")
        }
        F::HandledAt => ("Handled", "Traité"),
        F::HandoffNumber => ("Number for transfers", "Numéro de transfert"),
        F::Hours => ("Opening hours", "Horaires"),
        F::Instructions => ("Instructions", "Consignes"),
        F::Keys => ("Limit of API keys", "Limite de clés d’API"),
        F::Knowledge => ("Limit of knowledge", "Limite de connaissances"),
        F::KnowledgePublic => ("Knowledge for every caller", "Connaissances pour tous les appelants"),
        F::LastSignInAt => ("Last sign-in", "Dernière connexion"),
        F::Locale => ("Language", "Langue"),
        F::MaxAdvanceDays => ("Days for which customers can book ahead", "Jours de réservation à l’avance"),
        F::MembershipId => ("Membership", "Appartenance"),
        F::Merged => ("Merged contact", "Contact fusionné"),
        F::MessageId => ("Message", "Message"),
        F::MessageTaken => ("Alerts about messages", "Alertes sur les messages"),
        F::Messages => ("Limit of messages", "Limite de messages"),
        F::MessagesDays => ("Days until messages are deleted", "Jours avant la suppression des messages"),
        F::MinNoticeMinutes => ("Minutes of notice for a booking", "Délai de réservation en minutes"),
        F::Name => ("Name", "Nom"),
        F::Note => ("Note", "Note"),
        F::Notes => ("Notes", "Notes"),
        F::Origins => ("Sites that embed the booking page", "Sites qui intègrent la page de réservation"),
        F::Outcome => ("Outcome", "Résultat"),
        F::Override => ("Overridden rules", "Règles outrepassées"),
        F::Phone => ("Phone", "Téléphone"),
        F::PhoneRegion => ("Region of phone numbers", "Région des numéros de téléphone"),
        F::Position => ("Position", "Position"),
        F::PriceCents => ("Price in cents", "Prix en centimes"),
        F::RecordingUrl => ("Recording", "Enregistrement"),
        F::ReminderHours => {
            ("Reminders, in hours before the appointment", "Rappels, en heures avant le rendez-vous")
        }
        F::Role => ("Role", "Rôle"),
        F::ServiceId => ("Service", "Prestation"),
        F::ServiceIds => ("Services", "Prestations"),
        F::ServiceName => ("Service", "Prestation"),
        F::Services => ("Limit of services", "Limite de prestations"),
        F::ShowPrices => ("Shows prices", "Affiche les prix"),
        F::Slug => ("Address of the booking page", "Adresse de la page de réservation"),
        F::SnoozedUntil => ("Hidden until", "Masqué jusqu’au"),
        F::Source => ("Booked by", "Réservé par"),
        F::SourceUrl => ("Source", "Source"),
        F::Staff => ("Limit of staff members", "Limite de membres de l’équipe"),
        F::StaffId => ("Staff member", "Membre de l’équipe"),
        F::StaffName => ("Staff member", "Membre de l’équipe"),
        F::StartedAt => ("Began", "Début"),
        F::StartsAt => ("Begins", "Début"),
        F::Status => ("Status", "État"),
        F::Summary => ("Summary", "Résumé"),
        F::Suspended => ("Suspended", "Suspendu"),
        F::TeamFirstSeconds => (
            "Seconds for which the team’s phone rings first",
            "Secondes pendant lesquelles le téléphone de l’équipe sonne d’abord",
        ),
        F::Text => ("Text messages", "SMS"),
        F::Texts => ("Text messages", "SMS"),
        F::Timezone => ("Time zone", "Fuseau horaire"),
        F::Title => ("Title", "Titre"),
        F::ToNumber => ("Called number", "Numéro appelé"),
        F::TokensPerDay => ("Tokens of the model per day", "Jetons du modèle par jour"),
        F::Urgency => ("Urgency", "Urgence"),
        F::UrgentMessage => ("Alerts about urgent messages", "Alertes sur les messages urgents"),
        F::Url => ("Address", "Adresse"),
        F::WaitingDeliveries => ("Limit of waiting deliveries", "Limite de livraisons en attente"),
        F::WaitingNotices => ("Limit of waiting notices", "Limite de messages en attente"),
        F::WebhookDisabled => ("Alerts about disabled webhooks", "Alertes sur les webhooks désactivés"),
        F::WebhookFailing => ("Alerts about failing webhooks", "Alertes sur les webhooks en échec"),
        F::WebsiteUrl => ("Website", "Site web"),
        F::WeekStart => ("First day of the week", "Premier jour de la semaine"),
        F::Windows => ("Opening hours", "Horaires"),
    };
    of(locale, english, french)
}

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
