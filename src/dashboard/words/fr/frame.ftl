# Le cadre des pages, et les textes communs à plusieurs pages.

calendar = Agenda
messages = Messages
calls = Appels
contacts = Contacts
knowledge = Connaissances
insights = Statistiques
settings = Réglages
settings-business = Établissement
settings-hours = Horaires
settings-services = { $customer ->
    [patient] Actes
   *[other] Prestations
}
settings-staff = Équipe
settings-website = Page de réservation
settings-notices = Messages aux { customers }
settings-people = Accès
settings-notifications = Notifications
settings-calendars = Calendriers
settings-keys = Clés d’API
settings-webhooks = Webhooks
settings-mail = E-mails
settings-audit = Journal
settings-data = Données
dock-today = Jour
to-do = à traiter
shortcuts = Raccourcis
where-you-are = Fil d’Ariane
pages-of-list = Pages de cette liste
to-newest = Plus récents
to-older = Plus anciens
optional = facultatif
versions-mine = Votre version
versions-theirs = Version enregistrée
versions-text = Quelqu’un d’autre a enregistré une modification depuis l’ouverture de cette page. Votre version n’est pas encore enregistrée : comparez les deux, corrigez le formulaire ci-dessous et enregistrez à nouveau.
refused-form = Rien n’est encore enregistré : corrigez les champs signalés.
title-problem = Problème :
nothing-there = –
copy = Copier
copied = Copié
undo = Annuler
cancel-form = Annuler
edit = Modifier
add = Ajouter
delete = Supprimer
search = Rechercher
find-label = Rechercher parmi les contacts, rendez-vous, appels et messages
find-sub = Contacts, rendez-vous, appels et messages, par nom, numéro de téléphone ou adresse e-mail.
find-appointments = Rendez-vous
find-nothing = Aucun résultat pour « { $text } ».
all = Tous
yes = Oui
no = Non

# Les auteurs des modifications.
who-operator = L’exploitant du service
who-customer = { Customer }, en ligne
who-receptionist = Accueil automatique
who-service = Le service (automatique)
who-gone = Une personne dont le compte n’existe plus
who-nameless = Une personne de l’équipe
who-key = Une intégration
who-key-named = La clé « { $name } »

# Le mot pour les personnes qui réservent, que choisit l’établissement.
customer = { $customer ->
    [patient] patient
    [guest] hôte
   *[other] client
}
customers = { $customer ->
    [patient] patients
    [guest] hôtes
   *[other] clients
}
Customer = { $customer ->
    [patient] Le patient
    [guest] L’hôte
   *[other] Le client
}
Customers = { $customer ->
    [patient] Les patients
    [guest] Les hôtes
   *[other] Les clients
}
customer-of = { $customer ->
    [patient] du patient
    [guest] de l’hôte
   *[other] du client
}

# Le mot seul, comme étiquette.
customer-alone = { $customer ->
    [patient] Patient
    [guest] Hôte
   *[other] Client
}
customers-alone = { $customer ->
    [patient] Patients
    [guest] Hôtes
   *[other] Clients
}

# Ce que l’on réserve : une prestation, ou un acte dans un cabinet.
services = { $customer ->
    [patient] actes
   *[other] prestations
}
a-service = { $customer ->
    [patient] un acte
   *[other] une prestation
}
the-service = { $customer ->
    [patient] l’acte
   *[other] la prestation
}
this-service = { $customer ->
    [patient] cet acte
   *[other] cette prestation
}
of-service = { $customer ->
    [patient] de l’acte
   *[other] de la prestation
}
no-service = { $customer ->
    [patient] Aucun acte
   *[other] Aucune prestation
}
