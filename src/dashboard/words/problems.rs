//! The problems of fields, in each language. The match is exhaustive, so each code has a text.

use domain::{
    CalendarError, CalendarFault, Conflict, CurrentValue, Locale, Named, PasswordHint, ProblemCode,
    TableProblem, TextError, UrlRefusal, WebhookStatus,
};

use super::of;
use super::refusals::{conflict, counted, fill, grouped, next};
use crate::words::Words;

pub(in crate::dashboard) fn problem(words: &Words, code: &ProblemCode) -> String {
    use ProblemCode as P;
    let say = |english, french| of(words.locale, english, french).to_owned();
    let count = |number, english, french| counted(words, number, english, french);
    match code {
        P::PlusInQuery(code) => problem(words, code),
        P::Text(error) => text(words, *error),
        P::NextIn(wait) => next(words, *wait),
        P::MailPending => conflict(words, &Conflict::MailPending),
        P::MailHasLink => conflict(words, &Conflict::MailHasLink),
        P::NoRelay => conflict(words, &Conflict::NoRelay),
        P::NoTexts => conflict(words, &Conflict::NoTexts),
        P::NotASlug => say(
            "Use 3 to 60 characters: a to z, 0 to 9 and hyphens. The first and the last character must not be a hyphen.",
            "Il faut 3 à 60 caractères : a à z, 0 à 9 et des traits d’union, mais pas aux extrémités.",
        ),
        P::NotAnOrigin => say(
            "It must be the start of a web address, such as https://www.example.com, without a path.",
            "Il faut le début d’une adresse web, comme https://www.example.com, sans chemin.",
        ),
        P::NotAColor => say("It must be a colour, such as #1a2b3c.", "Il faut une couleur, comme #1a2b3c."),
        P::NotOneLine => say("It must be one line.", "Il faut une seule ligne."),
        P::NotByText => conflict(words, &Conflict::NotByText),
        P::ZeroOrRange(min, max) => fill(
            words,
            [min.to_string(), max.to_string()],
            "It must be 0, or a whole number from {} to {}.",
            "Il faut 0, ou un nombre entier de {} à {}.",
        ),
        P::MailsWait => conflict(words, &Conflict::MailsWait),
        P::Guessable(hints) => {
            let guessed = of(words.locale, "It is too easy to guess.", "Il est trop facile à deviner.");
            let hints = hints.iter().map(|one| hint(words.locale, *one));
            std::iter::once(guessed).chain(hints).collect::<Vec<_>>().join(" ")
        }
        P::HeaderAscii(max) | P::VisibleAscii(max) | P::NotANameOrId(max) => {
            text(words, TextError::Length { min: 1, max: *max })
        }
        P::ValuesMax(max) | P::Items { min: 0, max } => {
            count(*max, "The maximum number is {}.", "Le nombre maximal est {}.")
        }
        P::OffersMax(max) => count(
            *max,
            "They already offer {} services, which is the maximum.",
            "Cette personne propose déjà {} prestations, le maximum.",
        ),
        P::Unnamed(number) => {
            count(*number, "{} more values are not valid.", "{} autres valeurs ne sont pas valides.")
        }
        P::AtMost(max) => count(*max as usize, "It must be {} at most.", "Il faut {} au plus."),
        P::DaysFrom(_, max) => {
            let max = usize::try_from(*max).unwrap_or_default();
            count(max, "Choose {} days at most.", "Choisissez {} jours au plus.")
        }
        P::Now(value) => now(words, *value),
        P::WholeNumber { min: 0, max: 100_000_000 } => say(
            "It must be a price such as 45 or 45.50, 1,000,000 at most.",
            "Il faut un prix comme 45 ou 45,50, et 1 000 000 au plus.",
        ),
        P::WholeNumber { min, max } => fill(
            words,
            [*min, *max].map(|number| grouped(words, usize::try_from(number).unwrap_or(usize::MAX))),
            "It must be a whole number from {} to {}.",
            "Il faut un nombre entier de {} à {}.",
        ),
        P::Years(first, last) => fill(
            words,
            [first.to_string(), last.to_string()],
            "The year must be from {} to {}.",
            "L’année doit être entre {} et {}.",
        ),
        P::DayListed(_, most) | P::WindowsMax(most) => count(
            *most,
            "A day can have at most {} opening periods.",
            "Un jour peut avoir au plus {} plages horaires.",
        ),
        P::BreaksMax(most) => {
            count(*most, "A week can have at most {} breaks.", "Une semaine peut avoir {} pauses au plus.")
        }
        P::OverlapsDay(day) => fill(
            words,
            [words.weekday(*day)],
            "It overlaps a period on {}.",
            "Cet horaire en chevauche un du {}.",
        ),
        P::OverlapsWindow(0) => say("It overlaps the first period.", "Elle chevauche la première."),
        P::OverlapsWindow(1) => say("It overlaps the second period.", "Elle chevauche la deuxième."),
        P::OverlapsWindow(2) => say("It overlaps the third period.", "Elle chevauche la troisième."),
        P::OverlapsWindow(index) => {
            count(index + 1, "It overlaps period number {}.", "Elle chevauche celle qui a le numéro {}.")
        }
        P::People(1) => say("1 person belongs to it.", "1 personne en fait partie."),
        P::People(number) => count(*number, "{} people belong to it.", "{} personnes en font partie."),
        P::WebhookUrl(refusal) => webhook_url(words, *refusal),
        P::Endpoints(number) => count(*number, "There are {} endpoints already.", "Il y a déjà {} adresses."),
        P::Feeds(number) => count(*number, "There are {} addresses already.", "Il y a déjà {} adresses."),
        P::Calendars(number) => {
            count(*number, "{} calendars are connected already.", "{} agendas sont déjà connectés.")
        }
        P::Calendar(error) => calendar(words, error),
        P::GoogleCaldav => say(
            "Google calendars are connected by their secret iCal address in this version.",
            "Dans cette version, les agendas Google se connectent par leur adresse secrète au format iCal.",
        ),
        P::NoCollection => say(
            "The account has no calendar with this address.",
            "Le compte n’a pas d’agenda à cette adresse.",
        ),
        P::BusyOrWrite => {
            say("Choose at least one of the two.", "Choisissez au moins l’une des deux possibilités.")
        }
        P::CaldavOnly => say(
            "Enter this only for a calendar on a CalDAV server.",
            "Indiquez ceci seulement pour un agenda d’un serveur CalDAV.",
        ),
        P::SkippedTime => say(
            "This time does not exist on that day because of a clock change.",
            "Cette heure n’existe pas ce jour-là à cause d’un changement d’heure.",
        ),
        P::TimeTwice => say(
            "This time occurs twice on that day because of a clock change. Choose another time.",
            "Cette heure existe deux fois ce jour-là à cause d’un changement d’heure. Choisissez-en \
             une autre.",
        ),
        P::PasswordAgain => say("Confirm your password first.", "Confirmez d’abord votre mot de passe."),
        P::PasswordWrong => say("That is not your password.", "Ce n’est pas votre mot de passe."),
        P::NotTicked => say("Tick this box.", "Cochez cette case."),
        P::Import(_) => say("This line cannot be imported.", "Cette ligne ne peut pas être importée."),
        P::Table(problem) => table(words, *problem),
        P::Required => say("This field is required.", "Ce champ est obligatoire."),
        P::RequiredWith("price_cents") => say("A price needs a currency.", "Un prix a besoin d’une monnaie."),
        P::RequiredWith("currency") => say("A currency needs a price.", "Une monnaie a besoin d’un prix."),
        P::RequiredOr("contact_id") => {
            say("Choose an existing or a new contact.", "Choisissez un contact, ou une nouvelle personne.")
        }
        P::RequiredWith(_) | P::RequiredOr(_) | P::OneRequired(_) | P::InstantsOrDates => {
            say("This field is required here.", "Ce champ est obligatoire ici.")
        }
        P::UnknownProperty | P::UnknownParameter | P::NotWith(_) => {
            say("This is not known here.", "Ceci n’est pas connu ici.")
        }
        P::NoBody
        | P::EmptyBody
        | P::InvalidJson(_)
        | P::EncodedName
        | P::EncodedValue
        | P::NotEntityTags
        | P::NotACursor
        | P::MalformedCursor => say("The request cannot be read.", "La requête n’est pas lisible."),
        P::GivenTwice => say("It is given twice.", "C’est donné deux fois."),
        P::ListedTwice => say("It is listed twice.", "C’est nommé deux fois."),
        P::NotAString => say("It must be a text.", "Il faut un texte."),
        P::NotNull => say("It must be empty.", "Il doit rester vide."),
        P::NotABoolean => say("It must be yes or no.", "Il faut oui ou non."),
        P::NotAnArray => say("It must be a list.", "Il faut une liste."),
        P::NotAnObject | P::BodyNotAnObject => say("It must be a record.", "Il faut un enregistrement."),
        P::Items { .. } => say("Choose at least one.", "Choisissez-en au moins un."),
        P::OneOf(_) => say("Choose one of these.", "Choisissez l’un de ceux-ci."),
        P::NotAUuid => say("Choose an entry from the list.", "Choisissez une entrée de la liste."),
        P::NotACurrency => say("It must be three letters, such as EUR.", "Il faut trois lettres, comme EUR."),
        P::NotATimeZone => say(
            "It must be the name of a time zone such as Europe/Paris.",
            "Il faut le nom d’un fuseau horaire comme Europe/Paris.",
        ),
        P::NotARegion => say("Choose a country.", "Choisissez un pays."),
        P::NotAWebAddress => say(
            "It must be a whole address that begins with https:// or http://.",
            "Il faut une adresse entière, qui commence par https:// ou http://.",
        ),
        P::NotADate => say("It must be a date as YYYY-MM-DD.", "Il faut une date de la forme AAAA-MM-JJ."),
        P::NotALocalTime => say(
            "It must be a time from 00:00 to 24:00, such as 09:30.",
            "Il faut une heure de 00:00 à 24:00, comme 09:30.",
        ),
        P::NotAWholeMinute => say("It must be a whole minute.", "Il faut une minute entière."),
        P::NotAnInstant | P::NotADateTime | P::NotADateOrTime => say(
            "It must be a date with a time, such as 2026-11-24T10:00.",
            "Il faut une date avec une heure, comme 2026-11-24T10:00.",
        ),
        P::NotLaterThan(_) => say("It must end later than it begins.", "La fin doit venir après le début."),
        P::Before(_) => say("It must not end before it begins.", "La fin ne doit pas précéder le début."),
        P::SkippedDays => say(
            "These days do not exist in the time zone of the business.",
            "Ces jours n’existent pas dans le fuseau horaire de l’établissement.",
        ),
        P::WindowsOfClosed => say(
            "Remove the opening hours, or mark this day as open.",
            "Retirez les horaires, ou marquez ce jour comme ouvert.",
        ),
        P::NoWindows => say(
            "Enter opening hours for this day, or mark it as closed.",
            "Saisissez des horaires pour ce jour, ou marquez-le comme fermé.",
        ),
        P::OpensAtTheEnd => {
            say("It must begin at 23:59 at the latest.", "Le début doit être 23:59 au plus tard.")
        }
        P::SameAs("from") => {
            say("The break begins and ends at the same time.", "La pause commence et finit à la même heure.")
        }
        P::SameAs(_) => say(
            "The opening time and the closing time are the same. For the whole day, enter 00:00 to 24:00.",
            "L’ouverture et la fermeture sont à la même heure. Pour la journée entière, écrivez 00:00 à 24:00.",
        ),
        P::NotOfTheBusiness(named) => gone(words.locale, *named).to_owned(),
        P::NoActiveService => say(
            "Choose a service that can be booked.",
            "Choisissez un type de rendez-vous qui peut être réservé.",
        ),
        P::NoActiveStaff => say(
            "Choose a staff member who takes appointments.",
            "Choisissez une personne qui prend des rendez-vous.",
        ),
        P::NotOffered | P::NotOffering => say(
            "Choose a staff member who offers this service.",
            "Choisissez une personne qui peut s’en charger.",
        ),
        P::NotAChoice => say("This choice is no longer offered.", "Ce choix n’est plus proposé."),
        P::PhoneOrEmail => {
            say("A phone number or an email is needed.", "Il faut un numéro de téléphone ou un e-mail.")
        }
        P::NamePhoneOrEmail => say(
            "A name, a phone number or an email is needed.",
            "Il faut un nom, un numéro de téléphone ou une adresse e-mail.",
        ),
        P::KeepsNamePhoneOrEmail => say(
            "Keep at least a name, a phone number or an email.",
            "Il doit rester un nom, un numéro de téléphone ou une adresse e-mail.",
        ),
        P::RowsFull { .. } | P::BytesFull { .. } => {
            say("The storage limit has been reached.", "La limite de stockage est atteinte.")
        }
        P::OfContact(_) => {
            say("Another contact has this value already.", "Un autre contact a déjà cette valeur.")
        }
        P::OfPerson(_) => say(
            "A person with this email already has access.",
            "C’est l’adresse de quelqu’un qui a déjà accès.",
        ),
        P::EntityTagNow(_) => conflict(words, &Conflict::Changed),
        P::NoRecord => say("There is no such record.", "Cet enregistrement n’existe pas."),
        P::UsedBy(_) => say("Another record refers to it.", "Un autre enregistrement s’y rapporte."),
        P::ContactErased => say("The contact was erased.", "Le contact a été effacé."),
        P::ContactMerging => say(
            "Its records are still being moved. Try again in a few seconds.",
            "Ses données sont en cours de transfert. Réessayez dans quelques secondes.",
        ),
        P::SameContact => say("Choose another contact.", "Choisissez un autre contact."),
        P::OfNeitherContact => say(
            "Choose a value of one of the two contacts, or none.",
            "Choisissez une valeur de l’un des deux contacts, ou aucune.",
        ),
        P::EventWiped => say("The event was erased.", "L’événement a été effacé."),
        P::WaitingFull => say(
            "The maximum number of deliveries is waiting.",
            "Le nombre maximal d’envois en attente est atteint.",
        ),
        P::NextAt(_) => say("Try again later.", "Réessayez plus tard."),
        P::ImportRuns | P::ImportUnfinished => {
            say("Wait until the import has ended.", "Attendez la fin de l’import en cours.")
        }
        P::PublicUrlUnset => conflict(words, &Conflict::NoPublicUrl),
        P::AfterBackup(_) => {
            say("Wait until the backup has ended.", "Attendez la fin de la sauvegarde en cours.")
        }
        P::NotAbsolute => say("It must be an absolute path.", "Il faut un chemin absolu."),
        P::BackupDir(..) => say(
            "No backup can be made in this directory.",
            "On ne peut pas faire de sauvegarde dans ce dossier.",
        ),
        P::MakeReset => say(
            "The account has a password. Create a link to choose a new one.",
            "Le compte a un mot de passe. Créez un lien pour en choisir un autre.",
        ),
        P::MakeLink => say(
            "Create a link for this person first. When the person uses the link, the account is confirmed.",
            "Créez d’abord un lien pour cette personne. Son utilisation confirme le compte.",
        ),
        P::Taken => say("This value is already taken.", "Il est déjà pris."),
        P::LastOwner => say("This is the last active owner.", "C’est le dernier propriétaire actif."),
        P::UseMailedLink => say(
            "First use the link that was sent to your current email address.",
            "Utilisez d’abord le lien envoyé à votre adresse actuelle.",
        ),
        P::OperatorCanAdd => say(
            "The operator of the service can add this person.",
            "La personne qui gère le service peut ajouter ce compte.",
        ),
    }
}

