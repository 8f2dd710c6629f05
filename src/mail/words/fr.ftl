# Les textes des e-mails en français.

somebody = quelqu’un
label-when = Quand :
label-who = Qui :
label-phone = Téléphone :
label-service = Prestation :
label-staff = Avec :
label-status = État :
label-url = Adresse :
label-calendar = Agenda
label-happened = Date :
label-business = Où :
label-zone = Fuseau horaire :
label-email = E-mail :

status-pending = en attente de l’équipe
status-confirmed = confirmé
status-declined = refusé
status-cancelled = annulé
call-completed = terminé
call-missed = manqué
call-failed = interrompu

title-webhook_disabled = Un webhook a été désactivé
title-webhook_failing = Un webhook est en échec
title-calendar_failed = Un agenda ne peut pas être lu
title-calendar_event_changed = Un événement a été modifié dans un agenda
title-urgent_message = Message urgent
title-message_taken = Message
title-appointment_requested = Un rendez-vous attend votre réponse
title-appointment_booked = Rendez-vous pris
title-appointment_rescheduled = Rendez-vous déplacé
title-appointment_cancelled = Rendez-vous annulé
title-call_missed = Appel manqué

subject-webhook_disabled = { $business } : un webhook a été désactivé
subject-webhook_failing = { $business } : un webhook est en échec
subject-calendar_failed = { $business } : un agenda ne peut pas être lu
subject-calendar_event_changed = { $business } : { $who }, { $when }, modifié dans un agenda
subject-urgent_message = { $business } : message urgent, { $who }
subject-message_taken = { $business } : message, { $who }
subject-appointment_requested = { $business } : { $who } demande un rendez-vous { $when }
subject-appointment_booked = { $business } : { $who } a réservé { $when }
subject-appointment_rescheduled = { $business } : rendez-vous déplacé, { $who }, { $when }
subject-appointment_cancelled = { $business } : rendez-vous annulé, { $who }, { $when }
subject-call_missed = { $business } : appel manqué, { $who }

explain-webhook_disabled = Toutes les tentatives d’envoi d’un événement ont échoué, et aucun autre événement n’a été accepté pendant ce temps. Le webhook ne reçoit plus d’événements jusqu’à sa réactivation. Vous pourrez alors renvoyer les événements manqués.
explain-webhook_failing = Les envois échouent depuis au moins une heure, et aucun n’a été accepté pendant ce temps. Ils sont réessayés. Si toutes les tentatives pour un événement échouent, le webhook est désactivé.
explain-calendar_failed = Un agenda connecté n’a pas pu être lu. Les réservations tiennent encore compte de la dernière lecture. Vérifiez le mot de passe et l’adresse de l’agenda.
explain-calendar_event_changed = L’événement de ce rendez-vous a été supprimé ou déplacé dans un agenda connecté. Le rendez-vous lui-même est inchangé. Ouvrez-le pour l’annuler, le déplacer ou inscrire de nouveau l’événement.

open-webhook_disabled = Voir le webhook
open-webhook_failing = Voir le webhook
open-calendar_failed = Voir l’agenda
open-calendar_event_changed = Voir le rendez-vous
open-urgent_message = Voir le message
open-message_taken = Voir le message
open-appointment_requested = Voir le rendez-vous
open-appointment_booked = Voir le rendez-vous
open-appointment_rescheduled = Voir le rendez-vous
open-appointment_cancelled = Voir le rendez-vous
open-call_missed = Voir l’appel

gathered-subject = { $business } : { $count ->
    [one] une alerte de plus
   *[other] { $count } alertes de plus
}
gathered-intro = Il y a eu beaucoup d’alertes en une heure ; cet e-mail regroupe les suivantes.
daily-subject = { $business } : { $count ->
    [one] un événement
   *[other] { $count } événements
}
daily-intro = Voici ce qui s’est passé depuis hier.
and-more = { $count ->
    [one] Le tableau de bord affiche une alerte de plus.
   *[other] Le tableau de bord affiche { $count } alertes de plus.
}
open-alerts = Voir toutes les alertes

