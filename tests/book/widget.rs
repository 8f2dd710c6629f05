//! Tests of the script that other websites embed, on a page of another website (the host page).

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::browsing::{Browser, Server};
use crate::window::{Looks, Window, window};

/// Serves the host page. Its content security policy forbids styles, and every origin except that of the
/// service.
async fn host_page(service: &str, attributes: &str) -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let policy = format!("default-src 'none'; script-src {service}; frame-src {service}; style-src 'none'");
    let body = format!(
        "<!doctype html><html lang=\"en\"><title>Host</title><meta name=\"viewport\" content=\"width=device-width\"><link rel=\"icon\" href=\"data:,\">\
         <main><h1>Host</h1><a id=\"before\" href=\"#\">Link</a></main>\
         <script src=\"{service}/widget.js\" data-business=\"salon-lumiere\" {attributes} async></script>"
    );
    let response = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-security-policy: {policy}; \
         img-src data:\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    (listener, response)
}

fn serve(listener: TcpListener, response: String) {
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let response = response.clone();
            tokio::spawn(async move {
                let mut request = [0; 4_096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(response.as_bytes()).await;
                let _ = stream.shutdown().await;
            });
        }
    });
}

/// A salon with a booking page that the host page may embed, and a window with the host page.
async fn on_a_host_page(attributes: &str) -> Option<(Server, Window)> {
    let server = Server::open().await;
    let business = server.business("Salon Lumière").await;
    server.offers(&business, ("Coupe", 30), "Camille").await;
    let (listener, response) = host_page(&server.origin(), attributes).await;
    let host = format!("http://localhost:{}", listener.local_addr().unwrap().port());
    serve(listener, response);
    let website = json!({ "enabled": true, "origins": [host] });
    server.operator("PATCH", &format!("/businesses/{business}/website"), website).await;
    let window = window(&host).await?;
    window.goto("/").await;
    window.find("button[aria-haspopup=dialog]").await;
    Some((server, window))
}

#[tokio::test]
async fn the_script_opens_the_booking_page_under_a_strict_policy() {
    let Some((server, window)) = on_a_host_page("").await else { return };
    let loaded = "return performance.getEntriesByType('resource').map(one => one.name)";
    assert_eq!(window.run(loaded).await, json!([format!("{}/widget.js", server.origin())]));
    let count = "return ['button', 'iframe'].map(name => document.querySelectorAll(name).length)";
    assert_eq!(window.run(count).await, json!([1, 0]));
    assert_eq!(
        window.run("return [document.cookie, localStorage.length, sessionStorage.length]").await,
        json!(["", 0, 0])
    );

    window.find("button").await.click().await.unwrap();
    assert_eq!(window.run(count).await, json!([1, 1]));
    let dialog = "const frame = document.querySelector('iframe'), dialog = frame.parentElement; \
        return [frame.title, frame.src, dialog.getAttribute('role'), dialog.getAttribute('aria-label'), \
        document.activeElement === frame, getComputedStyle(dialog).position]";
    let src = format!("{}/book/salon-lumiere/frame", server.origin());
    assert_eq!(
        window.run(dialog).await,
        json!(["Appointments", src, "dialog", "Appointments", true, "fixed"])
    );
    window.enter_frame().await;
    window.sees("Coupe").await;
    // Escape closes the dialog, even if the focus is in the frame.
    window.find("body").await.send_keys("\u{e00c}").await.unwrap();
    window.leave_frame().await;
    let closed = "const done = arguments[arguments.length - 1]; const look = () => \
        document.querySelector('iframe').checkVisibility() ? requestAnimationFrame(look) : \
        done(document.activeElement.tagName); look()";
    assert_eq!(window.run_async(closed).await, "BUTTON");

    // When the dialog closes, the focus returns to the element that had it before. Messages from other
    // windows do not close the dialog.
    let other = "document.getElementById('before').focus(); window.receptionist.open(); \
        window.postMessage('receptionist:close', '*'); \
        const done = arguments[arguments.length - 1]; \
        setTimeout(() => { const open = document.querySelector('iframe').checkVisibility(); \
        window.receptionist.close(); \
        done([open, document.querySelector('iframe').checkVisibility(), document.activeElement.id]) }, 100)";
    assert_eq!(window.run_async(other).await, json!([true, false, "before"]));
    assert_eq!(window.run(count).await, json!([1, 1]));
    window.run("document.querySelector('button').click()").await;
    window.run("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))").await;
    assert_eq!(window.run("return document.querySelector('iframe').checkVisibility()").await, false);
    assert_eq!(window.complaints().await, [""; 0]);
    window.close().await;
}

#[tokio::test]
async fn a_visitor_books_in_the_frame_under_a_strict_policy() {
    let Some((server, window)) = on_a_host_page("").await else { return };
    window.find("button").await.click().await.unwrap();
    window.enter_frame().await;
    window.sees("Choose a day and a time").await;
    window.find("a[href*='time=']").await.click().await.unwrap();
    window.sees("Your details").await;
    window.fill("name", "Zoé Martin").await;
    window.fill("phone", "+33612345678").await;
    window.press("Book").await;
    window.sees("Your appointment is booked").await;
    window.find("a[target='_blank'][href*='/book/manage/']").await;
    window.leave_frame().await;
    assert_eq!(window.complaints().await, [""; 0]);
    assert_eq!(window.run("return location.pathname").await, "/");
    let business = server.operator("GET", "/businesses", json!(null)).await[0]["id"].clone();
    let path = format!("/businesses/{}/appointments", business.as_str().unwrap());
    let booked = server.operator("GET", &path, json!(null)).await;
    assert_eq!(booked[0]["contact_name"], "Zoé Martin", "{booked}");
    window.close().await;
}

#[tokio::test]
async fn the_script_has_a_language_and_a_position_and_fits_a_phone() {
    let Some((_server, window)) = on_a_host_page("data-locale=\"fr\" data-position=\"left\"").await else {
        return;
    };
    window.look(Looks { width: 320, dark: true }).await;
    assert_eq!(
        window.run("return document.querySelector('button').textContent").await,
        "Prendre rendez-vous"
    );
    window.find("button").await.click().await.unwrap();
    let within = "const dialog = document.querySelector('iframe').parentElement.getBoundingClientRect(); \
        const button = document.querySelector('button').getBoundingClientRect(); \
        return [button.left, dialog.left, dialog.right <= 320, dialog.bottom <= button.top, dialog.top >= 0, \
        document.querySelector('iframe').src.endsWith('/frame?locale=fr')]";
    assert_eq!(window.run(within).await, json!([16, 16, true, true, true, true]));
    window.enter_frame().await;
    window.sees("Coupe").await;
    window.leave_frame().await;
    assert_eq!(window.complaints().await, [""; 0]);
    window.close().await;
}

#[tokio::test]
async fn the_script_is_cached_for_an_hour() {
    let server = Server::open().await;
    let mut browser: Browser = server.browser();
    let script = browser.get("/widget.js").await.is(200);
    assert_eq!(script.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(script.header("cache-control"), "public, max-age=3600");
    assert_eq!(script.header("cross-origin-resource-policy"), "cross-origin");
    assert!(!script.body.contains("eval") && !script.body.contains("innerHTML"));
    let tag = script.header("etag").to_owned();
    let known = [("if-none-match", tag.as_str())];
    let again = browser.ask("GET", "/widget.js", &known, String::new()).await.is(304);
    assert_eq!((again.header("etag"), again.body.as_str()), (&*tag, ""));
}
