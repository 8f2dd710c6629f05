# Les clés d’API, et les textes communs aux journaux.

keys-sub = Pour les programmes et les assistants qui travaillent avec votre établissement. Gardez les clés sur des serveurs, jamais dans une page web ni dans une application.
keys-create = Créer une clé
keys-create-sub = Ne donnez à la clé que les droits dont son programme a besoin. Vous pouvez créer une clé pour chaque programme.
keys-create-do = Créer la clé
keys-name-hint = Par exemple le programme qui utilise la clé, pour la reconnaître.
keys-may = Droits
keys-created = Création
keys-used = Dernière utilisation
keys-never = Jamais
keys-idle = { $count } jours sans utilisation
keys-is-revoked = Révoquée
keys-revoke = Révoquer
keys-revoked = La clé est révoquée. Les programmes qui l’utilisent n’ont plus accès.
keys-none-title = Aucune clé pour l’instant
keys-none-text = Une clé donne accès à un programme : la page de réservation de votre site, un assistant, la caisse.
keys-everything = Tous les droits
keys-scope-business-read = Lire l’établissement, les { services } et l’équipe
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
keys-made-sub = Elle ne sera plus affichée ensuite. Avant de quitter cette page, enregistrez-la là où son programme la lit.
keys-made-key = Clé
keys-made-try = Essayer
keys-made-text = Si la clé est perdue ou vue par d’autres, révoquez-la et créez-en une autre.
secret-kept = C’est noté en lieu sûr
keys-used-last = dernière utilisation : { $when }
keys-used-never = jamais utilisée
keys-revoke-title = Révoquer « { $name } » ?
keys-revoke-stops = Ce qui s’arrête, immédiatement et définitivement :
keys-revoke-programs = Les programmes et assistants qui utilisent cette clé n’ont plus accès
keys-revoke-may = Ses droits actuels :
keys-revoke-stays = Les rendez-vous, contacts et webhooks créés avec cette clé sont conservés. Les autres clés ne changent pas.
keys-revoke-do = Révoquer la clé
keys-revoke-keep = Garder la clé

# Les dates et les durées.
log-when-at = { $day } { short-month }, { $time }
log-when-year = { $day } { short-month } { $year }
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

# Les filtres des journaux.
log-status = État
log-actions = Actions
log-from = Du
log-to = Au
log-no-day = Cette date n’existe pas.
log-show = Afficher
log-clear = Tout afficher
log-none-title = Aucun résultat
log-none-text = Rien ne correspond à ces filtres. Retirez un filtre ou choisissez une période plus ancienne.
log-looked-title = Aucun résultat pour l’instant
log-looked-text = La recherche n’est pas terminée : continuez avec « Plus anciens ».
