# Les mots des pages du tableau de bord en français.

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
suspended = Cet établissement est suspendu : tout peut être consulté, rien ne peut être modifié. La personne qui gère le service peut vous en dire plus.

# La connexion.
sign-in = Se connecter
sign-in-kept = Connectez-vous à nouveau pour continuer : ce que vous avez saisi est conservé.
email = Adresse e-mail
password = Mot de passe
required = Ce champ est nécessaire.
sign-in-wrong = Cette adresse et ce mot de passe ne vont pas ensemble.
sign-in-wrong-hint = Réessayez, ou demandez un lien pour choisir un nouveau mot de passe.
other-language = en
other-language-name = English
back-to-sign-in = Retour à la connexion
not-an-email = Ce n’est pas une adresse e-mail, comme nom@example.com.

# Un mot de passe oublié.
forgotten = Mot de passe oublié
forgotten-text = Indiquez votre adresse. Si un compte lui correspond, un lien pour choisir un nouveau mot de passe part aussitôt ; il est valable une heure.
forgotten-send = Envoyer le lien
forgotten-sent = Regardez votre boîte aux lettres
forgotten-sent-text = Si un compte correspond à cette adresse, un courriel avec un lien est en route. Le lien sert une fois, pendant une heure.
forgotten-sent-hint = Toujours rien après quelques minutes ? Regardez parmi les indésirables, ou demandez au propriétaire de votre établissement.
forgotten-no-mail = Ce service n’envoie pas de courriel. La personne qui le gère peut vous donner un lien pour choisir un nouveau mot de passe.

# Les liens.
go-on = Continuer
enter-invitation-title = Bienvenue chez { $business }
enter-invitation-owner = Vous êtes invité comme propriétaire. Choisissez ensuite un mot de passe pour { $email }.
enter-invitation-admin = Vous êtes invité comme administrateur. Choisissez ensuite un mot de passe pour { $email }.
enter-invitation-member = Vous êtes invité comme membre. Choisissez ensuite un mot de passe pour { $email }.
enter-account-title = Votre compte
enter-account-text = Choisissez ensuite un mot de passe pour { $email }.
enter-reset-title = Un nouveau mot de passe
enter-reset-text = Choisissez ensuite un nouveau mot de passe pour { $email }.
enter-enter-title = Se connecter
enter-enter-text = Ce lien vous connecte en tant que { $email }.
enter-email-title = Votre nouvelle adresse
enter-email-text = Désormais, { $email } est l’adresse avec laquelle vous vous connectez.
enter-until-days = Ce lien sert une fois, pendant sept jours. Il ne vous est pas destiné ? Fermez cette page ; rien n’a encore eu lieu.
enter-until-hour = Ce lien sert une fois, pendant une heure. Il ne vous est pas destiné ? Fermez cette page ; rien n’a encore eu lieu.
enter-until-minutes = Ce lien sert une fois, pendant dix minutes. Il ne vous est pas destiné ? Fermez cette page ; rien n’a encore eu lieu.

# Le choix d’un mot de passe.
choose-password = Choisir un mot de passe
choose-password-text = Pour { $email }. Quatre mots sans rapport entre eux se retiennent bien et se devinent mal.
current-password = Votre mot de passe actuel
password-first = Votre mot de passe est nécessaire ici.
password-first-hint = Vous l’avez donné il y a plus de 15 minutes.
password-needs-link = Vous n’avez pas encore de mot de passe, et avez utilisé votre lien il y a plus de 15 minutes. Un nouveau lien permet d’en choisir un.
password-wrong = Ce n’est pas votre mot de passe.
new-password = Nouveau mot de passe
new-password-hint = De 12 à 256 caractères, quels qu’ils soient.
password-again = Le même encore une fois
password-differs = Ce n’est pas le même qu’au-dessus.
keep-password = Garder ce mot de passe
keep-password-hint = Toutes vos autres sessions prennent fin alors.
leave-it = Ne rien changer
not-now = Pas maintenant
password-set = Vous avez un nouveau mot de passe. Toutes vos autres sessions ont pris fin.

# L’arrivée.
your-businesses = Vos établissements
hello = Bonjour, { $name }
hello-nobody = Bonjour
offer = { $business } vous invite
offer-text = En tant que : { $role }
accept = Accepter
decline = Décliner
no-business = Vous n’appartenez à aucun établissement
no-business-text = Vous êtes connecté en tant que { $email }, et aucun établissement ne vous compte parmi les siens pour le moment. Demandez à son propriétaire de vous inviter ; l’invitation apparaîtra ici.

# Le compte.
your-account = Votre compte
your-account-sub = Le même dans tous vos établissements
you = Vous
you-about = Les autres personnes de votre établissement voient votre nom.
name = Nom
language = Langue
look = Apparence
look-device = Comme mon appareil
look-light = Claire
look-dark = Sombre
save = Enregistrer
saved = Enregistré.
email-about = Vous vous connectez avec elle, et les alertes y arrivent. Une nouvelle adresse compte dès que vous avez utilisé le lien que nous y envoyons.
email-about-no-mail = Vous vous connectez avec elle. Une nouvelle adresse compte aussitôt.
change-email = Changer d’adresse
email-same = C’est déjà votre adresse.
email-taken = Un autre compte a cette adresse.
email-changed = Votre adresse est changée. Connectez-vous désormais avec elle.
email-sent = Un lien est en route vers la nouvelle adresse. Elle compte dès que vous l’avez utilisé, dans l’heure.
password-about = Un nouveau met fin à toutes vos autres sessions.
choose-new-password = Choisir un nouveau mot de passe
kept-signed-out = Vous étiez déconnecté au moment de l’envoi : rien n’a été modifié. Vérifiez et envoyez à nouveau.
kept-stale = Ce formulaire est resté ouvert si longtemps qu’il n’a pas été envoyé. Vérifiez et envoyez à nouveau.
kept-suspended = L’établissement a été suspendu avant votre envoi : rien n’est enregistré. Ce que vous avez saisi figure ci-dessous, pour que vous puissiez le copier.
kept-beside = Votre autre modification est enregistrée. Ce que vous avez modifié ici est conservé, mais pas encore enregistré.

