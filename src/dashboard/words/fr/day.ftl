# Le jour, l’agenda et les rendez-vous.

# La journée.
today-sub = { $time } à { $place } · { $open } · { $count }
appointments-count = { $count ->
    [0] aucun rendez-vous
    [one] un rendez-vous
   *[other] { $count } rendez-vous
}
today-open-until = ouvert jusqu’à { $time }
today-opens-at = ouvre à { $time }
today-closed-today = fermé aujourd’hui
today-closed-by-now = fermé maintenant
today-appointments = Rendez-vous
to-confirm = À confirmer
somebody = Quelqu’un
today-notices = { Customers } ne reçoivent pas encore d’e-mails sur leurs rendez-vous.
today-notices-do = Régler les messages
today-empty = La journée est vide
today-empty-text = Dès que l’équipe compte un membre, sa journée apparaît sur cette page.
today-more = La liste est plus longue que ce qui est affiché ici.
today-by-staff = La journée par personne
today-whole-day = Toute la journée
today-day-of-somebody = { $count }, jusqu’à { $until }
today-in-without = Aucun rendez-vous · { $hours }
today-now = En cours
today-now-until = { $service }, jusqu’à { $until }
today-next = Prochains rendez-vous
today-needs-you = À traiter
today-needs-messages = Tous les messages
today-needs-nothing = Rien à traiter
today-needs-nothing-text = Les demandes, les messages pour l’équipe et les appels manqués apparaissent ici dès leur arrivée.
today-call-back = Rappeler
today-resolve = Traité
today-handle = Traité
today-resolved = Le message est traité.
today-with-staff = avec { $name }
today-need-urgent = Message urgent
today-need-message = Nouveau message
today-need-request = À confirmer
today-need-request-text = Demandé par { $who } ({ $source }, { $when }). Le créneau est retenu jusqu’à votre réponse.
today-need-missed = Appel manqué
today-need-failed = Appel interrompu
today-need-missed-known = Personne n’a répondu.
today-need-missed-text = Personne n’a répondu. Le numéro n’est pas celui d’un contact.
today-need-failed-text = L’appel a été interrompu.
today-need-unknown-number = Numéro masqué
today-need-webhook = Webhook désactivé
today-need-webhook-text = Désactivé : { $since }. Toutes les tentatives d’envoi d’un événement ont échoué. Vous pouvez renvoyer les événements manqués.
today-need-failing = Webhook en échec
today-need-failing-text = Aucune tentative n’a réussi depuis : { $since }. Les envois sont réessayés.
today-need-see = Voir le détail
today-older-missed = { $count ->
    [one] Un appel manqué plus ancien n’est pas traité
   *[other] { $shown } appels manqués plus anciens ne sont pas traités
}
today-talks-all = Toutes les conversations
today-gaps = { $count ->
    [one] Une question est sans réponse
   *[other] { $count } questions sont sans réponse
}

# Les premières étapes d’un nouvel établissement.
steps-first = Premières étapes
steps-welcome = Bienvenue, { $name }
steps-welcome-unnamed = Bienvenue
steps-left = { $count ->
    [one] Encore une étape
   *[other] Encore { $count } étapes
}
steps-for = et tout est prêt pour { $name }.
steps-done = { $count } sur 5
steps-is-done = fait
steps-hide = Masquer
steps-do-hours = Saisir les horaires
steps-do-service = Ajouter { a-service }
steps-do-staff = Ajouter une personne
steps-do-booking = Réserver un créneau
steps-do-key = Créer la clé
steps-go-on = Passer à l’étape suivante
steps-change = Modifier
steps-hours = Indiquez vos horaires
steps-hours-text = Les horaires de la semaine ; vous pourrez ajouter des jours particuliers
steps-hours-done = { $count ->
    [one] Un jour par semaine
   *[other] { $count } jours par semaine
}
steps-service = Décrivez { a-service }
steps-service-text = Ce que l’on peut réserver, et sa durée
steps-staff = Indiquez qui réalise { the-service }
steps-staff-text = Au moins une personne qui réalise { a-service }
steps-booking = Prenez un premier rendez-vous
steps-booking-text = Pour voir à quoi ressemble une journée ; vous pourrez l’annuler ensuite
steps-key = Créez une clé
steps-key-text = Pour votre site ou un assistant ; vous pouvez le faire plus tard

