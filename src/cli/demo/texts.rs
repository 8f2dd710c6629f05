//! The names and texts of the sample business. Each pair has an English and a French text.

use domain::Locale;

type Pair = [&'static str; 2];

/// The text of a pair in this language.
pub(super) fn text([english, french]: Pair, language: Locale) -> &'static str {
    match language {
        Locale::En => english,
        Locale::Fr => french,
    }
}

pub(super) const FIRST_NAMES: [&str; 30] = [
    "Julie",
    "Nicolas",
    "Chloé",
    "Hugo",
    "Manon",
    "Thomas",
    "Élodie",
    "Antoine",
    "Léa",
    "Mathieu",
    "Sophie",
    "Julien",
    "Aurélie",
    "Maxime",
    "Céline",
    "Alexandre",
    "Margaux",
    "Guillaume",
    "Noémie",
    "Baptiste",
    "Fatou",
    "Karim",
    "Nadia",
    "Mehdi",
    "Clémence",
    "Vincent",
    "Hélène",
    "Adrien",
    "Mathilde",
    "Romain",
];

pub(super) const LAST_NAMES: [&str; 31] = [
    "Martin",
    "Bernard",
    "Dubois",
    "Lefèvre",
    "Garnier",
    "Rousseau",
    "Fontaine",
    "Chevalier",
    "Marchand",
    "Mercier",
    "Blanchard",
    "Gauthier",
    "Perrin",
    "Lemoine",
    "Renaud",
    "Barbier",
    "Leclerc",
    "Delmas",
    "Traoré",
    "Benoît",
    "Carpentier",
    "Vasseur",
    "Nguyen",
    "Da Silva",
    "Poirier",
    "Charpentier",
    "Lacroix",
    "Meunier",
    "Guérin",
    "Caron",
    "Haddad",
];

/// The team's notes about contacts. A note has the same index as its contact.
pub(super) const CONTACT_NOTES: [Pair; 7] = [
    [
        "Colour: 6.3 + 7.4 (1:1), 20 vol, 35 minutes. Prefers Camille. Takes coffee without sugar.",
        "Couleur : 6.3 + 7.4 (1:1), 20 vol, 35 minutes. Préfère Camille. Café sans sucre.",
    ],
    ["Clippers 2 at the sides, scissors on top.", "Tondeuse 2 sur les côtés, ciseaux dessus."],
    ["Has been growing out her fringe since spring.", "Laisse pousser sa frange depuis le printemps."],
    ["Comes with her daughter. Book both at the same time.", "Vient avec sa fille : réserver en même temps."],
    ["Always pays by card. Receipt by email.", "Paie toujours par carte. Reçu par e-mail."],
    ["Balayage every three months, cool tones only.", "Balayage tous les trois mois, tons froids seulement."],
    ["Sensitive scalp: no heat above medium.", "Cuir chevelu sensible : chaleur moyenne au plus."],
];

/// The alert texts of the two contacts that have the first and the last note of [`CONTACT_NOTES`].
pub(super) const ALERTS: [Pair; 2] = [
    ["Allergic to PPD: ammonia-free colour only", "Allergie à la PPD : couleur sans ammoniaque seulement"],
    ["Sensitive scalp: patch test first", "Cuir chevelu sensible : test d’abord"],
];

/// The team's notes on some appointments.
pub(super) const APPOINTMENT_NOTES: [Pair; 5] = [
    ["Patch test done.", "Test d’allergie fait."],
    ["May be ten minutes late.", "Aura peut-être dix minutes de retard."],
    ["Brings a photo of the cut.", "Apporte une photo de la coupe."],
    ["Wants to try the new treatment.", "Veut essayer le nouveau soin."],
    ["First visit: offer a consultation.", "Première visite : proposer un diagnostic."],
];

/// The notes that customers enter in the booking form.
pub(super) const CUSTOMER_NOTES: [Pair; 4] = [
    ["I have very long hair.", "J’ai les cheveux très longs."],
    ["With Camille if possible, thank you!", "Avec Camille si possible, merci !"],
    ["I will bring a pushchair.", "Je viens avec une poussette."],
    ["It is for a wedding on Saturday.", "C’est pour un mariage samedi."],
];

pub(super) const CALL_BOOKED: [Pair; 3] = [
    ["Books {} and asks for a text message as a reminder.", "Réserve : {}. Demande un rappel par SMS."],
    ["Books {} after asking for the price.", "Réserve : {}, après avoir demandé le prix."],
    ["Books {}. Prefers the afternoon.", "Réserve : {}. Préfère l’après-midi."],
];

