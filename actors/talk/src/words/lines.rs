//! The fixed lines in both languages.

use domain::Locale;

macro_rules! lines {
    ($($key:ident: $en:literal, $fr:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Key { $($key,)* }

        impl Key {
            #[cfg(test)]
            pub(crate) const ALL: &'static [Self] = &[$(Self::$key),*];

            /// The text of the line, with placeholders in braces.
            pub(crate) fn template(self, locale: Locale) -> &'static str {
                match (self, locale) {
                    $((Self::$key, Locale::En) => $en, (Self::$key, Locale::Fr) => $fr,)*
                }
            }
        }
    };
}

lines! {
    First: "Hello, this is the automated assistant of {business}.", "Bonjour, ici l'assistant automatique de {business}.";
    FirstText: "{business} (automated): ", "{business} (automatique) : ";
    Help: "How can I help?", "Que puis-je faire pour vous ?";
    Menu: "You can book, move or cancel an appointment, leave a message, or ask a question.",
        "Vous pouvez prendre, déplacer ou annuler un rendez-vous, laisser un message ou poser une question.";
    // These menus replace `Menu` if the business does not allow callers to do everything that `Menu` offers.
    MenuWithoutChanges: "You can book an appointment, leave a message, or ask a question.",
        "Vous pouvez prendre un rendez-vous, laisser un message ou poser une question.";
    MenuWithoutBooking: "You can move or cancel an appointment, leave a message, or ask a question.",
        "Vous pouvez déplacer ou annuler un rendez-vous, laisser un message ou poser une question.";
    MenuWithoutAppointments: "You can leave a message, or ask a question.",
        "Vous pouvez laisser un message ou poser une question.";
    AskService: "Which service would you like?", "Quelle prestation souhaitez-vous ?";
    AskStaff: "With whom?", "Avec qui ?";
    AskWhich: "Which appointment?", "Quel rendez-vous ?";
    AskDay: "Which day suits you?", "Quel jour vous convient ?";
    AskTime: "At what time?", "À quelle heure ?";
    AskName: "What is your name?", "Quel est votre nom ?";
    AskPhone: "What is your phone number?", "Quel est votre numéro de téléphone ?";
    AskCode: "Please give me the code.", "Donnez-moi le code, s'il vous plaît.";
    AskBody: "What is your message?", "Quel est votre message ?";
    AskQuestion: "What would you like to know?", "Que souhaitez-vous savoir ?";
    Offer: "I have {list}. Which one suits you?", "J'ai {list}. Laquelle vous convient ?";
    None: "There is nothing free {range}.", "Il n'y a rien de libre {range}.";
    Taken: "That time has just been taken.", "Cette heure vient d'être prise.";
    AskBook: "{service} with {staff} {when}, for {name}. Shall I book it?",
        "{service} avec {staff} {when}, au nom de {name}. Je réserve ?";
    DoneBook: "Booked: {service} with {staff} {when}.", "Réservé : {service} avec {staff} {when}.";
    DoneRequest: "Requested: {service} with {staff} {when}. The team will confirm it.",
        "Demandé : {service} avec {staff} {when}. L'équipe confirmera.";
    AskMove: "{service} {old} moves to {when}. Shall I move it?", "{service} {old} passe à : {when}. Je déplace ?";
    DoneMove: "Moved: {service} with {staff} is now {when}.", "Déplacé : {service} avec {staff}, désormais {when}.";
    AskCancel: "{service} {when}. Shall I cancel it?", "{service} {when}. J'annule ?";
    DoneCancel: "Cancelled: {service} {when}.", "Annulé : {service} {when}.";
    // In a text thread, the caller confirms a move or a cancellation with a number and not with a yes.
    AskMoveNumber: "{service} {old} moves to {when}. Reply {n} to confirm.",
        "{service} {old} passe à : {when}. Répondez {n} pour confirmer.";
    AskCancelNumber: "{service} {when}. Reply {n} to confirm.", "{service} {when}. Répondez {n} pour confirmer.";
    AskConsent: "May I text you the confirmation and a reminder? Message rates may apply.",
        "Puis-je vous envoyer la confirmation et un rappel par SMS ?";
    NothingDone: "Nothing was changed.", "Rien n'a été changé.";
    NoChange: "This appointment can no longer be changed here. I can take a message.",
        "Ce rendez-vous ne peut plus être modifié ici. Je peux prendre un message.";
    // The caller cannot prove who they are, because the service cannot send codes.
    NoCodes: "Appointments cannot be changed here. I can take a message.",
        "On ne peut pas modifier de rendez-vous ici. Je peux prendre un message.";
    NoBooking: "Appointments cannot be booked here. I can take a message.",
        "On ne peut pas réserver ici. Je peux prendre un message.";
    UseLink: "To change an appointment, use the link in your confirmation.",
        "Pour modifier un rendez-vous, utilisez le lien de votre confirmation.";
    CodeSent: "If we know this number, a code is on its way.", "Si nous connaissons ce numéro, un code est en route.";
    CodeWrong: "That is not the code.", "Ce n'est pas le bon code.";
    MessageDone: "Your message is with the team.", "Votre message est transmis à l'équipe.";
    Transfer: "I am putting you through.", "Je vous mets en relation.";
    TransferFailed: "Nobody can take the call right now. I can take a message.",
        "Personne ne peut répondre pour l'instant. Je peux prendre un message.";
    Unknown: "I do not know that. I can take a message.", "Je ne sais pas. Je peux prendre un message.";
    Again: "Sorry, I did not get that.", "Pardon, je n'ai pas compris.";
    Moment: "One moment, please.", "Un instant, s'il vous plaît.";
    Emergency: "If this is an emergency, call {number} now.", "S'il s'agit d'une urgence, appelez le {number} maintenant.";
    Limit: "We have to stop here.", "Nous devons en rester là.";
    Closed: "{business} does not take calls here.", "{business} ne prend pas d'appels ici.";
    Goodbye: "Thank you, goodbye.", "Merci, au revoir.";
    // The labels of choices.
    Yes: "Yes", "Oui";
    No: "No", "Non";
    MenuBook: "Book an appointment", "Prendre un rendez-vous";
    MenuMove: "Move an appointment", "Déplacer un rendez-vous";
    MenuCancel: "Cancel an appointment", "Annuler un rendez-vous";
    MenuMessage: "Leave a message", "Laisser un message";
    MenuQuestion: "Hours, address or a question", "Horaires, adresse ou une question";
    MenuPerson: "Speak to a person", "Parler à quelqu'un";
    Back: "Back", "Retour";
    More: "More", "Suite";
    ToMenu: "Menu", "Menu";
    ManageLink: "Manage the appointment", "Gérer le rendez-vous";
    // The answers to questions about the business itself.
    OpenOn: "{day}: {windows}.", "{day} : {windows}.";
    ClosedOn: "{day}: closed.", "{day} : fermé.";
    Address: "Address: {address}.", "Adresse : {address}.";
    PhoneNumber: "Phone: {phone}.", "Téléphone : {phone}.";
    Services: "Services: {list}.", "Prestations : {list}.";
    // The summary.
    SumBooked: "Booked: {service}, {at}.", "Réservé : {service}, {at}.";
    SumRequested: "Requested: {service}, {at}.", "Demandé : {service}, {at}.";
    SumMoved: "Moved: {service}, {at}.", "Déplacé : {service}, {at}.";
    SumCancelled: "Cancelled: {service}, {at}.", "Annulé : {service}, {at}.";
    SumMessage: "Message taken.", "Message pris.";
}