# Les sessions.
your-sessions = Vos sessions
sessions = Sessions
sessions-sub = Là où vous êtes connecté. Une session prend fin après 7 jours sans usage, et après 30 en tout. Les heures sont celles de { $zone }.
sessions-ended = Terminé.
this-session = Celle-ci
session-own = Depuis { $address } · ouverte { $since }
session-other = Depuis { $address } · utilisée { $used } · ouverte { $since }
browser-on = { $browser } sur { $system }
browser-unknown = Un navigateur qui ne dit pas son nom
end-session = Terminer
end-others = Terminer toutes les autres

# Moins de courriels.
unsubscribe = Moins de courriels
unsubscribe-text = Ne plus écrire à { $email } à ce sujet ?
unsubscribe-do = Arrêter ces courriels
unsubscribe-hint = Le tableau de bord continue de l’afficher.
unsubscribed = C’est fait
unsubscribed-text = Plus de courriels à ce sujet. Ce qui est déjà en attente peut encore arriver.
alert-webhook_disabled = Un webhook a été désactivé
alert-urgent_message = Messages urgents
alert-message_taken = Messages
alert-appointment_requested = Rendez-vous en attente de réponse
alert-appointment_booked = Rendez-vous pris
alert-appointment_rescheduled = Rendez-vous déplacés
alert-appointment_cancelled = Rendez-vous annulés
alert-call_missed = Appels manqués
alert-every-now = Tout ce qui est envoyé aussitôt
alert-every-daily = Le courriel de chaque matin

# Les alertes.
alerts = Alertes
new = à lire
alerts-sub = { $count ->
    [0] Rien de nouveau
    [one] Une nouvelle
   *[other] { $count } nouvelles
}
alerts-no-mail = Ce service n’envoie pas de courriel : les alertes ne sont affichées qu’ici.
alerts-none = Pas encore d’alerte
alerts-none-text = Ce dont vous êtes averti apparaît ici : demandes, messages, appels manqués.
read-all = Tout marquer comme lu
read-one = Marquer comme lu : { $what }
older = Plus anciennes
more-pages = Pages de cette liste
told-webhook_disabled = Un webhook a été désactivé
told-urgent_message = Message urgent
told-message_taken = Message
told-appointment_requested = Un rendez-vous attend une réponse
told-appointment_booked = Rendez-vous pris
told-appointment_rescheduled = Rendez-vous déplacé
told-appointment_cancelled = Rendez-vous annulé
told-call_missed = Appel manqué
told-appointment = { $when } · { $who } · { $service } avec { $staff }
told-gone = Ce que cela annonçait n’est plus là.

# Ce qui n’est pas allé.
go-to-dashboard = Aller au tableau de bord
ask-for-another = En demander un nouveau
reference = Référence { $id }
cross-site = Rien n’a été fait : le formulaire venait d’un autre site. Rien n’a été modifié.
foreign-host = Le tableau de bord n’est pas à cette adresse. La personne qui gère le service indique où il est avec { $setting }.
no-public-url = Le tableau de bord n’est pas encore ouvert : personne n’a dit à quelle adresse on le trouve. La personne qui gère le service l’indique avec { $setting }.
sent-before = Ce formulaire a déjà été envoyé. Rien n’a été refait.
error-403-title = Pas autorisé
error-403-text = Votre rôle ne va pas jusque-là. Rien n’a été modifié.
error-404-title = Introuvable
error-404-text = Cette page n’existe pas, ou n’est pas pour vous. Elle peut aussi avoir été effacée.
error-409-title = Quelque chose s’est passé entre-temps
error-409-text = Cela ne va pas avec ce qui est là désormais. Rien n’a été modifié.
error-410-title = Ce lien ne fonctionne plus
error-410-text = Il a déjà servi, il est trop ancien, ou un plus récent l’a remplacé.
error-413-title = Trop long
error-413-text = L’envoi est plus long que permis. Rien n’a été modifié.
error-422-title = Cela n’a pas pu être lu
error-422-text = Cette page n’attend pas ce qui a été envoyé. Rien n’a été modifié.
error-429-title = Trop d’essais
error-429-text = { $count ->
    [one] Il y a eu trop d’essais depuis cette adresse. Attendez une minute, puis réessayez ; votre compte n’est pas bloqué.
   *[other] Il y a eu trop d’essais depuis cette adresse. Attendez { $count } minutes, puis réessayez ; votre compte n’est pas bloqué.
}
error-500-title = Quelque chose n’a pas fonctionné
error-500-text = C’est notre faute, et nous en avons pris note.
error-503-title = Un instant, s’il vous plaît
error-503-text = Le service est très sollicité. Rien n’a été modifié : revenez en arrière, attendez quelques secondes et renvoyez.