/// Returns a sentence about the current value. The sentence about an instant does not contain the time, because a
/// problem does not contain the time zone of the business.
fn now(words: &Words, value: CurrentValue) -> String {
    use CurrentValue as V;
    let say = |english, french| of(words.locale, english, french).to_owned();
    let value = match value {
        V::Instant(_) => return say("It has another time now.", "L’heure n’est plus la même."),
        V::Staff(_) => {
            return say("It is another staff member now.", "C’est maintenant un autre membre de l’équipe.");
        }
        V::MembershipStatus(_) => {
            return say("This invitation is no longer open.", "Cette invitation n’est plus ouverte.");
        }
        V::WebhookStatus(WebhookStatus::Enabled) => say("on", "activée"),
        V::WebhookStatus(WebhookStatus::Disabled) => say("off", "désactivée"),
        V::Date(day) => words.date(day),
        V::Count(number) => grouped(words, number),
        V::AppointmentStatus(status) => words.say(&format!("appointment-status-{status}"), &[]),
        V::DeliveryStatus(status) => words.say(&format!("hooks-is-{status}"), &[]),
    };
    fill(words, [value], "The present value: {}.", "Valeur actuelle : {}.")
}

fn table(words: &Words, problem: TableProblem) -> String {
    let say = |english, french| of(words.locale, english, french).to_owned();
    match problem {
        TableProblem::NoHeader => say(
            "The file must begin with a row of column names.",
            "Le fichier doit commencer par une ligne de noms de colonnes.",
        ),
        TableProblem::NotUtf8 => say(
            "This line is not UTF-8 text, but other lines are. Save the file again as “CSV UTF-8”.",
            "Cette ligne n’est pas du texte UTF-8, mais d’autres le sont. Enregistrez à nouveau le fichier en « CSV UTF-8 ».",
        ),
        TableProblem::UnknownColumn => say(
            "This column is not known. Remove it, or rename it.",
            "Cette colonne n’est pas connue. Supprimez-la ou renommez-la.",
        ),
        TableProblem::ColumnTwice => say("This column occurs twice.", "Cette colonne existe deux fois."),
        TableProblem::NoContactColumn => say(
            "The file needs a column for the name, the phone number or the email address.",
            "Il faut une colonne pour le nom, le numéro de téléphone ou l’adresse e-mail.",
        ),
        TableProblem::RowsMax(max) => counted(
            words,
            max,
            "The file may have {} rows at most.",
            "Le fichier peut avoir {} lignes au plus.",
        ),
        TableProblem::Fields { found, header } => fill(
            words,
            [found.to_string(), header.to_string()],
            "The row has {} cells, and the first row has {}.",
            "La ligne a {} cellules, et la première ligne en a {}.",
        ),
        TableProblem::Quote => say(
            "A cell that begins with a quote must end with a quote, and each quote inside it must be doubled.",
            "Une cellule qui commence par un guillemet doit finir par un guillemet, et chaque guillemet à l’intérieur doit être doublé.",
        ),
    }
}

