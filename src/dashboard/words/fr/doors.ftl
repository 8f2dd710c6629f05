# Les textes des pages du tableau de bord en français.

# Le cadre.
skip = Aller au contenu
menu = Menu
all-pages = Toutes les pages
main-pages = Principal
switch = – changer d’établissement
your-account-aside = – votre compte
sign-out = Se déconnecter
today = Aujourd’hui
role-owner = Propriétaire
role-admin = Administrateur
role-member = Membre
suspended = Cet établissement est suspendu : vous pouvez tout consulter, mais rien modifier. L’exploitant du service peut vous en dire plus.

# La connexion.
sign-in = Se connecter
sign-in-kept = Connectez-vous à nouveau pour continuer : votre saisie est conservée.
email = Adresse e-mail
password = Mot de passe
required = Ce champ est obligatoire.
sign-in-wrong = Adresse e-mail ou mot de passe incorrect.
sign-in-wrong-hint = Réessayez, ou demandez un lien pour choisir un nouveau mot de passe.
other-language = en
other-language-name = English
back-to-sign-in = Retour à la connexion
not-an-email = Ce n’est pas une adresse e-mail, comme nom@example.com.

# Un mot de passe oublié.
forgotten = Mot de passe oublié
forgotten-text = Indiquez votre adresse e-mail. Si elle correspond à un compte, vous recevez un lien pour choisir un nouveau mot de passe, valable une heure.
forgotten-send = Envoyer le lien
forgotten-sent = Consultez votre boîte de réception
forgotten-sent-text = Si cette adresse correspond à un compte, un e-mail avec un lien est en route. Le lien fonctionne une seule fois, pendant une heure.
forgotten-sent-hint = Rien après quelques minutes ? Regardez dans les courriers indésirables, ou demandez au propriétaire de votre établissement.
forgotten-no-mail = Ce service n’envoie pas d’e-mail. L’exploitant du service peut vous donner un lien pour choisir un nouveau mot de passe.

# Les liens.
go-on = Continuer
enter-invitation-title = Bienvenue chez { $business }
enter-invitation-owner = Vous êtes invité en tant que propriétaire. À l’étape suivante, vous choisissez un mot de passe pour { $email }.
enter-invitation-admin = Vous êtes invité en tant qu’administrateur. À l’étape suivante, vous choisissez un mot de passe pour { $email }.
enter-invitation-member = Vous êtes invité en tant que membre. À l’étape suivante, vous choisissez un mot de passe pour { $email }.
enter-account-title = Votre compte
enter-account-text = À l’étape suivante, vous choisissez un mot de passe pour { $email }.
enter-reset-title = Nouveau mot de passe
enter-reset-text = À l’étape suivante, vous choisissez un nouveau mot de passe pour { $email }.
enter-enter-title = Se connecter
enter-enter-text = Ce lien vous connecte en tant que { $email }.
enter-email-title = Nouvelle adresse e-mail
enter-email-text = Si vous continuez, vous vous connecterez avec { $email }.
enter-until-days = Ce lien fonctionne une seule fois, pendant sept jours. S’il ne vous est pas destiné, fermez cette page : rien n’a encore été fait.
enter-until-hour = Ce lien fonctionne une seule fois, pendant une heure. S’il ne vous est pas destiné, fermez cette page : rien n’a encore été fait.
enter-until-minutes = Ce lien fonctionne une seule fois, pendant dix minutes. S’il ne vous est pas destiné, fermez cette page : rien n’a encore été fait.

# Le choix d’un mot de passe.
choose-password = Choisir un mot de passe
choose-password-text = Pour { $email }. Quatre mots sans rapport entre eux sont faciles à retenir et difficiles à deviner.
current-password = Votre mot de passe actuel
password-first-hint = Vous l’avez saisi il y a plus de 15 minutes.
password-needs-link = Vous n’avez pas encore de mot de passe, et vous avez ouvert votre lien il y a plus de 15 minutes. Demandez un nouveau lien pour en choisir un.
new-password = Nouveau mot de passe
new-password-hint = De 12 à 256 caractères de toute sorte.
password-again = Confirmez le mot de passe
password-differs = Les deux mots de passe sont différents.
keep-password = Enregistrer le mot de passe
keep-password-hint = L’enregistrement met fin à toutes vos autres sessions.
leave-it = Ne rien changer
not-now = Pas maintenant
password-set = Votre mot de passe est changé. Toutes vos autres sessions ont pris fin.

