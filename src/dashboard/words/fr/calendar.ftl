# L’agenda : mois, options, déplacements et absences.

calendar-month = Mois
calendar-month-title = { $month } { $year }
calendar-month-short = { log-month }
calendar-month-short-year = { log-month } { $year }
calendar-short-date = { $day } { log-month }
calendar-month-caption = Rendez-vous de chaque jour
calendar-months = Autres mois
calendar-this-month = Ce mois-ci
calendar-appointments = { $count ->
    [one] rendez-vous
   *[other] rendez-vous
}
calendar-to-confirm = { $count } à confirmer
calendar-pick = Choisir un jour
calendar-go = Aller
calendar-go-date = Date à ouvrir
calendar-options = Options de l’agenda
calendar-shown-staff = Personnes à afficher
calendar-density = Densité
calendar-density-normal = Normale
calendar-density-compact = Compacte
calendar-density-roomy = Aérée
calendar-week-of-all = La semaine de toute l’équipe
calendar-more = { $count ->
    [one] un autre rendez-vous, ouvrir la journée
   *[other] { $count } autres rendez-vous, ouvrir la journée
}
calendar-outside = En dehors des heures de travail
calendar-noted = Avec une note
