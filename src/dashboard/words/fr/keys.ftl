# Les clés d’API, et ce que disent tous les journaux.

keys-sub = Pour les programmes et les assistants qui travaillent avec votre établissement. Gardez-les sur des serveurs, jamais dans une page ni dans une application.
keys-create = Créer une clé
keys-create-sub = Ne lui donnez que ce dont son programme a besoin ; une seconde clé ne coûte rien.
keys-create-do = Créer la clé
keys-name-hint = Là où elle servira, pour que vous la reconnaissiez.
keys-may = Elle peut
keys-created = Création
keys-used = Dernier usage
keys-never = Jamais
keys-idle = { $count } jours sans usage
keys-is-revoked = Révoquée
keys-revoke = Révoquer
keys-revoked = La clé est révoquée. Ce qui s’en sert n’a plus accès.
keys-none-title = Pas encore de clé
keys-none-text = Une clé laisse entrer un programme : la page de réservation de votre site, un assistant, la caisse.
keys-everything = Tout
keys-scope-business-read = Lire l’établissement, les prestations et l’équipe
keys-scope-business-write = Modifier l’établissement et ses horaires
keys-scope-calls-read = Lire les appels
keys-scope-contacts-read = Lire les contacts
keys-scope-contacts-write = Ajouter et modifier des contacts
keys-scope-appointments-read = Lire les rendez-vous et les créneaux libres
keys-scope-appointments-write = Réserver, déplacer et annuler
keys-scope-messages-read = Lire les messages
keys-scope-knowledge-write = Ajouter des connaissances
keys-scope-webhooks-manage = Gérer les webhooks
keys-made = La clé « { $name } »
keys-made-sub = Elle s’affiche maintenant et plus jamais. Mettez-la là où son programme la lit avant de quitter cette page.
keys-made-key = Clé
keys-made-try = L’essayer
keys-made-text = Si elle est un jour perdue ou vue par d’autres, révoquez-la et créez-en une autre ; rien d’autre n’a à changer.
secret-kept = C’est en lieu sûr
keys-used-last = dernier usage : { $when }
keys-used-never = jamais utilisée
keys-revoke-title = Révoquer « { $name } » ?
keys-revoke-stops = Ce qui s’arrête, tout de suite et pour de bon :
keys-revoke-programs = Tout programme et tout assistant qui se sert de cette clé n’a plus accès
keys-revoke-may = Ce qu’elle permet aujourd’hui :
keys-revoke-stays = Les rendez-vous, contacts et webhooks entrés par elle restent. Aucune autre clé ne change.
keys-revoke-do = Révoquer la clé
keys-revoke-keep = La garder

# Quand quelque chose a eu lieu.
log-month = { $number ->
    [1] janv.
    [2] févr.
    [3] mars
    [4] avril
    [5] mai
    [6] juin
    [7] juil.
    [8] août
    [9] sept.
    [10] oct.
    [11] nov.
   *[12] déc.
}
log-when-day = { $day } { $month }
log-when-year = { $day } { $year }
log-when-time = { $day }, { $time }
log-when-just-now = à l’instant
log-when-minutes-ago = { $count ->
    [one] il y a 1 minute
   *[other] il y a { $count } minutes
}
log-when-today = aujourd’hui
log-when-yesterday = hier
log-when-days = { $count ->
    [one] 1 jour
   *[other] { $count } jours
}
log-when-hours = { $count ->
    [one] 1 heure
   *[other] { $count } heures
}
log-when-minutes = { $count ->
    [one] 1 minute
   *[other] { $count } minutes
}
log-when-under-a-minute = moins d’une minute
log-decimal-point = ,

# Ce que les journaux ont en commun.
log-status = État
log-actions = Actions
log-from = Du
log-to = Au
log-no-day = Ce n’est pas un jour.
log-show = Afficher
log-clear = Tout afficher
log-none-title = Rien trouvé
log-none-text = Rien ne répond à ces filtres. Retirez-en un, ou remontez plus loin.
log-looked-title = Rien trouvé pour l’instant
log-looked-text = Il reste de quoi chercher : continuez avec « Plus anciens ».
