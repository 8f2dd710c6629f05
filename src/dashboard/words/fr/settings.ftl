# Les réglages d’un établissement : fiche, horaires, prestations, équipe, données.

# Les textes communs à plusieurs de ces pages.
settings-added = Ajouté.
settings-removed = Retiré.
settings-deleted = Supprimé.
settings-remove = Retirer
settings-changed-meanwhile = Quelqu’un d’autre a enregistré une modification entre-temps : votre action n’a pas été effectuée. Vérifiez l’état actuel, puis recommencez.
settings-and-more = { $names } et { $count } de plus
outside = { $count ->
    [one] Un rendez-vous à venir est en dehors des horaires.
   *[other] { $count } rendez-vous à venir sont en dehors des horaires.
}
overlaps = { $count ->
    [one] Un rendez-vous des 14 prochains jours chevauche un créneau occupé d’un agenda connecté.
   *[other] { $count } rendez-vous des 14 prochains jours chevauchent des créneaux occupés d’agendas connectés.
}
outside-stay = Un rendez-vous reste inchangé tant que vous ne l’avez ni déplacé ni annulé.
outside-more = { $count ->
    [one] Et un autre.
   *[other] Et { $count } autres.
}
count-minutes = { $count } min
count-hours = { $count ->
    [one] { $count } heure
   *[other] { $count } heures
}
count-days = { $count ->
    [one] { $count } jour
   *[other] { $count } jours
}
count-weeks = { $count ->
    [one] { $count } semaine
   *[other] { $count } semaines
}
count-years = { $count ->
    [one] { $count } an
   *[other] { $count } ans
}
language-en = Anglais
language-fr = Français

# La fiche.
business-sub = Ce que les appelants entendent d’abord, et comment ils peuvent réserver
business-profile = L’établissement
business-profile-about = Les appelants entendent le nom. Toutes les heures de ces pages sont celles de ce fuseau horaire.
business-name-hint = Tel que l’accueil le dit en décrochant.
business-locale = Langue des appelants
business-locale-hint = Utilisée jusqu’à ce qu’un appelant parle une autre langue.
business-zone = Fuseau horaire
business-zone-hint = Les horaires sont exprimés dans ce fuseau horaire.
business-website = Site web
business-booking = Réservation
business-booking-about = Pour les appelants et les programmes. Vous et votre équipe pouvez toujours réserver.
business-mode-instant = Confirmation immédiate
business-mode-instant-hint = Un créneau libre choisi par un appelant est confirmé tout de suite.
business-mode-request = Confirmation par l’équipe
business-mode-request-hint = Le créneau est retenu, et la demande attend sur la page Aujourd’hui que quelqu’un la confirme ou la refuse.
business-mode-off = Pas de réservation
business-mode-off-hint = L’accueil prend un message à la place.
business-phones = Numéros de téléphone
business-phones-about = Un numéro saisi ou dicté sans indicatif est lu comme un numéro de ce pays.
business-region = Pays des numéros sans indicatif