/// The reason why a password is weak, or a way to make it stronger.
fn hint(locale: Locale, hint: PasswordHint) -> &'static str {
    use PasswordHint as H;
    let (english, french) = match hint {
        H::RowOfKeys => {
            ("Straight rows of keys are easy to guess.", "Des touches qui se suivent sont faciles à deviner.")
        }
        H::ShortKeyPattern => (
            "Short keyboard patterns are easy to guess.",
            "Les motifs courts du clavier sont faciles à deviner.",
        ),
        H::RepeatedCharacter => {
            ("Repeats like “aaa” are easy to guess.", "Les répétitions comme « aaa » sont faciles à deviner.")
        }
        H::RepeatedPart => (
            "Repeats like “abcabcabc” are only slightly harder to guess than “abc”.",
            "Les répétitions comme « abcabcabc » sont à peine plus difficiles à deviner que « abc ».",
        ),
        H::Top10 => (
            "This is one of the ten most common passwords.",
            "C’est l’un des dix mots de passe les plus courants.",
        ),
        H::Top100 => (
            "This is one of the hundred most common passwords.",
            "C’est l’un des cent mots de passe les plus courants.",
        ),
        H::Common => ("This is a very common password.", "C’est un mot de passe très courant."),
        H::SimilarToCommon => {
            ("This is similar to a commonly used password.", "Il ressemble à un mot de passe courant.")
        }
        H::Sequence => (
            "Sequences like abc or 6543 are easy to guess.",
            "Les suites comme abc ou 6543 sont faciles à deviner.",
        ),
        H::RecentYear => ("Recent years are easy to guess.", "Les années récentes sont faciles à deviner."),
        H::SingleWord => ("A word by itself is easy to guess.", "Un mot seul est facile à deviner."),
        H::Date => ("Dates are often easy to guess.", "Les dates sont souvent faciles à deviner."),
        H::NameAlone => (
            "Names and surnames by themselves are easy to guess.",
            "Les noms et prénoms seuls sont faciles à deviner.",
        ),
        H::CommonName => (
            "Common names and surnames are easy to guess.",
            "Les noms et prénoms courants sont faciles à deviner.",
        ),
        H::UseFewWords => (
            "Use a few words, and avoid common phrases.",
            "Prenez plusieurs mots, évitez les phrases toutes faites.",
        ),
        H::NoNeedForSymbols => (
            "No need for symbols, digits, or uppercase letters.",
            "Ni symboles, ni chiffres, ni majuscules ne sont nécessaires.",
        ),
        H::AddWords => (
            "Add another word or two. Uncommon words are better.",
            "Ajoutez un mot ou deux. Les mots rares valent mieux.",
        ),
        H::Capitalization => {
            ("Capital letters do not help very much.", "Les majuscules n’aident pas beaucoup.")
        }
        H::AllUppercase => (
            "A password in capital letters only is almost as easy to guess as one in small letters.",
            "Tout en majuscules se devine presque aussi bien que tout en minuscules.",
        ),
        H::ReversedWord => (
            "Reversed words are not much harder to guess.",
            "Les mots à l’envers ne sont guère plus difficiles à deviner.",
        ),
        H::PredictableSubstitution => (
            "Predictable substitutions like “@” instead of “a” do not help very much.",
            "Les remplacements prévisibles comme « @ » pour « a » n’aident pas beaucoup.",
        ),
        H::LongerKeyPattern => (
            "Use a longer keyboard pattern with more turns.",
            "Prenez un motif plus long, avec plus de détours.",
        ),
        H::AvoidRepeats => ("Avoid repeated words and characters.", "Évitez les mots et caractères répétés."),
        H::AvoidSequences => ("Avoid sequences.", "Évitez les suites."),
        H::AvoidRecentYears => ("Avoid recent years.", "Évitez les années récentes."),
        H::AvoidOwnYears => {
            ("Avoid years that are associated with you.", "Évitez les années qui vous concernent.")
        }
        H::AvoidOwnDates => (
            "Avoid dates and years that are associated with you.",
            "Évitez les dates et années qui vous concernent.",
        ),
    };
    of(locale, english, french)
}