# L’agenda.
calendar-views = Affichage
calendar-day = Jour
calendar-week = Semaine
calendar-list = Liste
calendar-book = Réserver
calendar-week-number = Semaine { $number }
calendar-week-title = { $from } au { $to }
calendar-weekday = { $count ->
    [1] lun.
    [2] mar.
    [3] mer.
    [4] jeu.
    [5] ven.
    [6] sam.
   *[7] dim.
}
calendar-this-week = Cette semaine
calendar-all-staff = Toute l’équipe
calendar-by-staff = La journée par personne
calendar-week-of = Semaine : { $name }
calendar-times-in = heure locale : { $place }
calendar-open-from-to = ouvert de { $from } à { $to }
calendar-closed-all-day = fermé toute la journée
calendar-closed = Fermé
calendar-break = Pause
calendar-busy = Occupé dans un agenda connecté
calendar-not-in = Ne travaille pas
calendar-time-off = Absence
calendar-time-off-for = Absence : { $note }
calendar-kept-free = Battement
calendar-asks = Demande
calendar-free = libre
calendar-free-with = réserver avec { $name }
calendar-now = Maintenant, { $time }
calendar-legend = Légende
calendar-legend-asks = Demande, à confirmer
calendar-legend-away = Pause, absence, battement ou hors des heures de travail
calendar-legend-free = Les créneaux libres apparaissent au survol ; cliquez sur un créneau pour le réserver.
calendar-no-staff = Aucun membre de l’équipe pour l’instant
calendar-no-staff-text = Chaque membre de l’équipe aura sa colonne sur cette page.
calendar-filter = Filtrer les rendez-vous
calendar-from = Du
calendar-to = Au
calendar-everybody = Toute l’équipe
calendar-show = Afficher
calendar-list-from = À partir du { $day }
calendar-list-none = Aucun rendez-vous trouvé
calendar-list-none-text = Essayez un autre jour ou d’autres filtres.
calendar-list-searched = La recherche n’est pas terminée : passez à la suite de la liste.
calendar-to-beginning = Au début
calendar-to-later = Plus tard

# Un rendez-vous.
appointment-itself = Rendez-vous
appointment-about = { $service } pour { $who }, jusqu’à { $until }
appointment-when = Quand
appointment-service = { $customer ->
    [patient] Acte
   *[other] Prestation
}
appointment-with = Avec
appointment-status = État
appointment-status-active = En attente et confirmés
appointment-status-pending = À confirmer
appointment-status-confirmed = Confirmé
appointment-status-declined = Refusé
appointment-status-cancelled = Annulé
appointment-came-by = Pris par
appointment-source-voice = téléphone
appointment-source-sms = SMS
appointment-source-website = site web
appointment-source-dashboard = tableau de bord
appointment-source-api = intégration
appointment-source-mcp = assistant
appointment-their-calendar = Synchronisation
appointment-sync-not_connected = Aucun agenda connecté
appointment-sync-pending = En cours d’envoi
appointment-sync-synced = Inscrit dans l’agenda
appointment-sync-failed = Échec de l’inscription
appointment-minutes = { $count } min
appointment-lasts = { $count ->
    [one] Une minute
   *[other] { $count } minutes
}
appointment-lasts-before = { $count } min de battement avant
appointment-lasts-after = { $count } min de battement après
appointment-waits = { $who } a demandé ce créneau. Il est retenu jusqu’à votre réponse.
appointment-confirm = Confirmer
appointment-move = Déplacer
appointment-decline = Refuser
appointment-cancel = Annuler le rendez-vous
appointment-cancel-instead = Annuler plutôt ce rendez-vous
appointment-contact = Contact
appointment-contact-gone = Ce contact a été effacé.
appointment-phone = Téléphone
appointment-attendance = Présence
appointment-attendance-arrived = Sur place
appointment-attendance-completed = Terminé
appointment-attendance-no_show = Non venu
appointment-attendance-none = Non notée
appointment-customer-note = Note { customer-of }
appointment-booked-as = Saisie { customer-of }
appointment-booked-differs = différent du contact
appointment-texts = Accepte les SMS
appointment-stale = Quelqu’un a modifié ce rendez-vous depuis l’ouverture de cette page. Votre action n’a pas été effectuée. Voici l’état actuel du rendez-vous.
appointment-done-moved = Déplacé.
appointment-done-confirmed = Confirmé.
appointment-done-declined = Refusé. Le créneau est de nouveau libre.
appointment-done-cancelled = Annulé. Le créneau est de nouveau libre.
appointment-history = Historique
appointment-history-none = Le journal ne contient plus rien sur ce rendez-vous.
appointment-history-part = Cette liste peut être incomplète. Les autres modifications figurent dans le journal.
appointment-history-requested = Demandé
appointment-history-booked = Réservé
appointment-history-confirmed = Confirmé
appointment-history-rescheduled = Déplacé
appointment-history-declined = Refusé
appointment-history-cancelled = Annulé
appointment-history-noted = Notes modifiées
appointment-history-attended = Présence modifiée
appointment-history-changed = Modifié
appointment-history-from-to = { $from } → { $to }