# La liste des établissements.
your-businesses = Vos établissements
hello = Bonjour, { $name }
hello-unnamed = Bonjour
offer = { $business } vous invite
offer-text = En tant que : { $role }
accept = Accepter
decline = Refuser
no-business = Vous n’appartenez à aucun établissement
no-business-text = Vous êtes connecté en tant que { $email }, mais cette adresse n’a actuellement accès à aucun établissement. Demandez une invitation au propriétaire de l’établissement ; elle apparaîtra ici.

# Le compte.
your-account = Votre compte
your-account-sub = Ces réglages s’appliquent à tous vos établissements.
you = Vous
you-about = Les autres personnes de votre établissement voient votre nom.
name = Nom
language = Langue
look = Apparence
clock = Heures
clock-auto = Selon l’usage du pays de l’établissement
clock-12 = Sur 12 heures (2:30 pm)
clock-24 = Sur 24 heures (14:30)
week-start = Premier jour de la semaine
week-start-auto = Selon l’usage du pays de l’établissement
week-start-monday = Lundi
week-start-sunday = Dimanche
week-start-saturday = Samedi
look-device = Selon mon appareil
look-light = Clair
look-dark = Sombre
save = Enregistrer
saved = Enregistré.
email-about = Vous vous connectez avec cette adresse et y recevez les alertes. Une nouvelle adresse est prise en compte quand vous ouvrez le lien que nous y envoyons.
email-about-no-mail = Vous vous connectez avec cette adresse. Une nouvelle adresse est prise en compte immédiatement.
change-email = Changer d’adresse e-mail
email-same = C’est déjà votre adresse.
email-taken = Un autre compte utilise déjà cette adresse.
email-changed = Votre adresse e-mail est changée. Utilisez-la désormais pour vous connecter.
email-sent = Un lien est en route vers la nouvelle adresse. Ouvrez-le dans l’heure pour la confirmer.
password-about = Un nouveau mot de passe met fin à toutes vos autres sessions.
choose-new-password = Choisir un nouveau mot de passe
kept-signed-out = Vous étiez déconnecté au moment de l’envoi : rien n’a été modifié. Vérifiez le formulaire et envoyez-le à nouveau.
kept-stale = Ce formulaire est resté ouvert trop longtemps et n’a pas été envoyé. Vérifiez-le et envoyez-le à nouveau.
kept-suspended = L’établissement a été suspendu avant votre envoi : rien n’est enregistré. Votre saisie figure ci-dessous pour que vous puissiez la copier.
kept-beside = Votre autre modification est enregistrée. La modification faite ici est conservée, mais n’est pas encore enregistrée.

# Les sessions.
your-sessions = Vos sessions
sessions = Sessions
sessions-sub = Les appareils où vous êtes connecté. Une session prend fin après 7 jours sans utilisation, et au plus tard après 30 jours. Les heures sont celles du fuseau horaire { $zone }.
sessions-ended = Session fermée.
this-session = Celle-ci
session-own = Depuis { $address } · ouverte { $since }
session-other = Depuis { $address } · utilisée { $used } · ouverte { $since }
browser-on = { $browser } sur { $system }
browser-unknown = Navigateur inconnu
end-session = Fermer
end-others = Fermer toutes les autres

