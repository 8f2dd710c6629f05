# Messages, appels, contacts et connaissances.

# Communs à ces pages.
records-show = Afficher
records-incomplete = Il y a trop de résultats à parcourir en une fois : voici les premiers. « Plus anciens » poursuit la recherche.
records-yesterday = hier à { $time }
records-short-day = { $day } { short-month } { $year }

# Les messages.
messages-sub = Ce que les appelants ont laissé à l’équipe
messages-sub-new = { $count ->
    [one] { $urgent ->
        [0] Un nouveau message
       *[other] Un nouveau message, urgent
    }
   *[other] { $urgent ->
        [0] { $count } nouveaux messages
        [one] { $count } nouveaux messages, dont un urgent
       *[other] { $count } nouveaux messages, dont { $urgent } urgents
    }
}
messages-which = État des messages
messages-tab-new = Nouveaux
messages-tab-read = Lus
messages-tab-resolved = Traités
messages-all-new = Nouveaux messages
messages-all-read = Messages lus
messages-all-resolved = Messages traités
messages-none = Aucun message ici
messages-none-text = Les messages que les appelants laissent à l’équipe apparaissent ici.
messages-for = pour { $name }

# Un message.
message-is-new = Nouveau
message-is-read = Lu
message-is-resolved = Traité
message-is-urgent-new = Urgent, nouveau
message-is-urgent-read = Urgent, lu
message-is-urgent-resolved = Urgent, traité
message-from = Message : { $name }
message-call-back = Rappeler
message-resolve = Marquer comme traité
message-mark-read = Marquer comme lu
message-mark-new = Marquer comme nouveau
message-reopen = Rouvrir
message-said = Ce qui a été dit
message-erased = Le contenu de ce message a été effacé avec le contact.
message-the-call = L’appel, { $long }
message-about = À propos de ce message
message-who = Attribué à
message-staff = Membre de l’équipe
message-unassigned = Pas encore attribué
message-assign = Attribuer
message-contact = Contact
message-no-contact = Aucun contact n’a ce numéro.
message-done-new = Marqué comme nouveau.
message-done-read = Marqué comme lu.
message-done-resolved = Traité.
message-done-assigned = Attribution enregistrée.
message-snoozed-until = Reporté : { $when }
message-snooze-end = Annuler le report
message-snooze-week = D’une semaine
message-snooze-tomorrow = À demain 8 h
message-snooze-hour = D’une heure
message-snooze-about = Un message reporté n’apparaît plus dans « À traiter » jusqu’à l’échéance.
message-snooze = Reporter
message-done-awake = Le report est annulé.
message-done-snoozed = Message reporté. D’ici là, il n’apparaît plus dans « À traiter ».
message-done-added = Le message est enregistré.
message-is-urgent = Urgent
message-new-do = Enregistrer le message
message-new = Noter un message

# Les appels.
calls-sub = Les plus récents d’abord. Les heures sont celles du fuseau horaire { $zone }.
calls-filter = Filtrer les appels
calls-outcome = Résultat
calls-direction = Sens
calls-status = État
calls-day = Jour
calls-none = Aucun appel pour l’instant
calls-none-text = Les appels pris par l’accueil apparaissent ici, avec leur résumé et leurs suites.
calls-none-such = Aucun appel trouvé
calls-none-such-text = Aucun appel ne correspond à ces filtres.
calls-show-all = Afficher tous les appels

# Un appel.
call-direction-inbound = Entrant
call-direction-outbound = Sortant
call-status-completed = Terminé
call-status-missed = Manqué
call-status-failed = Interrompu
call-status-unhandled = À traiter
call-outcome-appointment_booked = Rendez-vous pris
call-outcome-appointment_rescheduled = Rendez-vous déplacé
call-outcome-appointment_cancelled = Rendez-vous annulé
call-outcome-message_taken = Message pris
call-outcome-question_answered = Question résolue
call-outcome-transferred = Transféré
call-outcome-voicemail = Message vocal
call-outcome-spam = Indésirable
call-outcome-hangup = Raccroché
call-outcome-other = Autre
call-anonymous = Numéro masqué
call-from = Appel entrant : { $name }
call-to = Appel sortant : { $name }
call-contact = Un contact sans nom
call-summary = Résumé
call-no-summary = Cet appel n’a pas de résumé.
call-came-of-it = Suites
call-nothing-came = Ni rendez-vous ni message.
call-facts = En bref
call-from-number = De
call-to-number = À
call-no-number = Pas de numéro
call-ended = Fin
call-recording = Enregistrement
call-new-minutes = Minutes
call-new-time = Heure
call-new-do = Enregistrer l’appel
call-new = Consigner un appel
call-done-added = L’appel est enregistré.
call-done-open = Appel marqué comme à traiter.
call-done-handled = Appel marqué comme traité.
call-handled-at = Traité : { $when }
call-reopen = Marquer comme à traiter
call-handle = Marquer comme traité