# Les horaires.
hours-sub = Quand { $business } est ouvert, en heure locale ({ $place }). Une heure de fermeture antérieure à l’heure d’ouverture est celle du lendemain.
hours-week = La semaine
hours-save = Enregistrer la semaine
hours-room = Ajouter une pause
hours-same = Mêmes horaires tous les jours ouverts
hours-open = Ouvert
hours-break = Pause
hours-open-on = Ouvert le
hours-opens-at = { $day }, ouvre à
hours-closes-at = { $day }, ferme à
hours-break-from = { $day }, début de la pause, facultatif
hours-break-to = { $day }, fin de la pause, facultatif
hours-closed = Fermé
hours-with-break = pause { $times }
hours-days = { $from } à { $to }
hours-two-days = { $from } et { $to }
hours-days-title = Jours particuliers
hours-days-to-come = À venir
hours-days-past = Passés
hours-days-none = Aucun jour particulier à venir
hours-days-none-past = Aucun jour particulier passé
hours-days-none-text = Les jours fériés et les jours aux horaires différents apparaissent ici.
hours-days-hint = Laissez les deux heures vides pour un jour fermé. Si la journée compte plusieurs ouvertures, ajoutez-la avec la première. Sélectionnez ensuite le jour dans la liste et saisissez les autres ouvertures.
hours-holidays = Importer les jours fériés
hours-holidays-sub = Depuis le fichier iCalendar (.ics) d’un calendrier de jours fériés
hours-holidays-file = Fichier iCalendar
hours-holidays-hint = L’établissement est fermé aux jours des événements du fichier qui durent toute la journée, à partir d’aujourd’hui.
hours-holidays-look = Afficher un aperçu
hours-holidays-refused = Ce fichier n’est pas utilisable, et aucun jour n’a été fermé. Corrigez le fichier et choisissez-le à nouveau :
hours-holidays-many = Un import ferme { $count } jours au plus. Choisissez un calendrier avec moins de jours. Aucun jour n’a été fermé.
hours-holidays-full = Un établissement a { $count } jours particuliers au plus. Rien n’a été modifié.
hours-holidays-new = { $count ->
    [0] Aucun jour ne sera fermé.
    [one] Un jour sera fermé.
   *[other] { $count } jours seront fermés.
}
hours-holidays-there = { $count ->
    [one] Un jour particulier existe déjà et ne change pas.
   *[other] { $count } jours particuliers existent déjà et ne changent pas.
}
hours-holidays-booked = { $count ->
    [one] Un rendez-vous reste réservé.
   *[other] { $count } rendez-vous restent réservés.
}
hours-holidays-do = { $count ->
    [one] Fermer un jour
   *[other] Fermer { $count } jours
}
hours-holidays-done = Les jours sont fermés.
hours-holidays-other = Choisir un autre fichier
hours-date = Jour
hours-opens = Ouverture
hours-closes = Fermeture
hours-note = Motif
hours-window = { $count ->
    [1] Première ouverture
    [2] Deuxième ouverture
    [3] Troisième ouverture
   *[other] Quatrième ouverture
}
hours-day-sub = Jusqu’à quatre ouvertures. Laissez toutes les heures vides pour un jour fermé.