fn gone(locale: Locale, named: Named) -> &'static str {
    let (english, french) = match named {
        Named::Appointment => ("This appointment no longer exists.", "Ce rendez-vous n’existe plus."),
        Named::Call => ("This call no longer exists.", "Cet appel n’existe plus."),
        Named::Contact => ("This contact no longer exists.", "Ce contact n’existe plus."),
        Named::Message => ("This message no longer exists.", "Ce message n’existe plus."),
        Named::Notice => ("This notice no longer exists.", "Cette notification n’existe plus."),
        Named::Service => ("This service no longer exists.", "Cette prestation n’existe plus."),
        Named::Staff => (
            "This is not a staff member of the business.",
            "Ce n’est pas un membre du personnel de l’établissement.",
        ),
        _ => ("There is no such record.", "Cet enregistrement n’existe pas."),
    };
    of(locale, english, french)
}

/// The reason why a calendar could not be read.
pub(in crate::dashboard) fn calendar(words: &Words, error: &CalendarError) -> String {
    let say = |english, french| of(words.locale, english, french).to_owned();
    match error.code {
        CalendarFault::Unreachable => say(
            "The server cannot be reached, or it has no public address.",
            "Le serveur est injoignable, ou il n’a pas d’adresse publique.",
        ),
        CalendarFault::Timeout => {
            say("The server did not respond in time.", "Le serveur n’a pas répondu à temps.")
        }
        CalendarFault::Tls => say(
            "The server’s certificate is not valid, or the encrypted connection failed.",
            "Le certificat du serveur n’est pas valable, ou la connexion chiffrée a échoué.",
        ),
        CalendarFault::Credentials => say(
            "The server refused the user name or the password.",
            "Le serveur a refusé l’identifiant ou le mot de passe.",
        ),
        CalendarFault::Forbidden => {
            say("The server denied access to the calendar.", "Le serveur a refusé l’accès à l’agenda.")
        }
        CalendarFault::NotFound => {
            say("The server has no calendar at this address.", "Le serveur n’a pas d’agenda à cette adresse.")
        }
        CalendarFault::OtherHost => {
            let host = error.host.clone().unwrap_or_default();
            say(
                "The server refers to {}. The password is not sent to that host.",
                "Le serveur renvoie à {}, auquel le mot de passe n’est pas envoyé.",
            )
            .replace("{}", &host)
        }
        CalendarFault::NotACalendar => {
            say("The response of the server is not a calendar.", "La réponse du serveur n’est pas un agenda.")
        }
        CalendarFault::TooLarge => say("The calendar is too large.", "L’agenda est trop grand."),
        CalendarFault::ServerError => {
            say("The server responded with an error.", "Le serveur a répondu par une erreur.")
        }
    }
}

