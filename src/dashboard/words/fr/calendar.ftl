# L’agenda : mois, options, déplacements et absences.

calendar-month = Mois
calendar-month-title = { $month } { $year }
calendar-month-short = { short-month }
calendar-month-short-year = { short-month } { $year }
calendar-short-date = { $day } { short-month }
calendar-month-caption = Rendez-vous de chaque jour
calendar-months = Autres mois
calendar-this-month = Ce mois-ci
calendar-appointments = { $count ->
    [one] rendez-vous
   *[other] rendez-vous
}
calendar-to-confirm = { $count } à confirmer
calendar-pick = Choisir un jour
calendar-weeks = Jours de six semaines
calendar-go = Aller
calendar-go-date = Date à ouvrir
calendar-options = Options de l’agenda
calendar-shown-staff = Personnes à afficher
calendar-density = Densité
calendar-density-normal = Normale
calendar-density-compact = Compacte
calendar-density-roomy = Aérée
calendar-block = Bloquer un créneau
calendar-block-this = Bloquer ce créneau
calendar-week-of-all = La semaine de toute l’équipe
calendar-more = { $count ->
    [one] un autre rendez-vous, ouvrir la journée
   *[other] { $count } autres rendez-vous, ouvrir la journée
}
calendar-outside = En dehors des heures de travail
calendar-noted = Avec une note
calendar-moving = Déplacement. Flèches : heure et colonne. Maj avec haut ou bas : durée. Entrée : déposer. Échap : arrêter.
calendar-moving-free = Ce créneau est libre.
calendar-moving-cancelled = Le rendez-vous n’a pas été déplacé.
calendar-moving-failed = Le rendez-vous n’a pas pu être déplacé. Rechargez la page et réessayez.
calendar-moved = Déplacé.
calendar-undo = Annuler le déplacement
calendar-undone = Le déplacement est annulé.

# La page d’un déplacement.
shift-from = De
shift-to = À
shift-lasts = Durée
shift-confirms = Ce rendez-vous est une demande. Le déplacer le confirme aussi.
shift-anyway = Déplacer quand même

# La page qui bloque un créneau.
block-sub = Une absence d’un membre de l’équipe. Personne ne peut réserver ce créneau.
block-staff = Membre de l’équipe
block-title-of = Titre
block-title-hint = L’équipe le voit dans l’agenda, par exemple « Dentiste ».

# Raccourcis clavier.
shortcuts-title = Raccourcis clavier
shortcuts-everywhere = Sur toutes les pages
shortcuts-today = Aujourd’hui
shortcuts-calendar = Agenda
shortcuts-book = Prendre un rendez-vous
shortcuts-search = Rechercher
shortcuts-list = Cette liste
shortcuts-before = Jour, semaine ou mois précédent
shortcuts-after = Jour, semaine ou mois suivant
shortcuts-move = Déplacer le rendez-vous sélectionné
shortcuts-move-how = Pendant un déplacement : haut et bas changent l’heure, gauche et droite la colonne, Maj avec haut ou bas la durée. Entrée dépose le rendez-vous, Échap arrête le déplacement. Pendant dix secondes, Ctrl+Z annule le déplacement.
shortcuts-turn-off = Désactiver les raccourcis
shortcuts-turn-on = Activer les raccourcis
shortcuts-hint = Ce réglage vaut pour ce navigateur.