# Les prestations.
services-sub = Ce que l’on peut réserver, et pour quelle durée
services-add = Ajouter { a-service }
services-none = { no-service } pour l’instant
services-none-text = { $customer ->
    [patient] La réservation est possible dès qu’il y a un acte et une personne qui le réalise.
   *[other] La réservation est possible dès qu’il y a une prestation et une personne qui la réalise.
}
services-before-after = Battement
services-around = { $before }, { $after } min
services-notice = Préavis
services-no-notice = Aucun
services-status = État
services-not-bookable = Non réservable
services-no-staff = Aucun membre de l’équipe pour l’instant
services-everybody = Tout le monde
service = { $customer ->
    [patient] Acte
   *[other] Prestation
}
service-about-title = { $customer ->
    [patient] L’acte
   *[other] La prestation
}
service-about = { $customer ->
    [patient] Tel que les appelants le connaissent.
   *[other] Telle que les appelants la connaissent.
}
service-name = Nom
service-description = Description
service-description-hint = L’accueil lit la description aux appelants qui se renseignent sur { the-service }.
service-time = Durée et délais
service-time-about = Les rendez-vous déjà pris gardent leur durée.
service-takes = Durée
service-minutes = minutes
service-before = Battement avant
service-after = Battement après
service-notice = Préavis minimal
service-any-time = Aucun
service-time-before = { $time } avant
service-ahead = Réservable jusqu’à
service-any-day = Sans limite
service-time-ahead = { $time } à l’avance
service-price = Prix
service-price-about = Pour vous et votre équipe ; les appelants ne le connaissent pas.
service-currency = Devise
service-currency-hint = Trois lettres, par exemple EUR.
service-not-bookable = { $customer ->
    [patient] Cet acte n’est pas réservable : aucun membre actif de l’équipe ne le réalise. Cochez les membres concernés sous « Réalisé par ».
   *[other] Cette prestation n’est pas réservable : aucun membre actif de l’équipe ne la réalise. Cochez les membres concernés sous « Réalisée par ».
}
service-done-by = { $customer ->
    [patient] Réalisé par
   *[other] Réalisée par
}
service-done-by-about = { $customer ->
    [patient] Choisissez les membres de l’équipe qui réalisent cet acte. Sans eux, personne ne peut le réserver.
   *[other] Choisissez les membres de l’équipe qui réalisent cette prestation. Sans eux, personne ne peut la réserver.
}
service-in-lists = Dans les listes et l’agenda
service-in-lists-about = Ces réglages ne changent rien aux réservations.
service-category = Catégorie
service-category-hint = { $customer ->
    [patient] Les actes d’une même catégorie sont présentés ensemble.
   *[other] Les prestations d’une même catégorie sont présentées ensemble.
}
position = Position
position-hint = Les listes commencent par le plus petit nombre.
color = Couleur
color-none = Aucune
color-1 = Vert
color-2 = Bleu
color-3 = Framboise
color-4 = Violet
color-5 = Orange
color-6 = Turquoise
color-7 = Pourpre
color-8 = Olive
color-9 = Indigo
color-10 = Rouge
color-11 = Gris
color-12 = Or
decimal-point = ,
business-pages = Pages de l’équipe
business-pages-about = Sans effet sur les réservations ni pour les appelants.
business-customer_word = Mot pour les personnes qui réservent
business-word-client = Client
business-word-patient = Patient
business-word-guest = Hôte
business-grid_minutes = Lignes de l’agenda
business-grid_minutes-hint = L’équipe peut réserver à la minute près. Ceci règle l’écart entre les lignes.
service-offered = { $customer ->
    [patient] Proposé
   *[other] Proposée
}
service-not-offered = { $customer ->
    [patient] Non proposé
   *[other] Non proposée
}
service-offered-hint = Si la case est décochée, personne ne peut réserver { this-service } ; les rendez-vous pris sont conservés.
service-delete-about = Possible uniquement si aucun rendez-vous ni aucun membre de l’équipe ne l’utilise.
service-delete-text = { $customer ->
    [patient] L’acte est supprimé définitivement. C’est possible uniquement si aucun rendez-vous, passé ou à venir, ni aucun membre de l’équipe ne l’utilise.
   *[other] La prestation est supprimée définitivement. C’est possible uniquement si aucun rendez-vous, passé ou à venir, ni aucun membre de l’équipe ne l’utilise.
}

# L’équipe.
staff-sub = Les personnes avec qui l’on prend rendez-vous.
staff-sub-people = Les personnes qui peuvent se connecter sont sur la page Accès.
staff-add = Ajouter un membre de l’équipe
staff-list = Membres de l’équipe
staff-none = Aucun membre pour l’instant
staff-none-text = Ajoutez les personnes qui reçoivent les rendez-vous, avec leurs { services } et leurs heures.
staff-no-services = { no-service }
staff-all-services = { $customer ->
    [patient] Tous les actes
   *[other] Toutes les prestations
}
staff-whenever = Aux horaires de l’établissement
staff-never = Aucune heure de travail
staff-own-hours = À ses propres heures
staff-bookable = Réservable
staff-not-bookable = Non réservable
staff-bookable-hint = Si la case est décochée, personne ne peut réserver avec cette personne ; les rendez-vous pris sont conservés.
staff-name-hint = Tel que les appelants l’entendent.
staff-zone = Fuseau horaire d’affichage
staff-zone-hint = Les heures sont toujours celles du fuseau horaire de l’établissement.
staff-services-about = Ce que l’on peut réserver avec cette personne.
staff-no-services-yet = { no-service } pour l’instant.
staff-hours-about = S’appliquent uniquement avec « À ses propres heures », et dans les horaires d’ouverture. Un jour non coché est un jour de repos.
staff-works = Travaille
staff-works-again = et
staff-works-on = Travaille le
staff-works-from = { $day }, début du travail
staff-works-to = { $day }, fin du travail
staff-room = Ajouter une plage horaire
staff-delete-about = Possible uniquement si aucun rendez-vous, aucun message et aucun accès ne s’y rapporte.
staff-delete-text = Ce membre de l’équipe et ses absences sont supprimés définitivement. C’est possible uniquement si aucun rendez-vous, passé ou à venir, aucun message et aucun accès ne s’y rapporte.
off-title = Absences
off-to-come = À venir
off-past = Passées
off-none = Aucune absence à venir.
off-none-past = Aucune absence passée.
off-more = { $count ->
    [one] Une absence de plus n’est pas affichée.
   *[other] { $count } absences de plus ne sont pas affichées.
}
off-from = Du
off-to = Au
off-time = Heure
off-note = Motif
off-hint = Sans heures, l’absence dure des journées entières. Laissez « Au » vide pour une seule journée.
off-day = { $from }
off-days = du { $from } au { $to }
off-hours = { $from }, { $from_time } – { $to_time }
off-span = du { $from } à { $from_time } au { $to } à { $to_time }