# Les contacts.
contacts-sub = Toutes les personnes qui ont appelé, écrit ou pris rendez-vous
contacts-add = Ajouter un contact
contacts-import = Importer des contacts
contacts-imported = Les contacts ont été importés.
contacts-imported-none = Le fichier ne contenait aucun nouveau contact.
contacts-import-sub = Depuis un fichier CSV d’un tableur ou d’un autre logiciel
contacts-import-file = Fichier CSV
contacts-import-hint = 10 Mo et 20 000 lignes au plus.
contacts-import-columns = La première ligne contient les noms des colonnes : nom (ou prénom et nom), téléphone, e-mail, langue, fuseau horaire, notes et alerte.
contacts-import-skips = Une ligne est ignorée si son numéro de téléphone ou son adresse e-mail existe déjà. Les contacts existants ne changent pas.
contacts-import-erased = Le fichier peut faire revenir des personnes qui ont été effacées. Retirez d’abord leurs lignes du fichier.
contacts-import-look = Afficher un aperçu
contacts-import-other = Choisir un autre fichier
contacts-import-preview = Aperçu
contacts-import-created = { $count ->
    [0] Aucun contact ne sera créé.
    [one] Un contact sera créé.
   *[other] { $count } contacts seront créés.
}
contacts-import-skipped = { $count ->
    [0] Aucune ligne ne sera ignorée.
    [one] Une ligne sera ignorée.
   *[other] { $count } lignes seront ignorées.
}
contacts-import-more = { $count ->
    [one] Et une autre ligne.
   *[other] Et { $count } autres lignes.
}
contacts-import-do = { $count ->
    [one] Importer un contact
   *[other] Importer { $count } contacts
}
contacts-import-read = Vérifiez que les lettres sont correctes. Sinon, enregistrez à nouveau le fichier en « CSV UTF-8 ».
contacts-import-read-rows = Lignes du fichier
contacts-import-skipped-rows = Lignes ignorées
contacts-import-line = Ligne
contacts-import-reason = Raison
contacts-import-phone-exists = Un contact a ce numéro de téléphone.
contacts-import-email-exists = Un contact a cette adresse e-mail.
contacts-import-phone-repeated = Une ligne précédente a ce numéro de téléphone.
contacts-import-email-repeated = Une ligne précédente a cette adresse e-mail.
contacts-import-refused = Rien n’a été importé. Corrigez le fichier et choisissez-le à nouveau :
contacts-import-at = Ligne { $line } :
contacts-import-at-column = Ligne { $line }, { $column } :
contact-alert-aside = Attention :
contacts-search = Rechercher par nom, téléphone ou adresse e-mail
contacts-search-hint = Nom, téléphone ou e-mail
contacts-caption = Contacts, les plus récents d’abord
contacts-since = Connu depuis
contacts-none = Aucun contact pour l’instant
contacts-none-text = Les personnes qui appellent, écrivent ou réservent sont ajoutées ici automatiquement.
contacts-not-found = Aucun contact trouvé
contacts-not-found-text = Aucun contact n’a « { $q } » dans son nom, ni comme numéro de téléphone ou adresse e-mail.
contacts-show-all = Afficher tous les contacts
contacts-order = Ordre des contacts
contacts-newest = Les plus récents
contacts-by-name = De A à Z
contacts-by-name-hint = Les contacts sans nom figurent seulement dans la liste « Les plus récents ».
contacts-caption-by-name = Contacts, de A à Z
contacts-erased = Contact effacé. Les autres données à son sujet disparaissent dans les instants qui suivent.

# Un contact.
contact-phone = Téléphone
contact-email = E-mail
contact-zone = Fuseau horaire
contact-since = Connu depuis le { $day }
contact-about = À propos du contact { $name }
contact-details = Coordonnées
contact-book = Prendre rendez-vous
contact-book-again = Reprendre rendez-vous
contact-alert = Alerte
contact-alert-hint = Un texte court que l’équipe voit à côté du nom, par exemple une allergie.
contact-next = Prochain rendez-vous
contact-last = Dernière visite
contact-visits = Visites
contact-cancelled = Annulations
contact-no-show = Non venu
contact-usual = D’habitude
contact-usual-service = { $customer ->
    [patient] Acte
   *[other] Prestation
}
contact-usual-staff = Membre de l’équipe
contact-to-come = Rendez-vous à venir
contact-none-to-come = Aucun rendez-vous à venir.
contact-past = Rendez-vous passés
contact-none-past = Aucun rendez-vous passé.
contact-call-them = Appeler
contact-no-calls = Aucun appel.
contact-no-conversations = Aucune conversation.
contact-no-messages = Aucun message.
contact-show-all = Tout afficher
contact-appointment = { $service }, { $time }
contact-with = Avec { $staff }
contact-call = { $time }, { $long }
contact-message = Message, { $time }
contact-data = Ses données
contact-data-text = Toutes les données conservées sur cette personne, sous une forme que vous pouvez lui remettre.
contact-export = Exporter en JSON
contact-erase = Effacer…
contact-added = Ajouté.
contact-edit = Modifier le contact
contact-one-is-enough = Un nom, un numéro de téléphone ou une adresse e-mail : un des trois suffit.
contact-phone-hint = Un numéro sans indicatif est lu comme un numéro de ce pays : { $region }.
contact-zone-hint = Si ce champ est vide : { $zone }, comme l’établissement.
notes = Notes
contact-notes-hint = Pour l’équipe. Les contacts et les intégrations ne les voient pas.
contact-language-hint = La langue dans laquelle on s’adresse à cette personne.
contact-language-unknown = Inconnue
contact-add-do = Ajouter le contact
contact-taken-by = Contact existant :