# Le désabonnement.
unsubscribe = Se désabonner
unsubscribe-text = Ce service doit-il cesser d’envoyer à { $email } des e-mails sur le sujet suivant ?
unsubscribe-do = Arrêter ces e-mails
unsubscribe-hint = Les alertes restent affichées dans le tableau de bord.
unsubscribed = C’est fait
unsubscribed-text = Vous ne recevrez plus d’e-mails à ce sujet, sauf un e-mail déjà en attente.
alert-webhook_disabled = Webhooks désactivés
alert-webhook_failing = Webhooks en échec
alert-calendar_failed = Agendas qui ne peuvent pas être lus
alert-calendar_event_changed = Événements modifiés dans les agendas
alert-urgent_message = Messages urgents
alert-message_taken = Messages
alert-appointment_requested = Rendez-vous en attente de réponse
alert-appointment_booked = Rendez-vous pris
alert-appointment_rescheduled = Rendez-vous déplacés
alert-appointment_cancelled = Rendez-vous annulés
alert-call_missed = Appels manqués
alert-every-now = Tous les e-mails immédiats
alert-every-daily = L’e-mail quotidien

# Les alertes.
alerts = Alertes
new = à lire
alerts-sub = { $count ->
    [0] Rien de nouveau
    [one] Une nouvelle
   *[other] { $count } nouvelles
}
alerts-no-mail = Ce service n’envoie pas d’e-mail : les alertes ne sont affichées qu’ici.
alerts-none = Aucune alerte pour l’instant
alerts-none-text = Vos alertes apparaissent ici : demandes, messages, appels manqués.
read-all = Tout marquer comme lu
read-one = Marquer comme lu : { $what }
older = Plus anciennes
more-pages = Pages de cette liste
alert-about-webhook_disabled = Un webhook a été désactivé
alert-about-webhook_failing = Un webhook est en échec
alert-about-calendar_failed = Un agenda ne peut pas être lu
alert-about-calendar_event_changed = Événement modifié dans un agenda
alert-about-urgent_message = Message urgent
alert-about-message_taken = Message
alert-about-appointment_requested = Un rendez-vous attend une réponse
alert-about-appointment_booked = Rendez-vous pris
alert-about-appointment_rescheduled = Rendez-vous déplacé
alert-about-appointment_cancelled = Rendez-vous annulé
alert-about-call_missed = Appel manqué
alert-about-appointment = { $when } · { $who } · { $service } avec { $staff }
alert-about-gone = L’élément concerné n’existe plus.

# Les pages d’erreur.
go-to-dashboard = Aller au tableau de bord
ask-for-another = En demander un nouveau
reference = Référence { $id }
cross-site = Rien n’a été modifié : le formulaire provenait d’un autre site.
foreign-host = Le tableau de bord n’est pas à cette adresse. L’exploitant du service la définit avec { $setting }.
no-public-url = Le tableau de bord n’est pas encore accessible : son adresse n’est pas définie. L’exploitant du service la définit avec { $setting }.
sent-before = Ce formulaire a déjà été envoyé. Rien n’a été fait une seconde fois.
error-403-title = Accès refusé
error-403-text = Votre rôle ne le permet pas. Rien n’a été modifié.
error-404-title = Introuvable
error-404-text = Cette page n’existe pas, a été supprimée, ou vous n’y avez pas accès.
error-409-title = Les données ont changé entre-temps
error-409-text = Votre demande n’est plus compatible avec les données actuelles. Rien n’a été modifié.
error-410-title = Ce lien ne fonctionne plus
error-410-text = Il a déjà servi, il a expiré, ou un lien plus récent l’a remplacé.
error-413-title = Trop long
error-413-text = Votre envoi dépasse la taille autorisée. Rien n’a été modifié.
error-422-title = Demande illisible
error-422-text = Cette page n’accepte pas ce qui a été envoyé. Rien n’a été modifié.
error-429-title = Trop de tentatives
error-429-text = { $count ->
    [one] Il y a eu trop de tentatives depuis cette adresse. Attendez une minute, puis réessayez ; votre compte n’est pas bloqué.
   *[other] Il y a eu trop de tentatives depuis cette adresse. Attendez { $count } minutes, puis réessayez ; votre compte n’est pas bloqué.
}
error-500-title = Une erreur s’est produite
error-500-text = L’erreur vient du service, et nous l’avons enregistrée.
error-503-title = Un instant, s’il vous plaît
error-503-text = Le service est très sollicité. Rien n’a été modifié : revenez en arrière, attendez quelques secondes et envoyez à nouveau.