# Supprimer une prestation ou un membre de l’équipe.
deletion-title = Supprimer { $name } ?
deletion-or-off = Vous pouvez aussi décocher la case sur sa page : la réservation devient impossible, et tout est conservé.
deletion-not = Rien n’a été supprimé.
deletion-appointment = Un rendez-vous s’y rapporte.
deletion-message = Un message a été laissé pour cette personne.
deletion-staff = Un membre de l’équipe réalise { this-service }.
deletion-person = Un accès est lié à ce membre de l’équipe.
deletion-look = Afficher
deletion-back = Retour à sa page

# Les données.
data-sub = Combien de temps les données sont conservées, et comment les exporter
data-kept = Durée de conservation
data-kept-about = Les données plus anciennes sont supprimées automatiquement, en général sous deux jours.
data-appointments = Rendez-vous passés
data-for-ever = Sans limite
data-log = Journal, 90 jours au moins
data-log-owner = Durée de conservation du journal : { $time }. Seul un propriétaire peut la changer.
data-export = Export
data-export-about = Toutes les données de l’établissement, dans un seul fichier.
data-export-do = Tout télécharger
data-export-hint = Fiche, { services }, équipe, contacts, rendez-vous, appels, messages et connaissances au format JSON Lines : un élément par ligne. Les clés, les accès et les webhooks n’y figurent pas. L’exploitant du service peut voir qui a téléchargé les données.
data-tables = Fichiers pour tableurs
data-tables-about = Les contacts et les rendez-vous en fichiers CSV.
data-tables-contacts = Télécharger les contacts
data-tables-appointments = Télécharger les rendez-vous
data-tables-hint = Une cellule qui commence comme une formule reçoit une apostrophe, que l’import retire. Le journal garde chaque téléchargement.
data-erase = Effacer une personne
data-erase-text = L’effacement supprime un contact immédiatement et définitivement. Ses appels, messages et rendez-vous restent avec leurs heures, mais perdent le nom, le numéro, l’adresse e-mail et le texte, y compris dans le journal et les alertes.
data-erase-how = Un contact s’efface depuis sa page.
data-shorter = Conserver moins longtemps ?
data-shorter-text = Ces données seront supprimées dans l’heure, sans retour possible :
data-goes = { $what } : tout ce qui est antérieur au { $before }
data-shorter-stays = Toutes les autres données sont conservées.
data-shorter-do = Conserver moins longtemps

# Les problèmes des réglages.
special-days-there = Ce jour est déjà un jour particulier : ouvrez-le dans la liste pour le modifier.

