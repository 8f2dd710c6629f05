//! Tests of the origin of the dashboard, of its assets, and of the page that is shown without a public URL.

use crate::harness::Server;

#[tokio::test]
async fn an_unknown_host_name_is_refused() {
    let server = Server::open_with(Some("https://desk.example.com"), None).await;
    let mut browser = server.browser();
    let mut get =
        async |host: &str| browser.ask("GET", "/dashboard/sign-in", &[("host", host)], String::new()).await;
    for good in ["desk.example.com", "desk.example.com:443", "localhost:8080"] {
        let page = get(good).await.is(200);
        assert_eq!(page.header("strict-transport-security"), "max-age=31536000");
    }
    for bad in ["evil.example", "desk.example.com:8443", "desk.example.com.evil.example"] {
        get(bad).await.is(403).says("RECEPTIONIST_PUBLIC_URL");
    }
}

#[tokio::test]
async fn over_https_the_session_is_bound_to_the_host() {
    let server = Server::open_with(Some("https://desk.example.com"), None).await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let browser = server.signed_in(&salon, &ada).await;
    let names: Vec<_> = browser.cookies.keys().map(String::as_str).collect();
    assert_eq!(names, ["__Host-receptionist", "language"]);
    let server = Server::open().await;
    let salon = server.business("Salon Zoé").await;
    let ada = server.person(&salon, "ada@example.com", "owner").await;
    let browser = server.signed_in(&salon, &ada).await;
    let names: Vec<_> = browser.cookies.keys().map(String::as_str).collect();
    assert_eq!(names, ["language", "receptionist"]);
    assert!(server.browser().get("/dashboard/sign-in").await.header("strict-transport-security").is_empty());
}

#[tokio::test]
async fn without_a_public_url_the_page_names_the_setting() {
    // The service listens on an address that is not loopback, without TLS.
    let server = Server::listening("0.0.0.0:0", None, None).await;
    let mut browser = server.browser();
    for path in ["/dashboard", "/dashboard/sign-in", "/dashboard/nowhere"] {
        let page = browser.get(path).await.is(503).says("RECEPTIONIST_PUBLIC_URL");
        assert!(!page.header("retry-after").is_empty());
    }
    browser.post("/dashboard/sign-in", &[]).await.is(503);
    // The page about the missing setting also has its style sheet.
    let page = browser.get("/dashboard").await;
    let style = page.tags().into_iter().find(|tag| tag.get("rel") == Some("stylesheet")).unwrap();
    browser.get(style.get("href").unwrap()).await.is(200);
}

#[tokio::test]
async fn assets_are_cached_permanently_under_a_path_with_their_digest() {
    let server = Server::open().await;
    let mut browser = server.browser();
    let page = browser.get("/dashboard/sign-in").await;
    let mut seen = 0;
    for tag in page.tags() {
        let Some(path) = tag.get("href").or(tag.get("src")).filter(|path| path.contains("/assets/")) else {
            continue;
        };
        let asset = browser.get(path).await.is(200);
        assert_eq!(asset.header("cache-control"), "public, max-age=31536000, immutable");
        let (folder, name) = path.rsplit_once('/').unwrap();
        let (base, _) = folder.rsplit_once('/').unwrap();
        browser.get(&format!("{base}/0000000000000000/{name}")).await.is(404);
        browser.get(&format!("{folder}/x{name}")).await.is(404);
        seen += 1;
    }
    assert_eq!(seen, 3);
}
