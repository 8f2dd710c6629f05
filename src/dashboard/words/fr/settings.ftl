# Ce qu’un établissement règle : fiche, horaires, prestations, équipe, données.

# Ce que disent plusieurs de ces pages.
settings-added = Ajouté.
settings-removed = Retiré.
settings-deleted = Supprimé.
settings-remove = Retirer
settings-changed-meanwhile = Quelqu’un d’autre l’a modifié entre-temps : rien n’a été fait. Regardez ce qu’il en est à présent, puis recommencez.
settings-and-more = { $names } et { $count } de plus
outside = { $count ->
    [one] Un rendez-vous à venir se trouve hors des horaires.
   *[other] { $count } rendez-vous à venir se trouvent hors des horaires.
}
outside-stay = Rien ne change pour eux tant que vous ne les déplacez ou ne les annulez pas.
outside-more = { $count ->
    [one] Et un de plus.
   *[other] Et { $count } de plus.
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
business-sub = Ce que l’on entend d’abord au téléphone, et comment l’on réserve
business-profile = L’établissement
business-profile-about = On entend le nom au téléphone. Toutes les heures de ces pages sont celles du fuseau.
business-name-hint = Comme l’accueil le dit en décrochant.
business-locale = Langue des appels
business-locale-hint = Jusqu’à ce que la personne en parle une autre.
business-zone = Fuseau horaire
business-zone-hint = Les horaires s’entendent dans ce fuseau.
business-website = Site web
business-booking = Réservation
business-booking-about = Pour les appels et les programmes. Vous et votre équipe pouvez toujours réserver.
business-instant = Réservé aussitôt
business-instant-hint = Un créneau libre que l’on prend est confirmé sur-le-champ.
business-request = Demandé, puis confirmé par vous
business-request-hint = Le créneau est retenu, et la demande attend à la page du jour que quelqu’un la confirme ou la refuse.
business-off = Pas de réservation
business-off-hint = L’accueil prend un message à la place.
business-phones = Numéros de téléphone
business-phones-about = Un numéro donné sans indicatif est lu comme un numéro de ce pays.
business-region = Les numéros sans indicatif sont de ce pays

# Les horaires.
hours-sub = Quand { $business } est ouvert, à l’heure de { $place }. Une fermeture plus tôt que l’ouverture s’entend du lendemain.
hours-week = La semaine
hours-save = Enregistrer la semaine
hours-room = Place pour une pause de plus
hours-same = Mêmes horaires tous les jours ouverts
hours-open = Ouvert
hours-break = Pause
hours-open-on = Ouvert le
hours-opens-at = { $day }, ouvre à
hours-closes-at = { $day }, ferme à
hours-break-from = { $day }, pause à partir de, facultatif
hours-break-to = { $day }, pause jusqu’à, facultatif
hours-closed = Fermé
hours-with-break = pause { $times }
hours-days = { $from } à { $to }
hours-days-title = Jours particuliers
hours-days-to-come = Ceux à venir
hours-days-past = Ceux qui sont passés
hours-days-none = Aucun jour particulier à venir
hours-days-none-past = Aucun jour particulier passé
hours-days-none-text = Les jours fériés et ceux qui ont d’autres horaires que la semaine apparaissent ici.
hours-days-hint = Laissez les deux heures vides pour un jour fermé. Plusieurs ouvertures dans la journée : ajoutez le jour, puis ouvrez-le.
hours-date = Jour
hours-opens = Ouvre
hours-closes = Ferme
hours-note = Occasion
hours-window = { $count ->
    [1] Première ouverture
    [2] Deuxième ouverture
    [3] Troisième ouverture
   *[other] Quatrième ouverture
}
hours-day-sub = Jusqu’à quatre ouvertures. Laissez toutes les heures vides pour un jour fermé.

# Les prestations.
services-sub = Ce que l’on peut réserver, et combien de temps cela prend
services-add = Ajouter une prestation
services-none = Aucune prestation encore
services-none-text = On peut réserver dès qu’il y a une prestation et quelqu’un qui l’assure.
services-before-after = Avant, après
services-around = { $before }, { $after } min
services-notice = Préavis
services-no-notice = Aucun
services-status = État
services-nobody = Personne encore
services-everybody = Tout le monde
service = Prestation
service-about-title = La prestation
service-about = Telle que la clientèle la connaît.
service-name = Nom
service-description = Description
service-description-hint = L’accueil la lit quand on la demande.
service-time = Durée
service-time-about = Les rendez-vous déjà pris gardent la leur.
service-takes = Dure
service-minutes = minutes
service-before = Libre avant
service-after = Libre après
service-notice = Réservable au plus tard
service-any-time = Jusqu’au dernier moment
service-time-before = { $time } avant
service-ahead = Réservable au plus tôt
service-any-day = Aussi tôt que l’on veut
service-time-ahead = { $time } à l’avance
service-price = Prix
service-price-about = Pour vous et votre équipe ; il n’est pas dit au téléphone.
service-currency = Monnaie
service-currency-hint = Trois lettres, comme EUR.
service-done-by = Assurée par
service-done-by-about = Qui l’assure se règle à la page de chaque membre de l’équipe.
service-offered = Proposée
service-not-offered = Non proposée
service-offered-hint = Décochée, personne ne peut la réserver ; ce qui est réservé reste.
service-delete-about = Seulement si aucun rendez-vous ni membre de l’équipe ne s’y rapporte.
service-delete-text = La prestation disparaît pour de bon. C’est possible seulement si aucun rendez-vous, passé ou à venir, ni aucun membre de l’équipe ne s’y rapporte.

# L’équipe.
staff-sub = Avec qui l’on prend rendez-vous.
staff-sub-people = Qui peut se connecter se règle à la page Accès.
staff-add = Ajouter un membre de l’équipe
staff-list = Membres de l’équipe
staff-none = Personne encore
staff-none-text = Ajoutez qui prend des rendez-vous, avec ses prestations et ses heures.
staff-no-services = Aucune prestation
staff-all-services = Toutes les prestations
staff-whenever = Quand l’établissement est ouvert
staff-never = Jamais là
staff-own-hours = À ses propres heures
staff-bookable = Réservable
staff-not-bookable = Non réservable
staff-bookable-hint = Décoché, personne ne peut réserver avec ; ce qui est réservé reste à l’agenda.
staff-name-hint = Comme on l’entend au téléphone.
staff-zone = Fuseau d’affichage
staff-zone-hint = Les heures s’entendent toujours dans le fuseau de l’établissement.
staff-services-about = Ce que l’on peut réserver avec cette personne.
staff-no-services-yet = Il n’y a pas encore de prestations.
staff-hours-about = Comptées seulement à ses propres heures, et dans les horaires d’ouverture. Un jour non coché est un jour de repos.
staff-works = Heures
staff-works-again = et
staff-works-on = Présence le
staff-works-from = { $day }, de
staff-works-to = { $day }, jusqu’à
staff-room = Place pour un horaire de plus par jour
staff-delete-about = Seulement si aucun rendez-vous, message ni accès ne s’y rapporte.
staff-delete-text = Ce membre de l’équipe et ses absences disparaissent pour de bon. C’est possible seulement si aucun rendez-vous, passé ou à venir, aucun message et aucun accès ne s’y rapporte.
off-title = Absences
off-to-come = Celles à venir
off-past = Celles qui sont passées
off-none = Aucune absence à venir.
off-none-past = Aucune absence passée.
off-more = { $count ->
    [one] Une de plus n’est pas montrée.
   *[other] { $count } de plus ne sont pas montrées.
}
off-from = Du
off-to = Au
off-time = À
off-note = Motif
off-hint = Sans heures, ce sont des jours entiers. Laissez « Au » vide pour un seul jour.
off-day = { $from }
off-days = du { $from } au { $to }
off-hours = { $from }, { $from_time } – { $to_time }
off-span = du { $from } à { $from_time } au { $to } à { $to_time }

# Supprimer une prestation ou un membre de l’équipe.
deletion-title = Supprimer { $name } ?
deletion-or-off = On peut aussi décocher la case, à sa page : on ne peut plus réserver, et tout ce qui en parle reste.
deletion-not = Rien n’a été supprimé.
deletion-appointment = Un rendez-vous s’y rapporte.
deletion-message = Un message a été laissé pour cette personne.
deletion-staff = Un membre de l’équipe l’assure.
deletion-person = L’un des accès est celui de cette personne.
deletion-look = Regarder
deletion-back = Retour à sa page

# Les données.
data-sub = Combien de temps tout est gardé, et comment l’emporter
data-kept = Durée de conservation
data-kept-about = Ce qui est plus ancien part de soi-même, une fois par jour.
data-appointments = Rendez-vous passés
data-for-ever = Pour toujours
data-log = Journal, 90 jours au moins
data-log-owner = Le journal est gardé : { $time }. Seuls les propriétaires le changent.
data-export = Export
data-export-about = Tout ce que l’établissement garde, en un fichier.
data-export-do = Tout télécharger
data-export-hint = Fiche, prestations, équipe, contacts, rendez-vous, appels, messages et connaissances en JSON Lines : une ligne par élément. Ni clés, ni accès, ni webhooks n’y figurent. L’exploitant du service voit qui l’a pris.
data-erase = Effacer une personne
data-erase-text = Effacer fait disparaître un contact aussitôt et pour de bon. Ses appels, messages et rendez-vous restent avec leurs heures, et perdent nom, numéro, adresse et texte, dans le journal et les notifications aussi.
data-erase-how = Un contact s’efface à sa propre page.
data-shorter = Garder moins longtemps ?
data-shorter-text = Ceci part dans la journée et ne peut être récupéré :
data-goes = { $what } : tout ce qui date d’avant le { $before }
data-shorter-stays = Tout le reste demeure.
data-shorter-do = Garder moins longtemps

# Ce que le moteur trouve à y redire.
special-days-there = Ce jour est déjà particulier : ouvrez-le dans la liste pour le modifier.