invitation-subject = { $business } vous invite
invitation-intro = { $business } vous invite à son tableau de bord. Choisissez un mot de passe pour commencer.
invitation-open = Choisir un mot de passe
invited-as-owner = Votre rôle : propriétaire.
invited-as-admin = Votre rôle : administration.
invited-as-member = Votre rôle : membre de l’équipe.
invited-by = Invitation envoyée par { $name }.
offer-intro = { $business } vous invite à son tableau de bord. Connectez-vous avec votre mot de passe habituel pour accepter.
offer-open = Se connecter
reset-invited = { $business } vous invite à son tableau de bord. Votre compte n’est pas encore confirmé : choisissez un nouveau mot de passe pour commencer.
reset-subject = Choisissez un nouveau mot de passe
reset-intro = Un nouveau mot de passe a été demandé pour votre compte.
reset-open = Choisir un nouveau mot de passe
reset-ignore = Si vous n’avez pas fait cette demande, ignorez cet e-mail : votre mot de passe ne change pas.
email_change-subject = Confirmez votre nouvelle adresse e-mail
email_change-intro = Confirmez cette adresse pour en faire l’adresse e-mail de votre compte.
email_change-open = Confirmer cette adresse
email_change-ignore = Si vous n’avez pas demandé ce changement, ignorez cet e-mail.
email_changed-subject = Votre adresse e-mail a été changée
email_changed-intro = Votre compte a désormais une autre adresse e-mail. Si vous ne l’avez pas changée vous-même, demandez de l’aide à l’exploitant du service.
link-expires = Le lien fonctionne une seule fois et expire le { $when }.

code-subject = { $business } : votre code est { $code }
code-intro = { $business } : votre code est { $code }. Donnez-le à l’accueil.
code-valid = Le code est valable 10 minutes, dans la conversation où il a été demandé.
code-ignore = Si vous n’avez pas fait cette demande, ignorez cet e-mail. Sans le code, vos rendez-vous ne sont ni montrés ni modifiés.

notice-subject-requested = Demandé : { $service }, { $when }
notice-subject-confirmed = Réservé : { $service }, { $when }
notice-subject-moved = Déplacé : { $service }, { $when }
notice-subject-cancelled = Annulé : { $service }, { $when }
notice-subject-declined = Refusé : { $service }, { $when }
notice-subject-reminder = Rappel : { $service }, { $when }
notice-heading-requested = Votre rendez-vous est demandé
notice-heading-confirmed = Votre rendez-vous est réservé
notice-heading-moved = Votre rendez-vous a été déplacé
notice-heading-cancelled = Votre rendez-vous a été annulé
notice-heading-declined = Votre demande a été refusée
notice-heading-reminder = Votre rendez-vous approche
notice-intro-requested = { $business } a reçu votre demande et va l’accepter ou la refuser.
notice-intro-confirmed = { $business } vous attend à cette heure.
notice-intro-moved = { $business } vous attend désormais à cette heure.
notice-intro-cancelled = Ce rendez-vous chez { $business } n’a pas lieu.
notice-intro-declined = { $business } ne peut pas proposer ce rendez-vous.
notice-intro-reminder = { $business } vous attend à cette heure.
notice-manage = Afficher le rendez-vous
notice-stop = Ne plus recevoir d’e-mails de l’établissement { $business }

test-subject = Test des réglages d’e-mail
test-intro = Cet e-mail est arrivé : les réglages d’e-mail fonctionnent.

hello = Bonjour { $name },
hello-unnamed = Bonjour,
zone = Les heures sont celles du fuseau horaire { $zone }.
zone-utc = Les heures sont en UTC.
unsubscribe-kind = Ne plus recevoir d’e-mails de ce type
unsubscribe-now = Ne plus recevoir un e-mail par alerte
unsubscribe-daily = Ne plus recevoir l’e-mail quotidien
