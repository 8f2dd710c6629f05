# Messages, appels, contacts et connaissances.

# Communs à ces pages.
records-show = Afficher
records-incomplete = Il y a trop à parcourir en une fois : voici ce qui a été trouvé jusqu’ici. « Plus anciens » poursuit la recherche.
records-yesterday = hier à { $time }
records-short-day = { $day } { $month } { $year }
records-month = { $number ->
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
messages-which = Quels messages
messages-tab-new = Nouveaux
messages-tab-read = Lus
messages-tab-resolved = Traités
messages-all-new = Nouveaux messages
messages-all-read = Messages lus
messages-all-resolved = Messages traités
messages-none = Aucun message ici
messages-none-text = Ce que les appelants laissent à l’équipe apparaît ici.
messages-for = pour { $name }

# Un message.
message-new = Nouveau
message-read = Lu
message-resolved = Traité
message-urgent-new = Urgent, nouveau
message-urgent-read = Urgent, lu
message-urgent-resolved = Urgent, traité
message-from = Message de { $name }
message-call-back = Rappeler
message-resolve = Traité
message-mark-read = Marquer comme lu
message-mark-new = Marquer comme nouveau
message-reopen = Rouvrir
message-said = Ce qui a été dit
message-erased = Ce qui a été dit ici a été effacé, avec la personne qui l’a dit.
message-the-call = L’appel, { $long }
message-about = À propos de ce message
message-who = Qui s’en occupe
message-staff = Membre de l’équipe
message-nobody = Personne pour l’instant
message-assign = Attribuer
message-contact = Contact
message-no-contact = Ce numéro n’appartient encore à aucun contact.
message-done-new = Marqué comme nouveau.
message-done-read = Marqué comme lu.
message-done-resolved = Traité.
message-done-assigned = Enregistré : qui s’en occupe.

# Les appels.
calls-sub = Les plus récents d’abord. Les heures sont celles de { $zone }.
calls-filter = Filtrer les appels
calls-outcome = Résultat
calls-direction = Sens
calls-status = État
calls-day = Jour
calls-none = Pas encore d’appel
calls-none-text = Les appels que la réception prend apparaissent ici, avec ce qui a été dit et ce qui en est sorti.
calls-none-such = Aucun appel de ce genre
calls-none-such-text = Aucun appel ne correspond à ces choix.
calls-show-all = Afficher tous les appels

# Un appel.
call-inbound = Entrant
call-outbound = Sortant
call-completed = Abouti
call-missed = Manqué
call-failed = Interrompu
call-booked = Rendez-vous pris
call-moved = Rendez-vous déplacé
call-cancelled = Rendez-vous annulé
call-message = Message pris
call-answered = Question résolue
call-transferred = Transféré
call-voicemail = Message vocal
call-spam = Indésirable
call-hangup = Raccroché
call-other = Autre
call-anonymous = Numéro masqué
call-from = Appel de { $name }
call-to = Appel à { $name }
call-contact = Un contact sans nom
call-summary = Résumé
call-no-summary = Il n’y a pas de résumé de cet appel.
call-came-of-it = Ce qui en est sorti
call-nothing-came = Ni rendez-vous, ni message.
call-facts = En bref
call-from-number = De
call-to-number = À
call-no-number = Pas de numéro
call-ended = Fin
call-recording = Enregistrement

# Les contacts.
contacts-sub = Toutes les personnes qui ont appelé, écrit ou sont venues
contacts-add = Ajouter un contact
contacts-search = Rechercher par nom, téléphone ou adresse e-mail
contacts-search-hint = Nom, téléphone ou e-mail
contacts-caption = Contacts, les plus récents d’abord
contacts-since = Connu depuis
contacts-none = Pas encore de contact
contacts-none-text = Les personnes qui appellent, écrivent ou réservent apparaissent ici d’elles-mêmes.
contacts-nobody = Personne trouvé
contacts-nobody-text = Aucun contact n’a « { $q } » dans son nom, ni comme téléphone ou adresse.
contacts-show-all = Afficher tout le monde
contacts-erased = Effacé. Le reste de ce qui en parle disparaît dans les instants qui suivent.

# Un contact.
contact-phone = Téléphone
contact-email = E-mail
contact-zone = Fuseau horaire
contact-since = Connu depuis le { $day }
contact-about = À propos de { $name }
contact-details = Coordonnées
contact-book = Prendre rendez-vous
contact-call-them = Appeler
contact-appointments = Rendez-vous
contact-no-appointments = Aucun rendez-vous.
contact-no-calls = Aucun appel.
contact-no-messages = Aucun message.
contact-show-all = Tout afficher
contact-appointment = { $service }, { $time }
contact-with = Avec { $staff }
contact-call = { $time }, { $long }
contact-message = Message de { $time }
contact-confirmed = Confirmé
contact-declined = Refusé
contact-cancelled = Annulé
contact-data = Ses données
contact-data-text = Tout ce qui est conservé sur cette personne, comme elle peut le demander.
contact-export = Exporter en JSON
contact-erase = Effacer…
contact-added = Ajouté.
contact-edit = Modifier le contact
contact-one-is-enough = Un nom, un numéro de téléphone ou une adresse e-mail : un des trois suffit.
contact-phone-hint = Un numéro sans indicatif de pays est lu comme un numéro de { $region }.
contact-zone-hint = Vide : { $zone }, comme ici.
notes = Notes
contact-notes-hint = Pour l’équipe. Ni les clients ni les intégrations ne les voient.
contact-language-hint = La langue dans laquelle on s’adresse à cette personne.
contact-language-unknown = Inconnue
contact-add-do = Ajouter le contact
contact-taken = Un autre contact l’a déjà.
contact-taken-by = Existe déjà :

# L’effacement d’un contact.
erase-title = Effacer { $name } ?
erase-sub = Personne ne pourra revenir en arrière, pas même la personne qui gère le service.
erase-goes = Ce qui disparaît
erase-goes-person = Le nom, le numéro de téléphone, l’adresse e-mail, la langue et le fuseau horaire
erase-goes-text = Ce qui a été dit : le texte des messages et les résumés des appels, avec les numéros
erase-goes-traces = Ce qu’en disent le journal, les alertes, les courriels et le journal des webhooks
erase-stays = Ce qui reste
erase-stays-appointments = Les rendez-vous, avec leurs heures et sans nom
erase-stays-times = Le fait que des appels et messages ont eu lieu, et quand
erase-stays-sent = Ce qui est déjà parti ailleurs ; ce qui est en route vers un webhook part dans la journée
erase-ahead = Encore à venir
erase-ahead-text = Cela reste dans l’agenda, sans nom. Annulez d’abord ce qui n’aura pas lieu.
erase-sure = Oui, effacer tout ce qui concerne { $name }
erase-do = Effacer définitivement
erase-export-first = Exporter d’abord

# Les connaissances.
knowledge-sub = Ce que la réception peut dire aux appelants, en plus des horaires et des prestations
knowledge-search = Rechercher dans les connaissances
knowledge-entries = Fiches, les plus récentes d’abord
knowledge-detail = { $language } · modifié le { $when }
knowledge-both = Les deux langues
knowledge-none = Encore rien
knowledge-none-text = Dites à la réception ce que les appelants demandent : stationnement, bons cadeaux, ce qu’il faut apporter.
knowledge-not-found = Rien trouvé
knowledge-not-found-text = « { $q } » ne figure dans aucun titre ni aucun texte.
knowledge-show-all = Tout afficher
knowledge-added = Ajouté. La réception le sait désormais.
knowledge-deleted = Supprimé.
knowledge-new = Ajouter aux connaissances
knowledge-gone = Quelqu’un l’a supprimé entre-temps. Ce que vous avez saisi figure ci-dessous : enregistrez pour l’ajouter à nouveau.
knowledge-new-sub = La réception le sait dès l’enregistrement.
knowledge-title = Titre
knowledge-title-hint = Comme un appelant le demanderait. Jusqu’à 200 caractères.
knowledge-content = Ce que la réception doit dire
knowledge-content-hint = Écrivez comme vous le diriez. Jusqu’à 50 000 caractères.
knowledge-language-hint = La langue dans laquelle c’est écrit.
knowledge-source = Source
knowledge-source-hint = La page où cela figure, avec https://.
knowledge-delete-ask = Supprimer…
knowledge-delete-title = Supprimer « { $title } » ?
knowledge-delete-sub = La réception l’oublie aussitôt. C’est définitif.
knowledge-delete-do = Supprimer définitivement

# Ce que le moteur trouve à redire.
