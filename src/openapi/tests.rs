use std::collections::BTreeSet;

use axum::body::Body as Bytes;
use axum::http::Request;
use tower::ServiceExt;

use super::*;
use crate::http::testing::parts;

#[test]
fn the_document_has_the_operations_of_the_table_and_no_others() {
    let document = document();
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap().to_owned();
            described.insert((method.to_uppercase(), format!("{BASE_PATH}{path}"), id));
        }
    }
    let rows = crate::api::table();
    let served: BTreeSet<_> =
        rows.iter().map(|row| (row.method.to_string(), row.path.to_owned(), row.id.to_owned())).collect();
    assert_eq!(described, served);
    assert_eq!(served.len(), rows.len(), "a row is there twice");
}

#[tokio::test]
async fn the_document_is_served() {
    let request = Request::get("/openapi.json").body(Bytes::empty()).unwrap();
    let (status, headers, body) = parts(router().oneshot(request).await.unwrap()).await;
    assert_eq!((status, &headers["content-type"]), (200, &"application/json".parse().unwrap()));
    assert_eq!(body, document());
}
