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
today-closed-by-now = fermé à cette heure
today-appointments = Rendez-vous
to-confirm = À confirmer
somebody = Quelqu’un
today-empty = La journée est vide
today-empty-text = Dès que quelqu’un travaille ici, sa journée apparaît sur cette page.
today-more = Il y en a plus que ce qui est affiché ici.
today-by-staff = La journée par personne
today-whole-day = Toute la journée
today-day-of-somebody = { $count }, jusqu’à { $until }
today-in-without = Aucun rendez-vous · { $hours }
today-now = En cours
today-now-until = { $service }, jusqu’à { $until }
today-needs-you = À traiter
today-needs-messages = Tous les messages
today-needs-nothing = Rien à traiter
today-needs-nothing-text = Les demandes, les messages pour l’équipe et les appels manqués apparaissent ici dès leur arrivée.
today-call-back = Rappeler
today-resolve = Traité
today-resolved = Le message est traité.
today-with-staff = avec { $name }
today-need-urgent = Message urgent
today-need-message = Nouveau message
today-need-request = À confirmer
today-need-request-text = Demandé par { $who } ({ $source }, { $when }). Le créneau est réservé jusqu’à ce que quelqu’un confirme ou refuse.
today-need-missed = Appel manqué
today-need-failed = Appel interrompu
today-need-missed-known = Personne n’a répondu.
today-need-missed-text = Personne n’a répondu ; contact inconnu.
today-need-failed-text = L’appel a été interrompu.
today-need-unknown-number = Un numéro masqué
today-need-webhook = Webhook arrêté
today-need-webhook-text = Arrêté depuis : { $since }. Un évènement a échoué à toutes ses tentatives. Ce qui a été manqué peut être renvoyé.
today-need-see = Voir le détail

# Les premières étapes d’un nouvel établissement.
steps-first = Premières étapes
steps-welcome = Bienvenue, { $name }
steps-welcome-nobody = Bienvenue
steps-left = { $count ->
    [one] Encore une étape
   *[other] Encore { $count } étapes
}
steps-for = et tout est prêt pour { $name }.
steps-done = { $count } sur 5
steps-is-done = fait
steps-do-hours = Saisir les horaires
steps-do-service = Ajouter une prestation
steps-do-staff = Ajouter quelqu’un
steps-do-booking = Réserver un créneau
steps-do-key = Créer la clé
steps-go-on = Passer à l’étape suivante
steps-change = Modifier
steps-hours = Indiquez vos horaires
steps-hours-text = Les horaires de la semaine ; les jours particuliers peuvent suivre
steps-hours-done = { $count ->
    [one] Un jour par semaine
   *[other] { $count } jours par semaine
}
steps-service = Décrivez une prestation
steps-service-text = Ce que l’on peut réserver, et sa durée
steps-staff = Indiquez qui la réalise
steps-staff-text = Au moins une personne qui propose une prestation
steps-booking = Prenez un premier rendez-vous
steps-booking-text = Pour voir à quoi ressemble une journée ; on peut l’annuler ensuite
steps-key = Créez une clé
steps-key-text = Pour votre site ou un assistant ; peut attendre

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
calendar-week-of = La semaine de { $name }
calendar-jump = L’équipe du jour
calendar-times-in = heure de { $place }
calendar-open-from-to = ouvert de { $from } à { $to }
calendar-closed-all-day = fermé toute la journée
calendar-closed = Fermé
calendar-break = Pause
calendar-not-in = Absent
calendar-time-off = Congé
calendar-time-off-for = Congé : { $note }
calendar-kept-free = Gardé libre
calendar-asks = Demande
calendar-free = libre
calendar-free-with = réserver avec { $name }
calendar-now = Maintenant, { $time }
calendar-legend = Légende
calendar-legend-asks = Demande, à confirmer
calendar-legend-away = Pause, absence, congé ou temps gardé libre
calendar-legend-free = Les créneaux libres apparaissent au survol ; choisissez-en un pour le réserver.
calendar-nobody = Personne ne travaille encore ici
calendar-nobody-text = Chaque personne de l’équipe aura une colonne sur cette page.
calendar-filter = Filtrer les rendez-vous
calendar-from = Du
calendar-to = Au
calendar-everybody = Toute l’équipe
calendar-show = Afficher
calendar-list-from = À partir du { $day }
calendar-list-none = Aucun rendez-vous trouvé
calendar-list-none-text = Un autre jour ou d’autres filtres en montreront peut-être.
calendar-list-searched = Tout n’a pas encore été parcouru : passez aux suivants.
calendar-to-beginning = Au début
calendar-to-later = Plus tard

