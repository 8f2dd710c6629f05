//! Sends test mails and manages people on a service whose relay does not respond.

use receptionist::mail::MailSettings;

use crate::scene::Scene;

pub(crate) async fn play(scene: &mut Scene) {
    scene.play(r#"POST /admin/v1/mail/test {"to":"ada@example.org"}"#).await;
    let relay = "smtp+plain://127.0.0.1:1".parse().unwrap();
    let settings = MailSettings { relay, from: "Desk <desk@example.com>".parse().unwrap() };
    scene.server.restart_with_mail(settings).await;
    scene.restarted();
    scene.play(include_str!("../scripts/mail.txt")).await;
}