fn webhook_url(words: &Words, refusal: UrlRefusal) -> String {
    let say = |english, french| of(words.locale, english, french).to_owned();
    match refusal {
        UrlRefusal::TooLong(max) => text(words, TextError::Length { min: 0, max }),
        UrlRefusal::NotHttps => say("It must begin with https://.", "L’adresse doit commencer par https://."),
        UrlRefusal::Characters => say(
            "It must not contain spaces, control characters or backslashes.",
            "Ni espaces, ni caractères de contrôle, ni barres obliques inverses.",
        ),
        UrlRefusal::Credentials => {
            say("It must not contain a user name or a password.", "Ni nom d’utilisateur, ni mot de passe.")
        }
        UrlRefusal::Fragment => say(
            "It must not contain a fragment, which begins with #.",
            "Pas de fragment, qui commence par #.",
        ),
        UrlRefusal::Host => say("Its host is not valid.", "Son hôte n’est pas valide."),
        UrlRefusal::Port => say("It must not have port 0.", "Le port 0 n’est pas admis."),
        UrlRefusal::Malformed => say("It is not a valid address.", "Ce n’est pas une adresse valide."),
        UrlRefusal::NotPublic => {
            say("It does not lead to a public address.", "Elle ne mène pas à une adresse publique.")
        }
    }
}

fn text(words: &Words, error: TextError) -> String {
    let say = |english, french| of(words.locale, english, french).to_owned();
    match error {
        TextError::Length { min: 0, max } => {
            counted(words, max, "It must have {} characters at most.", "Il faut {} caractères au plus.")
        }
        TextError::Length { min, max } => fill(
            words,
            [min, max].map(|number| grouped(words, number)),
            "It must have {} to {} characters.",
            "Il faut de {} à {} caractères.",
        ),
        TextError::Blank => say("It must not be blank.", "Ce champ ne peut pas être vide."),
        TextError::Nul => say("It must not contain the NUL character.", "Le caractère NUL n’est pas permis."),
        TextError::Email => say(
            "It must be an email address such as name@example.com.",
            "Il faut une adresse e-mail comme nom@example.com.",
        ),
        TextError::Phone => say(
            "It must be a phone number, national or in the form +15551234567.",
            "Il faut un numéro de téléphone, national ou de la forme +15551234567.",
        ),
    }
}
