# Les mots des courriels en français.

somebody = quelqu’un
label-when = Quand :
label-who = Qui :
label-phone = Téléphone :
label-service = Prestation :
label-staff = Avec :
label-status = État :
label-url = Adresse :
label-happened = Noté :

status-pending = en attente de l’équipe
status-confirmed = confirmé
status-declined = refusé
status-cancelled = annulé
call-completed = terminé
call-missed = manqué
call-failed = échoué

title-webhook_disabled = Un webhook a été désactivé
title-urgent_message = Message urgent
title-message_taken = Message
title-appointment_requested = Un rendez-vous attend votre réponse
title-appointment_booked = Rendez-vous pris
title-appointment_rescheduled = Rendez-vous déplacé
title-appointment_cancelled = Rendez-vous annulé
title-call_missed = Appel manqué

subject-webhook_disabled = { $business } : un webhook a été désactivé
subject-urgent_message = { $business } : message urgent de { $who }
subject-message_taken = { $business } : message de { $who }
subject-appointment_requested = { $business } : { $who } demande { $when }
subject-appointment_booked = { $business } : { $who } a réservé { $when }
subject-appointment_rescheduled = { $business } : { $who }, déplacé à { $when }
subject-appointment_cancelled = { $business } : { $who }, { $when }, annulé
subject-call_missed = { $business } : appel manqué de { $who }

explain-webhook_disabled = Toutes les tentatives d’envoi d’un événement ont échoué, et rien n’est parvenu à l’adresse entre-temps. Plus aucun événement n’y est envoyé jusqu’à sa réactivation ; ce qui a été manqué peut être renvoyé.

open-webhook_disabled = Voir le webhook
open-urgent_message = Voir le message
open-message_taken = Voir le message
open-appointment_requested = Voir le rendez-vous
open-appointment_booked = Voir le rendez-vous
open-appointment_rescheduled = Voir le rendez-vous
open-appointment_cancelled = Voir le rendez-vous
open-call_missed = Voir l’appel

gathered-subject = { $business } : { $count ->
    [one] une alerte de plus
   *[other] { $count } alertes de plus
}
gathered-intro = Il y a eu beaucoup d’alertes en une heure ; ce courriel contient les suivantes.
daily-subject = { $business } : { $count ->
    [one] un événement
   *[other] { $count } événements
}
daily-intro = Voici ce qui s’est passé depuis hier.
and-more = { $count ->
    [one] Le tableau de bord en montre une de plus.
   *[other] Le tableau de bord en montre { $count } de plus.
}
open-alerts = Voir toutes les alertes

invitation-subject = { $business } vous invite
invitation-intro = { $business } vous invite à son tableau de bord. Choisissez un mot de passe pour commencer.
invitation-open = Choisir un mot de passe
offer-intro = { $business } vous invite à son tableau de bord. Connectez-vous avec votre mot de passe habituel pour accepter.
offer-open = Se connecter
reset-invited = { $business } vous invite à son tableau de bord. Votre compte n’est pas encore confirmé : choisissez un nouveau mot de passe pour commencer.
reset-subject = Choisissez un nouveau mot de passe
reset-intro = Un nouveau mot de passe a été demandé pour votre compte.
reset-open = Choisir un nouveau mot de passe
reset-ignore = Si vous ne l’avez pas demandé, ignorez ce courriel : votre mot de passe reste le même.
email_change-subject = Confirmez votre nouvelle adresse
email_change-intro = Cette adresse sera celle de votre compte dès que vous l’aurez confirmée.
email_change-open = Confirmer cette adresse
email_change-ignore = Si vous n’avez pas demandé ce changement, ignorez ce courriel.
email_changed-subject = Votre adresse a été changée
email_changed-intro = Votre compte a désormais une autre adresse. Si vous ne l’avez pas changée, demandez de l’aide à la personne qui gère le service.
link-expires = Le lien sert une seule fois, jusqu’au { $when }.

test-subject = Essai des réglages du courriel
test-intro = Ce courriel est arrivé : l’envoi fonctionne.

hello = Bonjour { $name },
hello-nobody = Bonjour,
zone = Les heures sont celles de { $zone }.
zone-utc = Les heures sont en UTC.
unsubscribe-kind = Ne plus recevoir de courriels de ce genre
unsubscribe-now = Ne plus recevoir de courriels pour chaque alerte
unsubscribe-daily = Ne plus recevoir de courriels quotidiens