# Refuser et annuler.
ending-decline-title = Refuser le rendez-vous pour { $who } ?
ending-decline-do = Refuser la demande
ending-decline-frees = Le créneau redevient immédiatement libre.
ending-cancel-title = Annuler le rendez-vous pour { $who } ?
ending-cancel-do = Annuler le rendez-vous
ending-cancel-frees = Le créneau redevient immédiatement libre.
ending-cancel-over = Ce rendez-vous est passé. Il reste dans la liste avec l’état « Annulé ».
ending-emailed = { Customer } en est prévenu par e-mail.
ending-not-emailed = Le contact n’est pas prévenu automatiquement : appelez-le ou écrivez-lui si nécessaire.
ending-final = Cette action est irréversible. Le rendez-vous et son historique restent visibles.

# Réserver.
book-title = Prendre un rendez-vous
book-sub = Heure locale : { $place }.
book-what = { $customer ->
    [patient] Acte et heure
   *[other] Prestation et heure
}
book-close = Fermer
book-ignore-calendars = Ignorer les créneaux occupés des agendas connectés
book-anybody = Première personne disponible
book-day = Jour
book-minutes = Durée en minutes
book-services-fit = Possibles à { $time }
book-services-others = Impossibles à { $time }
book-who = { customer-alone } : nom, téléphone ou e-mail
book-search = Chercher un contact
book-not-found = Aucun contact trouvé pour « { $text } ».
book-incomplete = Trop de contacts correspondent. Précisez le nom, le numéro ou l’adresse e-mail.
book-show-times = Afficher les créneaux
book-choose-time = Choisissez un jour et une heure
book-change-time = Changer
book-strip-days = Jours avec des créneaux libres
book-strip-open = { $count ->
    [one] { $count } libre
   *[other] { $count } libres
}
book-strip-full = complet
book-strip-closed = fermé
book-strip-over = passé
book-strip-earlier = Plus tôt
book-strip-later = Plus tard
book-time = Heure
book-other-time = Autre heure
book-time-wrong = Cette heure n’existe pas. Saisissez une heure comme 16:15.
book-too-long-ago = Un rendez-vous peut remonter à 30 jours au plus.
book-part-morning = Matin
book-part-afternoon = Après-midi
book-part-evening = Soir
book-times-none = { $customer ->
    [patient] Aucun créneau libre ce jour-là. Choisissez un autre jour, une autre personne ou un autre acte, ou saisissez une heure.
   *[other] Aucun créneau libre ce jour-là. Choisissez un autre jour, une autre personne ou une autre prestation, ou saisissez une heure.
}
book-times-now = Choisissez un créneau libre ou saisissez une autre heure.
book-times-changed = Rien n’est encore réservé. Voici les créneaux qui correspondent à vos nouveaux choix : choisissez-en un et réservez.
book-not-yet = Rien n’est encore réservé. Le formulaire indique maintenant les règles que cette heure enfreint.
book-override = Ce créneau n’est pas ouvert. Vous pouvez réserver quand même :
book-override-past = Il est déjà passé.
book-override-opening_hours = Il est hors des horaires d’ouverture.
book-override-special_day = Il est hors des horaires de ce jour particulier.
book-override-break = Il chevauche une pause.
book-override-grid = Il commence entre deux heures habituelles.
book-override-staff_hours = Il est hors des horaires de cette personne.
book-override-time_off = Cette personne est alors en congé.
book-override-calendar = Cette personne est alors occupée dans un agenda connecté.
book-override-buffer = Il est trop proche d’un autre rendez-vous, d’un congé ou d’un créneau occupé d’un agenda : le battement n’est pas respecté.
book-override-staff = Choisissez une personne pour réserver un créneau qui n’est pas ouvert.
book-for = { customer-alone }
book-somebody-new = Une nouvelle personne
book-somebody-new-hint = Un nom suffit. Si un contact a déjà ce numéro ou cette adresse e-mail, le rendez-vous est pris pour ce contact.
book-walk-in = Réserver sans nom
book-walk-in-name = De passage
book-notes = Note pour l’équipe
book-do = Réserver
book-do-anyway = Réserver quand même
book-stopped = Réservation impossible
book-suspended = Cet établissement est suspendu.
book-no-service = { $customer ->
    [patient] Aucun acte n’est encore proposé.
   *[other] Aucune prestation n’est encore proposée.
}
book-no-hours = Il n’y a pas encore d’horaires d’ouverture.
book-no-staff = { $customer ->
    [patient] Aucun membre de l’équipe ne réalise encore d’acte.
   *[other] Aucun membre de l’équipe ne réalise encore de prestation.
}
booked-done = Réservé.
booked-known = Réservé pour le contact qui a déjà ce numéro ou cette adresse e-mail. Le nom saisi n’a pas été utilisé. Vous pouvez le modifier sur la page du contact.
blocked-done = Le créneau est bloqué.
booked-see = Ouvrir le rendez-vous

# Déplacer.
move-title = Déplacer le rendez-vous pour { $who }
move-sub = { $service } · actuellement { $when } avec { $staff }
move-do = Déplacer
move-do-anyway = Déplacer quand même

# Les problèmes des rendez-vous.