# La fusion de deux contacts.
contact-merge = Fusionner…
contact-merged = Fusion effectuée. Les rendez-vous, appels et messages de l’autre contact arrivent ici dans les instants qui suivent.
merge-title = Fusionner un autre contact avec { $name }
merge-sub = Pour une personne qui a deux contacts. Cherchez celui qui doit disparaître.
merge-choose = Choisissez l’autre contact
merge-kept = Ce contact est conservé
merge-gone = Ce contact disparaît
merge-moves = Tous les rendez-vous, appels et messages du second contact passent au premier. Si l’un des deux refuse les e-mails ou les SMS, le premier les refuse aussi.
merge-notes = Les valeurs que le contact ne garde pas sont ajoutées à ses notes. Un numéro ou une adresse e-mail dans les notes n’identifie plus cette personne : le prochain appel de ce numéro crée un nouveau contact.
merge-none = Aucun
merge-final = Une fusion est irréversible.
merge-do = Fusionner définitivement
merge-other = Choisir un autre contact

# L’effacement d’un contact.
erase-title = Effacer { $name } ?
erase-sub = Cette action est irréversible, même pour l’exploitant du service.
erase-goes = Ce qui est effacé
erase-goes-person = Le nom, le numéro de téléphone, l’adresse e-mail, la langue et le fuseau horaire
erase-goes-text = Ce que la personne a dit : le texte de ses messages et les résumés de ses appels, avec les numéros
erase-goes-traces = Ce que le journal, les alertes, les e-mails et les livraisons des webhooks disent d’elle
erase-stays = Ce qui est conservé
erase-stays-appointments = Les rendez-vous, avec leurs heures mais sans le nom
erase-stays-times = La date et l’heure des appels et des messages
erase-stays-sent = Ce qui a déjà été transmis à d’autres ; un événement en cours d’envoi à un webhook part dans les 24 heures
erase-ahead = Rendez-vous à venir
erase-ahead-text = Ils restent dans l’agenda, sans le nom. Annulez d’abord ceux qui n’auront pas lieu.
erase-sure = Oui, effacer { $name } et toutes ses données
erase-do = Effacer définitivement
erase-export-first = Exporter d’abord

# Les connaissances.
knowledge-sub = Ce que l’accueil peut dire aux appelants, en plus des horaires et des { services }
knowledge-search = Rechercher dans les connaissances
knowledge-entries = Fiches, les plus récentes d’abord
knowledge-detail = { $language } · modifiée le { $when }
knowledge-both = Les deux langues
knowledge-none = Aucune fiche pour l’instant
knowledge-none-text = Indiquez à l’accueil ce que les appelants demandent : stationnement, bons cadeaux, documents à apporter.
knowledge-not-found = Aucune fiche trouvée
knowledge-not-found-text = « { $q } » ne figure dans aucun titre ni aucun texte.
knowledge-show-all = Afficher toutes les fiches
knowledge-added = Fiche ajoutée. L’accueil la connaît désormais.
knowledge-deleted = Fiche supprimée.
knowledge-new = Ajouter une fiche
knowledge-gone = Quelqu’un a supprimé cette fiche entre-temps. Votre saisie figure ci-dessous : enregistrez pour recréer la fiche.
knowledge-new-sub = L’accueil connaît la fiche dès qu’elle est enregistrée.
knowledge-title = Titre
knowledge-title-hint = La question telle qu’un appelant la poserait. 200 caractères au plus.
knowledge-content = Ce que l’accueil doit dire
knowledge-content-hint = Écrivez comme vous parleriez. 50 000 caractères au plus.
knowledge-language-hint = La langue de cette fiche.
knowledge-source = Source
knowledge-source-hint = L’adresse de la page d’où vient l’information, avec https://.
knowledge-delete-ask = Supprimer…
knowledge-delete-title = Supprimer « { $title } » ?
knowledge-delete-sub = L’accueil l’oublie immédiatement. Cette action est irréversible.
knowledge-delete-do = Supprimer définitivement