# La page de réservation.
website-sub = { Customers } réservent sur cette page, ou sur votre propre site
website-no-url = Ce service n’a pas d’URL publique : la page n’a donc pas d’adresse. L’exploitant du service peut en définir une.
website-url = Adresse de la page
website-url-about = Donnez cette adresse à vos { customers }.
website-url-disabled = La page est désactivée. Cette adresse affiche la page dès que vous l’activez.
website-open = Ouvrir la page
website-embed = Sur votre site
website-embed-about = Collez une de ces lignes dans votre site. La première ajoute un bouton qui ouvre la page. La seconde affiche la page à cet endroit.
website-embed-none = Ajoutez d’abord votre site plus bas sous « { website-origins } ». Jusque-là, aucun site ne peut afficher la page.
website-button = Un bouton
website-frame = La page elle-même
website-frame-title = Prendre rendez-vous
website-page = La page
website-page-about = Elle montre vos { services }, les créneaux libres et un court formulaire.
website-enabled = La page de réservation est activée
website-enabled-hint = Ce que les { customers } peuvent y faire dépend du réglage « { business-booking } » de l’établissement.
website-slug = Fin de l’adresse
website-slug-hint = 3 à 60 lettres de a à z, chiffres et traits d’union. Laissez vide pour la tirer du nom. Après un changement, l’ancienne adresse ne fonctionne plus et vous reste réservée 90 jours.
website-show_prices = Afficher les prix des { services }
website-color = Couleur des boutons
website-color-hint = Par exemple #1a2b3c. Le texte des boutons est noir ou blanc.
website-contact = Pour les questions
website-contact-about = { Customers } voient ces coordonnées sur la page et dans les e-mails.
website-phone = Téléphone
website-email = E-mail
website-address = Adresse postale
website-changes = Modifications par les { customers }
website-changes-about = Chaque { customer } reçoit un lien vers son rendez-vous.
website-change_by_caller = { Customers } peuvent déplacer et annuler leurs rendez-vous
website-change_notice_minutes = Délai minimal entre une modification et le début
website-change_notice_minutes-hint = S’il reste moins de temps, les { customers } doivent s’adresser à votre équipe.
website-notice-of-service = Le délai minimal { of-service }
website-origins = Sites qui peuvent afficher la page
website-origins-about = Seuls ces sites peuvent afficher la page dans leurs propres pages.
website-origins-hint = Un par ligne, par exemple https://www.example.com

# Les messages aux clients.
notices-sub = E-mails sur les rendez-vous : réservé, déplacé, annulé, et rappels
notices-no-mail = Ce service n’envoie pas d’e-mail : les { customers } ne reçoivent donc aucun message. L’exploitant du service peut configurer un relais.
notices-who = Qui reçoit des e-mails
notices-who-about = Un { customer } sans adresse e-mail ne reçoit pas d’e-mail. Chaque { customer } peut arrêter les e-mails.
notices-email = E-mails aux { customers }
notices-email-off = Aucun e-mail
notices-email-off-hint = Votre équipe prévient les { customers } des changements.
notices-email-online = Pour les rendez-vous que les { customers } prennent eux-mêmes
notices-email-online-hint = Sur la page de réservation, par téléphone ou par SMS.
notices-email-all = Pour tous les rendez-vous
notices-email-all-hint = Aussi pour ceux que prend votre équipe ou un programme.
notices-reminders = Rappels
notices-reminders-about = Seuls les rendez-vous confirmés ont des rappels. Une modification vaut aussi pour les rendez-vous à venir, sauf pour les rappels dont l’heure est passée.
notices-first_reminder = Premier rappel
notices-second_reminder = Second rappel
notices-no-reminder = Aucun
notices-before = { $time } avant
notices-texts = SMS
notices-texts-none = Cet établissement n’a pas de connexion qui envoie des SMS.
notices-log = Messages des 30 derniers jours
notices-log-none = Pas encore de message
notices-pages = Autres messages
notices-again-done = Le message est renvoyé.
notices-kind-requested = Demandé
notices-kind-confirmed = Réservé
notices-kind-moved = Déplacé
notices-kind-cancelled = Annulé
notices-kind-declined = Refusé
notices-kind-reminder = Rappel
notices-is-waiting = En attente
notices-is-sent = Envoyé
notices-is-failed = Échoué
notices-is-dropped = Non envoyé
notices-why-superseded = Un changement ultérieur l’a remplacé.
notices-why-limit = Il y a eu trop de messages à cette adresse ou de cet établissement.
notices-why-opted_out = { Customer } a arrêté ces e-mails.
notices-why-no_address = Il n’y a pas d’adresse e-mail.
notices-why-ended = Le rendez-vous avait commencé.

