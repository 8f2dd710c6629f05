# Clés, webhooks, accès, notifications, courriels et journal.

# People, notifications, mail.
people-sub = Qui peut se connecter à { $business }, et pour y faire quoi
people-invite = Inviter quelqu’un
people-you = Vous
people-is-staff = dans l’équipe :
people-last-sign-in = dernière connexion :
people-pages = La liste continue.
people-role = Rôle
people-role-member = Agenda, messages, appels et contacts ; ses propres alertes et absences.
people-role-admin = Tout cela, ainsi que les réglages, les clés, les webhooks et les accès, mais aucun propriétaire.
people-role-owner = Tout.
people-staff = Dans l’équipe
people-staff-hint = Pour n’avoir que ses propres alertes.
people-nobody = Personne
people-locale-hint = La personne peut en changer.
people-status-active = Actif
people-status-invited = Invité
people-status-disabled = Suspendu
people-invite-sub = La personne reçoit un courriel qui dit comment entrer. Le lien qu’il contient est valable 7 jours.
people-invite-sub-no-mail = Ce service n’envoie pas de courriel : un lien à transmettre vous est montré, et la personne choisit son propre mot de passe.
people-invite-send = Envoyer l’invitation
people-invite-make = Inviter
people-done-invited = Invitation faite. Un courriel qui dit comment entrer est en route.
people-done-offered = Invitation faite. Cette adresse a déjà un compte, ou est invitée ailleurs : il n’y a donc pas de lien à transmettre. La personne se connecte comme toujours et accepte. Si elle n’a pas encore de mot de passe, la personne qui gère le service lui donne un lien.
people-done-removed = Accès retiré. Plus personne n’entre par là.
people-done-disabled = Accès suspendu. Toutes ses sessions ici ont pris fin.
people-done-enabled = Accès rétabli.
people-invited = Invitation faite
people-invited-sub = Transmettez ce lien à { $email }. Il n’est montré que maintenant.
people-invited-link = Lien d’invitation
people-invited-until = Il sert une fois, jusqu’au { $when } : il permet de choisir un mot de passe, et rien d’autre. Qui le détient peut entrer : ne l’envoyez à personne d’autre. S’il est perdu, ce n’est pas grave : reprenez l’invitation et invitez à nouveau.
people-invited-done = Je l’ai gardé
people-waits = Pas encore acceptée. Si le courriel est perdu ou son lien trop ancien, « Mot de passe oublié », sur la page de connexion, en envoie un autre.
people-waits-no-mail = Pas encore acceptée. Si le lien est perdu ou trop ancien, reprenez l’invitation et invitez à nouveau.
people-fixed = Seul un propriétaire peut modifier un propriétaire.
people-access = Accès
people-access-about = L’un et l’autre mettent aussitôt fin à ses sessions ici. Suspendue, la personne peut être réadmise ; retirée, elle doit être invitée.
people-access-off = La personne n’entre pas. Rétablie, elle entre comme avant ; retirée, elle doit être invitée.
people-invitation = Invitation
people-invitation-about = Une fois reprise, son lien ne mène plus ici.
people-disable = Suspendre
people-disable-title = Suspendre l’accès de { $who } ?
people-disable-happens = La personne n’entre plus, et toutes ses sessions dans cet établissement prennent fin aussitôt. Elle ne reçoit plus ni alertes ni courriels à son sujet.
people-disable-stays = Ce qu’elle a fait reste, tout comme son rôle et ses réglages. Vous pouvez rétablir son accès à tout moment.
people-enable = Rétablir
people-enable-title = Rétablir l’accès de { $who } ?
people-enable-happens = La personne entre à nouveau, avec le rôle et les réglages qu’elle avait. Une invitation qui n’était pas acceptée peut l’être à nouveau.
people-enable-stays = Elle se connecte avec le mot de passe qu’elle avait.
people-remove = Retirer
people-remove-title = Retirer l’accès de { $who } ?
people-remove-happens = La personne n’entre plus, toutes ses sessions dans cet établissement prennent fin aussitôt, et ses alertes et réglages de notification ici disparaissent. Pour revenir, elle doit être invitée à nouveau.
people-remove-stays = Son compte et ses autres établissements restent, tout comme ce qu’elle a fait ici. Le membre de l’équipe et ses rendez-vous restent tels quels.
people-take-back = Reprendre l’invitation
people-take-back-title = Reprendre l’invitation de { $who } ?
people-take-back-happens = Elle ne peut plus être acceptée. Les courriels en attente à ce sujet ne partent pas.
people-take-back-stays = Vous pouvez inviter cette personne à nouveau à tout moment.
notify-sub = Ce dont vous êtes averti pour { $business }.
notify-mails-go-to = Les courriels vont à
notify-caption = Comment vous êtes averti de chaque sorte d’événement
notify-when = Quand
notify-email = Courriel
notify-here = Ici
notify-of-whom = De qui
notify-show = Afficher
notify-shown = affiché ici
notify-not-shown = pas affiché ici
notify-needs-somebody = À traiter
notify-good-to-know = Bon à savoir
notify-urgent_message = Un message urgent a été laissé
notify-appointment_requested = Un rendez-vous attend une réponse
notify-call_missed = Un appel a été manqué
notify-webhook_disabled = Un webhook a été désactivé
notify-message_taken = Un autre message a été laissé
notify-appointment_booked = Un rendez-vous est pris
notify-appointment_rescheduled = Un rendez-vous est déplacé
notify-appointment_cancelled = Un rendez-vous est annulé
notify-email-now = Aussitôt
notify-email-daily = Chaque jour
notify-email-off = Jamais
notify-scope-all = Tous
notify-scope-mine = Les miens
notify-rules = Les courriels quotidiens partent à 08:00. Vous n’êtes jamais averti de ce que vous avez fait vous-même. Au-delà de 20 courriels en une heure, le reste est réuni en un seul.
notify-no-staff = Vous ne faites pas partie de l’équipe ici : rien n’est donc distingué comme étant le vôtre.
notify-no-mail = Ce service n’envoie pas de courriel : les alertes ne sont affichées que dans le tableau de bord. Ce que vous choisissez pour les courriels comptera dès qu’il en enverra.
notify-test = M’envoyer un courriel d’essai
notify-test-taken = { $count ->
    [one] Le relais a pris le courriel d’essai en { $count } milliseconde. Sa réponse :
   *[other] Le relais a pris le courriel d’essai en { $count } millisecondes. Sa réponse :
}
notify-test-refused = { $count ->
    [one] Le courriel d’essai n’est pas parti, après { $count } milliseconde :
   *[other] Le courriel d’essai n’est pas parti, après { $count } millisecondes :
}
notify-test-next = Le prochain pourra partir à compter du { $when }.
mail-sub = Ce qui a été envoyé aux personnes de l’établissement ces 30 derniers jours, le plus récent d’abord
mail-no-mail = Ce service n’envoie pas de courriel. Ce qui est montré ici a été envoyé tant qu’il en envoyait ; la personne qui le gère peut lui donner un relais.
mail-none = Aucun courriel
mail-none-text = Les alertes, les courriels quotidiens et les invitations apparaissent ici une fois envoyés.
mail-caption = Courriels, les plus récents d’abord
mail-what = Quoi
mail-to = À
mail-to-nobody = Quelqu’un qui n’en fait plus partie
mail-when = Quand
mail-status = État
mail-attempts = { $count ->
    [0] aucun essai encore
    [one] { $count } essai
   *[other] { $count } essais
}
mail-actions = Actions
mail-next = Prochain essai :
mail-again = Renvoyer
mail-resent = Il est renvoyé, comme un nouveau courriel.
mail-pages = Courriels des 30 derniers jours
mail-invitation = Invitation
mail-kind-alert = Alerte
mail-kind-gathered = Plusieurs alertes en une
mail-kind-daily = Courriel quotidien
mail-kind-reset = Lien pour choisir un mot de passe
mail-kind-email_change = Lien pour une nouvelle adresse
mail-kind-email_changed = Changement d’adresse annoncé
mail-tells = { $count ->
    [one] Annonce une chose
   *[other] Annonce { $count } choses
}
mail-status-pending = En attente
mail-status-sent = Envoyé
mail-status-failed = Échoué
