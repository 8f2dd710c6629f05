# Clés, webhooks, accès, notifications, e-mails et journal.

# Les accès, les notifications, les e-mails.
people-sub = Qui peut se connecter à { $business }, et avec quels droits
people-invite = Inviter quelqu’un
people-you = Vous
people-is-staff = équipe :
people-last-sign-in = dernière connexion :
people-pages = La liste continue.
people-role = Rôle
people-role-member = Agenda, messages, appels et contacts ; ses propres alertes et absences.
people-role-admin = Les mêmes droits, plus les réglages, les clés, les webhooks et les accès, sauf ceux des propriétaires.
people-role-owner = Tous les droits.
people-staff = Membre de l’équipe
people-staff-hint = La personne peut alors ne recevoir que les alertes qui la concernent.
people-none = Aucun
people-locale-hint = La personne peut la changer.
people-status-active = Actif
people-status-invited = Invité
people-status-disabled = Suspendu
people-invite-sub = La personne reçoit un e-mail qui explique comment se connecter. Le lien qu’il contient est valable 7 jours.
people-invite-sub-no-mail = Ce service n’envoie pas d’e-mail : vous obtenez un lien à transmettre, et la personne choisit elle-même son mot de passe.
people-invite-send = Envoyer l’invitation
people-invite-make = Inviter
people-done-invited = Invitation créée. Un e-mail qui explique comment se connecter est en route.
people-done-offered = Invitation créée. Cette adresse a déjà un compte ou une autre invitation : il n’y a donc pas de lien à transmettre. La personne se connecte comme d’habitude et accepte l’invitation. Si elle n’a pas encore de mot de passe, l’exploitant du service peut lui donner un lien.
people-done-removed = Accès retiré.
people-done-disabled = Accès suspendu. Toutes ses sessions ici ont pris fin.
people-done-enabled = Accès rétabli.
people-invited = Invitation créée
people-invited-sub = Transmettez ce lien à { $email }. Il ne sera plus affiché ensuite.
people-invited-link = Lien d’invitation
people-invited-until = Il fonctionne une seule fois, jusqu’au { $when }, et sert uniquement à choisir un mot de passe. Toute personne qui a ce lien peut se connecter : ne l’envoyez à personne d’autre. S’il est perdu, annulez l’invitation et invitez à nouveau la personne.
people-invited-done = J’ai noté le lien
people-waits = Pas encore acceptée. Si l’e-mail est perdu ou si le lien a expiré, « Mot de passe oublié » sur la page de connexion en envoie un autre.
people-waits-no-mail = Pas encore acceptée. Si le lien est perdu ou expiré, annulez l’invitation et invitez à nouveau la personne.
people-fixed = Seul un propriétaire peut modifier l’accès d’un propriétaire.
people-access = Accès
people-access-about = Suspendre ou retirer l’accès met fin immédiatement aux sessions de la personne ici. Un accès suspendu peut être rétabli ; un accès retiré demande une nouvelle invitation.
people-access-off = La personne ne peut pas se connecter ici. Rétablir son accès lui rend son rôle et ses réglages ; un accès retiré demande une nouvelle invitation.
people-invitation = Invitation
people-invitation-about = Une fois l’invitation annulée, son lien ne donne plus accès à cet établissement.
people-disable = Suspendre
people-disable-title = Suspendre l’accès pour { $who } ?
people-disable-happens = La personne ne peut plus se connecter ici, et toutes ses sessions dans cet établissement prennent fin immédiatement. Elle ne reçoit plus ni alertes ni e-mails de l’établissement.
people-disable-stays = Ce qu’elle a fait est conservé, ainsi que son rôle et ses réglages. Vous pouvez rétablir son accès à tout moment.
people-enable = Rétablir
people-enable-title = Rétablir l’accès pour { $who } ?
people-enable-happens = La personne peut de nouveau se connecter, avec le rôle et les réglages qu’elle avait. Si elle n’avait pas encore accepté son invitation, elle peut l’accepter maintenant.
people-enable-stays = Elle se connecte avec le mot de passe qu’elle avait.
people-remove = Retirer
people-remove-title = Retirer l’accès pour { $who } ?
people-remove-happens = La personne ne peut plus se connecter ici, toutes ses sessions dans cet établissement prennent fin immédiatement, et ses alertes et réglages de notification sont supprimés. Pour revenir, elle doit recevoir une nouvelle invitation.
people-remove-stays = Son compte et ses autres établissements sont conservés, ainsi que ce qu’elle a fait ici. Le membre de l’équipe et ses rendez-vous ne changent pas.
people-take-back = Annuler l’invitation
people-take-back-title = Annuler l’invitation pour { $who } ?
people-take-back-happens = L’invitation ne peut plus être acceptée. Les e-mails d’invitation en attente ne partent pas.
people-take-back-stays = Vous pouvez inviter cette personne à nouveau à tout moment.
notify-sub = Vos notifications pour { $business }.
notify-mails-go-to = E-mails envoyés à
notify-caption = Comment vous êtes averti de chaque type d’événement
notify-when = Événement
notify-email = E-mail
notify-here = Ici
notify-of-whom = Pour qui
notify-show = Afficher
notify-shown = affiché ici
notify-not-shown = pas affiché ici
notify-needs-somebody = À traiter
notify-good-to-know = Bon à savoir
notify-urgent_message = Un message urgent a été pris
notify-appointment_requested = Une réservation ou un déplacement a été demandé
notify-call_missed = Un appel a été manqué
notify-webhook_disabled = Un webhook a été désactivé
notify-webhook_failing = Les envois à un webhook ont échoué pendant une heure
notify-calendar_failed = Un agenda connecté n’a pas pu être lu
notify-calendar_event_changed = L’événement d’un rendez-vous a été supprimé ou déplacé dans un agenda
notify-message_taken = Un autre message a été pris
notify-appointment_booked = Un rendez-vous a été pris
notify-appointment_rescheduled = Un rendez-vous a été déplacé
notify-appointment_cancelled = Un rendez-vous a été annulé
notify-email-now = Immédiat
notify-email-daily = Quotidien
notify-email-off = Jamais
notify-scope-all = Toute l’équipe
notify-scope-mine = Moi
notify-rules = L’e-mail quotidien part à 08:00. Vous ne recevez pas d’alerte pour vos propres actions. Au-delà de 20 e-mails en une heure, les alertes suivantes sont regroupées dans un seul e-mail.
notify-no-staff = Votre accès n’est pas lié à un membre de l’équipe : vous recevez donc les alertes de toute l’équipe.
notify-no-mail = Ce service n’envoie pas d’e-mail : les alertes ne sont affichées que dans le tableau de bord. Vos choix pour les e-mails s’appliqueront dès que le service en enverra.
notify-test = M’envoyer un e-mail de test
notify-test-taken = { $count ->
    [one] Le relais a accepté l’e-mail de test en { $count } milliseconde. Sa réponse :
   *[other] Le relais a accepté l’e-mail de test en { $count } millisecondes. Sa réponse :
}
notify-test-refused = { $count ->
    [one] L’e-mail de test n’a pas été envoyé, après { $count } milliseconde :
   *[other] L’e-mail de test n’a pas été envoyé, après { $count } millisecondes :
}
notify-test-next = Le prochain pourra être envoyé à partir du { $when }.
mail-sub = Les e-mails envoyés aux personnes de l’établissement ces 30 derniers jours, les plus récents d’abord
mail-no-mail = Ce service n’envoie pas d’e-mail. Les e-mails affichés ici datent du temps où il en envoyait. L’exploitant du service peut configurer un relais.
mail-none = Aucun e-mail
mail-none-text = Les alertes, les e-mails quotidiens et les invitations apparaissent ici une fois envoyés.
mail-caption = E-mails, les plus récents d’abord
mail-what = Type
mail-to = À
mail-to-former-person = Une personne qui n’a plus accès
mail-when = Quand
mail-status = État
mail-attempts = { $count ->
    [0] aucune tentative
    [one] { $count } tentative
   *[other] { $count } tentatives
}
mail-actions = Actions
mail-next = Prochaine tentative :
mail-again = Renvoyer
mail-resent = Un nouvel e-mail identique est en cours d’envoi.
mail-pages = E-mails des 30 derniers jours
mail-invitation = Invitation
mail-kind-alert = Alerte
mail-kind-gathered = Alertes regroupées
mail-kind-notice = Notification à un { customer }
mail-kind-daily = E-mail quotidien
mail-kind-reset = Lien pour choisir un mot de passe
mail-kind-email_change = Lien de confirmation d’une nouvelle adresse
mail-kind-email_changed = Avis de changement d’adresse
mail-tells = { $count ->
    [one] { $count } événement
   *[other] { $count } événements
}
mail-status-pending = En attente
mail-status-sent = Envoyé
mail-status-failed = Échec
mail-status-dropped = Abandonné
