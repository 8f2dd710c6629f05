//! Checks that apply to every response of the dashboard and of the booking pages.

use super::Page;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub(super) fn check(page: &Page) {
    let what = &page.what;
    let policy = page.header("content-security-policy");
    if page.header("cross-origin-embedder-policy").is_empty() {
        assert_eq!(policy, POLICY, "{what}");
    } else {
        // The websites in the settings of the business may embed the page.
        let ours = POLICY.strip_suffix("'none'").unwrap();
        assert!(policy.strip_prefix(ours).is_some_and(|sites| sites.starts_with("http")), "{what}");
    }
    assert_eq!(page.header("x-content-type-options"), "nosniff", "{what}");
    assert_eq!(page.header("referrer-policy"), "same-origin", "{what}");
    assert!(!page.header("x-request-id").is_empty(), "{what}");
    let assets = ["/dashboard/assets/", "/book/assets/", "/widget.js", "/theme.css"];
    let is_asset = assets.iter().any(|path| what.contains(path)) && matches!(page.status, 200 | 304);
    assert_eq!(page.header("cache-control") == "no-store", !is_asset, "{what}");
    if page.status == 303 {
        assert!(page.header("location").starts_with('/'), "{what}");
        return;
    }
    // A download is not checked as a page.
    if is_asset || page.body.is_empty() || page.header("content-disposition").starts_with("attachment") {
        return;
    }
    if !page.header("content-disposition").is_empty() {
        // Browsers save this file and never show it.
        assert!(page.header("content-disposition").starts_with("attachment; filename=\""), "{what}");
        assert_eq!(page.header("content-type"), "application/json", "{what}");
        return;
    }
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{what}");
    assert!(page.body.starts_with("<!doctype html>"), "{what}");
    check_markup(page);
}

fn check_markup(page: &Page) {
    let what = &page.what;
    let (mut ids, mut described) = (Vec::new(), Vec::new());
    for tag in page.tags() {
        assert!(
            !["style", "iframe", "object", "embed", "base"].contains(&tag.name.as_str()),
            "{what}: {tag:?}"
        );
        if tag.name == "script" {
            assert!(
                tag.get("src").is_some_and(|src| {
                    ["/dashboard/assets/", "/book/assets/"].iter().any(|path| src.starts_with(path))
                }),
                "{what}: {tag:?}"
            );
        }
        for (name, value) in &tag.attributes {
            assert!(name != "style" && !name.starts_with("on"), "{what}: {tag:?}");
            if ["href", "src", "action"].contains(&name.as_str()) {
                let ours = ["/", "#", "tel:+", "mailto:", "data:,"].iter().any(|way| value.starts_with(way));
                // A recording is stored at another service. The link to it sends no referrer.
                let is_recording =
                    tag.get("rel") == Some("noopener noreferrer") && value.starts_with("https://");
                assert!(is_recording || ours && !value.starts_with("//"), "{what}: {tag:?}");
            }
            match name.as_str() {
                "id" => ids.push(value.clone()),
                "aria-describedby" => described.extend(value.split(' ').map(str::to_owned)),
                _ => {}
            }
        }
        if tag.name == "html" {
            assert!(matches!(tag.get("lang"), Some("en" | "fr")), "{what}: {tag:?}");
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "{what}: an id occurs twice");
    for id in described {
        assert!(ids.contains(&id), "{what}: the id {id} does not exist");
    }
    let headings = page.tags().iter().filter(|tag| tag.name == "h1").count();
    assert_eq!(headings, 1, "{what}: a page must have one main heading");
    for form in page.forms() {
        if form.method == "get"
            || form.action.contains("/unsubscribe?")
            || form.action.ends_with("/unsubscribe")
        {
            continue; // a form that changes nothing, or has the same effect when repeated, needs no id
        }
        assert_eq!(form.method, "post", "{what}");
        let is_id = |name: &str| matches!(name, "form" | "form_id");
        let has_id = form.fields.iter().any(|(name, value)| is_id(name) && value.len() == 55);
        assert!(has_id, "{what}: a form has no form id: {form:?}");
    }
}