# Un rendez-vous.
appointment-itself = Rendez-vous
appointment-about = { $service } pour { $who }, jusqu’à { $until }
appointment-when = Quand
appointment-service = Prestation
appointment-with = Avec
appointment-status = Statut
appointment-status-active = En attente et confirmés
appointment-status-pending = À confirmer
appointment-status-confirmed = Confirmé
appointment-status-declined = Refusé
appointment-status-cancelled = Annulé
appointment-came-by = Origine
appointment-source-voice = téléphone
appointment-source-sms = SMS
appointment-source-website = site web
appointment-source-dashboard = tableau de bord
appointment-source-api = intégration
appointment-source-mcp = assistant
appointment-their-calendar = Son agenda
appointment-sync-not_connected = Non connecté
appointment-sync-pending = En cours d’envoi
appointment-sync-synced = Inscrit
appointment-sync-failed = N’a pas pu être inscrit
appointment-minutes = { $count } min
appointment-lasts = { $count ->
    [one] Une minute
   *[other] { $count } minutes
}
appointment-lasts-before = { $count } gardées libres avant
appointment-lasts-after = { $count } gardées libres après
appointment-waits = { $who } a demandé ce créneau. Il est réservé jusqu’à ce que quelqu’un confirme ou refuse.
appointment-confirm = Confirmer
appointment-move = Déplacer
appointment-decline = Refuser
appointment-cancel = Annuler le rendez-vous
appointment-cancel-instead = Annuler plutôt ce rendez-vous
appointment-contact = Contact
appointment-contact-gone = Ce contact a été effacé.
appointment-phone = Téléphone
appointment-stale = Quelqu’un a modifié ce rendez-vous depuis que vous l’avez ouvert. Rien n’a été fait de votre part : voici où il en est.
appointment-done-booked = Réservé.
appointment-done-booked-known = Réservé pour { $who }, à qui ce numéro ou cet e-mail appartient déjà. Le nom que vous avez saisi n’a pas été repris : il se modifie sur la page du contact.
appointment-done-moved = Déplacé.
appointment-done-confirmed = Confirmé.
appointment-done-declined = Refusé. Le créneau est de nouveau libre.
appointment-done-cancelled = Annulé. Le créneau est de nouveau libre.
appointment-history = Historique
appointment-history-none = Le journal n’en garde plus rien.
appointment-history-part = Des changements intermédiaires peuvent manquer ici ; le journal les contient tous.
appointment-history-requested = Demandé
appointment-history-booked = Réservé
appointment-history-confirmed = Confirmé
appointment-history-rescheduled = Déplacé
appointment-history-declined = Refusé
appointment-history-cancelled = Annulé
appointment-history-noted = Notes modifiées
appointment-history-changed = Modifié
appointment-history-from-to = de { $from } à { $to }

# Refuser et annuler.
ending-decline-title = Refuser à { $who } ?
ending-decline-do = Refuser la demande
ending-decline-frees = Le créneau est aussitôt libre pour d’autres.
ending-cancel-title = Annuler pour { $who } ?
ending-cancel-do = Annuler le rendez-vous
ending-cancel-frees = Le créneau est aussitôt libre pour d’autres.
ending-cancel-over = Ce rendez-vous est passé. Il reste dans la liste comme annulé.
ending-not-told-by-us = Nous ne prévenons pas le contact ; appelez ou écrivez s’il doit le savoir.
ending-final = Cela ne peut pas être repris. Le rendez-vous et son historique restent visibles.

# Réserver.
book-title = Prendre un rendez-vous
book-sub = Seuls les créneaux libres sont proposés. Heure de { $place }.
book-anybody = La première personne libre
book-day = Jour
book-who = Pour qui : nom, téléphone ou e-mail
book-not-found = Personne trouvé pour « { $text } ».
book-incomplete = Il y a trop de contacts à parcourir en une fois : écrivez une plus grande partie du nom, ou le numéro ou l’e-mail entier.
book-show-times = Voir les créneaux
book-strip-days = Jours avec créneaux
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
book-part-morning = Matin
book-part-afternoon = Après-midi
book-part-evening = Soir
book-times-none = Aucun créneau libre ce jour. Choisissez un autre jour ci-dessus, une autre personne ou une autre prestation.
book-times-now = Ce qui est libre maintenant figure ci-dessus.
book-times-changed = Rien n’est encore réservé : voici les créneaux de ce que vous avez choisi entre-temps. Choisissez-en un et réservez.
book-times-not-open = { $time } n’est pas libre pour cela. Ce qui est libre figure ci-dessus.
book-for = Pour
book-somebody-new = Une nouvelle personne
book-somebody-new-hint = Remplissez ci-dessous : un téléphone ou un e-mail suffit. Qui est déjà connu ainsi est retrouvé.
book-do = Réserver ce créneau
book-stopped = Rien ne peut être réservé
book-suspended = Cet établissement est suspendu.
book-no-service = Aucune prestation ne peut encore être réservée.
book-no-hours = Il n’y a pas encore d’horaires d’ouverture.
book-no-staff = Personne dans l’équipe ne propose encore de prestation.

# Déplacer.
move-title = Déplacer { $who }
move-sub = { $service } · actuellement { $when } avec { $staff }
move-do = Déplacer ici

# Ce que dit le moteur des rendez-vous.