pub(super) const CALL_ANSWERED: [Pair; 6] = [
    ["Asks for the opening hours on Saturday.", "Demande les horaires du samedi."],
    ["Asks for the price of a balayage on long hair.", "Demande le prix d’un balayage sur cheveux longs."],
    ["Asks where to park near the salon.", "Demande où se garer près du salon."],
    ["Asks whether gift cards are sold.", "Demande si le salon vend des cartes cadeaux."],
    ["Asks whether a patch test is necessary.", "Demande si un test d’allergie est nécessaire."],
    ["Asks how to get there from the station.", "Demande le chemin depuis la gare."],
];

pub(super) const CALL_WITH_MESSAGE: Pair =
    ["Leaves a message for the team.", "Laisse un message à l’équipe."];
pub(super) const MESSAGE_HANDLED: Pair = ["Called back, done.", "Rappelé, c’est réglé."];

/// The questions of customers in the chat. The last one has no answer in the knowledge entries.
pub(super) const CHAT: [Pair; 3] = [
    ["Do you sell gift cards?", "Vendez-vous des cartes cadeaux ?"],
    ["Can I leave my bicycle in the yard?", "Puis-je laisser mon vélo dans la cour ?"],
    ["Do you have a terrace?", "Avez-vous une terrasse ?"],
];

/// Messages of the last days. The newest one is open but snoozed, and the others are resolved.
pub(super) const MESSAGES: [Pair; 6] = [
    [
        "Please call me back about the invoice of last month.",
        "Merci de me rappeler pour la facture du mois dernier.",
    ],
    ["I left a grey scarf at the salon on Thursday.", "J’ai oublié une écharpe grise au salon jeudi."],
    [
        "Do you have the shampoo for coloured hair in stock?",
        "Avez-vous en stock le shampooing pour cheveux colorés ?",
    ],
    [
        "There are four of us, for a wedding in May. Is that possible?",
        "Nous sommes quatre pour un mariage en mai. Est-ce possible ?",
    ],
    ["I would like to apply for an apprenticeship.", "Je voudrais postuler comme apprentie."],
    [
        "The supplier can deliver the colours on Tuesday instead.",
        "Le fournisseur peut livrer les couleurs mardi à la place.",
    ],
];

/// The calls of the last hours, and their messages.
pub(super) const QUOTE_CALL: Pair =
    ["Asks to be called back about a quote.", "Demande qu’on le rappelle au sujet d’un devis."];
pub(super) const MISSED_CALL: Pair = ["Hangs up after two seconds.", "Raccroche après deux secondes."];
pub(super) const QUOTE_MESSAGE: Pair = [
    "Please call me back about the quote for the wedding party.",
    "Merci de me rappeler au sujet du devis pour le mariage.",
];
pub(super) const URGENT_MESSAGE: Pair = [
    "My scalp has been burning since the colour yesterday. Please call me back quickly.",
    "Mon cuir chevelu brûle depuis la couleur d’hier. Merci de me rappeler vite.",
];

/// Knowledge entries: title and content.
pub(super) const KNOWLEDGE: [[Pair; 2]; 6] = [
    [
        ["Getting here", "Venir au salon"],
        [
            "Metro line 12, Abbesses station, two minutes on foot. The car park Clichy-Montmartre is five minutes away. Bicycles can be left in the yard.",
            "Métro ligne 12, station Abbesses, à deux minutes à pied. Le parking Clichy-Montmartre est à cinq minutes. Les vélos peuvent rester dans la cour.",
        ],
    ],
    [
        ["Cancellations", "Annulations"],
        [
            "Appointments can be cancelled or moved free of charge until 24 hours before they start. After two missed appointments we ask for a deposit of 20 €.",
            "Un rendez-vous s’annule ou se déplace sans frais jusqu’à 24 heures avant. Après deux rendez-vous manqués, nous demandons un acompte de 20 €.",
        ],
    ],
    [
        ["Patch test before a colour", "Test d’allergie avant une couleur"],
        [
            "A patch test is necessary 48 hours before the first colour. It takes five minutes and costs nothing.",
            "Un test est nécessaire 48 heures avant la première couleur. Il dure cinq minutes et il est gratuit.",
        ],
    ],
    [
        ["Products", "Produits"],
        [
            "We work with silicone-free products. Ammonia-free colours are available at the same price.",
            "Nous travaillons avec des produits sans silicone. Les couleurs sans ammoniaque sont au même prix.",
        ],
    ],
    [
        ["Gift cards", "Cartes cadeaux"],
        [
            "Gift cards from 30 € are sold at the salon and are valid for one year.",
            "Les cartes cadeaux, à partir de 30 €, se vendent au salon et sont valables un an.",
        ],
    ],
    [
        ["Children", "Enfants"],
        [
            "Children are welcome. The children's price applies up to the age of 12.",
            "Les enfants sont les bienvenus. Le tarif enfant vaut jusqu’à 12 ans.",
        ],
    ],
];

pub(super) const TIME_OFF: Pair = ["Training on colour", "Formation couleur"];
pub(super) const WEBHOOK: Pair = ["Salon newsletter", "Lettre d’information du salon"];