start-title = Commencer avec un modèle de votre métier
start-sub = Un modèle ajoute à un nouvel établissement des { services } avec des durées et des prix usuels, et fixe ses horaires. Tout se modifie ensuite.
start-hint = Ajoute des { services } et des horaires usuels, que vous pouvez modifier.
start-do = Créer ce modèle
start-has-services = Cet établissement a déjà des { services }
start-has-services-text = { $customer ->
    [patient] Un modèle ne s’ajoute qu’à un établissement sans acte.
   *[other] Un modèle ne s’ajoute qu’à un établissement sans prestation.
}
start-hair = Salon de coiffure
start-hair-cut = Coupe
start-hair-cut-short = Coupe courte
start-hair-cut-child = Coupe enfant
start-hair-blow-dry = Brushing
start-hair-colour = Couleur
start-hair-beard = Taille de barbe
start-dentist = Cabinet dentaire
start-dentist-first = Première consultation
start-dentist-check-up = Contrôle
start-dentist-cleaning = Détartrage
start-dentist-filling = Soin d’une carie
start-dentist-urgent = Urgence
start-physio = Kinésithérapie
start-physio-first = Premier bilan
start-physio-session = Séance
start-physio-long = Séance longue
start-physio-home = Séance à domicile
start-garage = Garage
start-garage-service = Révision complète
start-garage-oil = Vidange
start-garage-tyres = Changement de pneus
start-garage-brakes = Freins
start-garage-check = Contrôle de sécurité
settings-receptionist = Accueil automatique
receptionist-sub = Les réglages de l’accueil automatique
receptionist-channels = Canaux
receptionist-channels-about = Si les SMS sont désactivés, le SMS d’un { customer } devient un message pour l’équipe.
receptionist-voice = Appels téléphoniques
receptionist-sms = SMS
receptionist-website = Discussion sur la page de réservation
receptionist-website-hint = La discussion apparaît sur la page de réservation, même quand votre site intègre cette page.
receptionist-words = Réponses
receptionist-words-about = L’accueil dit toujours d’abord qu’il est un assistant automatique.
receptionist-greeting_en = Accueil en anglais
receptionist-greeting_en-hint = Une ligne, 300 caractères au plus.
receptionist-greeting_fr = Accueil en français
receptionist-greeting_fr-hint = Une ligne, 300 caractères au plus.
receptionist-instructions = Instructions
receptionist-instructions-hint = Pour le modèle de langage, 2 000 caractères au plus.
receptionist-knowledge_public = Utiliser les connaissances dans les réponses
receptionist-knowledge_public-hint = Le texte de toutes les connaissances devient alors public.
receptionist-calls = Appels
receptionist-calls-about = Pendant les heures d’ouverture, l’accueil peut transférer un appel à une personne.
receptionist-handoff_number = Numéro de la personne qui prend le relais
receptionist-handoff_number-hint = L’accueil transfère les appels à ce numéro.
receptionist-team_first_seconds = Ce numéro sonne d’abord
receptionist-at-once = Non, l’accueil répond tout de suite
receptionist-blocked_numbers = Numéros bloqués
receptionist-blocked_numbers-hint = Indiquez un numéro par ligne. Les appels de ces numéros sont refusés et leurs SMS ignorés.
receptionist-seconds = { $count ->
    [one] Pendant une seconde
   *[other] Pendant { $count } secondes
}