# Les problèmes des fiches.

# Statistiques.
insights-sub = Chiffres par semaine ou par mois, d’après les données conservées
insights-filter = Période des chiffres
insights-by = Par
insights-by-week = Semaine
insights-by-month = Mois
insights-show = Afficher
insights-download = Télécharger en CSV
insights-wrong-dates = Le dernier jour ne peut pas précéder le premier, ni le suivre de plus de 24 mois.
insights-period = Période
insights-total = Total
insights-appointments = Rendez-vous
insights-bookings = Réservations
insights-cancellations = Annulations
insights-no-shows = Non venus
insights-customers = { customers-alone }
insights-new = Nouveaux
insights-returning = Habitués
insights-unknown = Effacés
insights-calls = Appels
insights-calls-all = Appels
insights-answered = Décrochés
insights-converted = Avec réservation
insights-lead = Réservé à l’avance
insights-lead-about = La moitié des rendez-vous ont été pris plus tôt que ce délai avant leur début.
insights-staff = Équipe
insights-hours = Heures réservées
insights-utilisation = Occupation, { $period }
insights-staff-about = Le pourcentage compare le temps réservé au temps réservable, pour cette semaine et les suivantes.
insights-chart = Graphique : { $what }. Le tableau contient les mêmes chiffres.
insights-none = –
insights-day = { $day } { $month_number ->
    [1] janv.
    [2] févr.
    [3] mars
    [4] avr.
    [5] mai
    [6] juin
    [7] juil.
    [8] août
    [9] sept.
    [10] oct.
    [11] nov.
   *[12] déc.
}
insights-month = { $month_number ->
    [1] janv.
    [2] févr.
    [3] mars
    [4] avr.
    [5] mai
    [6] juin
    [7] juil.
    [8] août
    [9] sept.
    [10] oct.
    [11] nov.
   *[12] déc.
} { $year }
insights-percent = { $number } %
conversations = Conversations
conversations-sub = Conversations de l’accueil avec les appelants, les plus récentes d’abord
conversations-filter = Filtrer les conversations
conversations-channel = Canal
conversations-status = État
conversations-outcome = Résultat
conversations-none = Aucune conversation
conversations-none-text = Les conversations de l’accueil par téléphone, par SMS et en ligne apparaissent ici.
conversation = Conversation
conversation-unknown = Numéro inconnu
conversation-visitor = Visiteur de la page de réservation
conversation-turns = Échanges
conversation-by-caller = Appelant
conversation-by-visitor = Visiteur
conversation-contact = Voir la fiche
conversation-by-team = Équipe
conversation-end = Terminer la conversation
conversation-ended = La conversation est terminée.
conversation-reply = Réponse de l’équipe
conversation-reply-hint = Le service n’envoie pas encore la réponse : elle figure seulement dans la conversation. Ensuite, l’accueil ne répond pas dans cette conversation pendant 30 minutes.
conversation-send = Enregistrer
conversation-replied = La réponse est dans la conversation. Le service n’envoie pas de SMS.
conversation-channel-voice = Appel
conversation-channel-sms = SMS
conversation-channel-website = Site web
conversation-channel-assistant = Assistant
conversation-status-open = En cours
conversation-status-ended = Terminée
conversation-effect-offered = Des heures ont été proposées
conversation-effect-booked = Un rendez-vous a été pris
conversation-effect-requested = Un rendez-vous a été demandé
conversation-effect-moved = Un rendez-vous a été déplacé
conversation-effect-cancelled = Un rendez-vous a été annulé
conversation-effect-message_taken = Un message a été pris
conversation-effect-code_sent = Un code a été envoyé
conversation-effect-verified = L’appelant a été vérifié
conversation-effect-answered = Une question a reçu une réponse
conversation-effect-transferred = L’appel a été transféré
conversation-effect-emergency = Un numéro d’urgence a été indiqué
conversation-effect-consent = L’appelant accepte de recevoir des SMS
conversation-effect-opted_out = L’appelant ne veut plus recevoir de SMS
gaps = Questions sans réponse
gaps-sub = Questions des appelants auxquelles l’accueil n’a pas pu répondre, les plus récentes d’abord
gaps-none = Aucune question sans réponse
gaps-none-text = Les questions auxquelles l’accueil ne peut pas répondre apparaissent ici pendant 90 jours.
gaps-answer = Écrire une réponse
gaps-delete = Retirer
gaps-deleted = La question est retirée.
gaps-count = { $count ->
    [one] posée une fois
   *[other] posée { $count } fois
}
