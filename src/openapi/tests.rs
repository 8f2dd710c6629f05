use std::collections::BTreeSet;

use axum::body::Body as Bytes;
use axum::http::Request;
use tower::ServiceExt;

use super::*;
use crate::http::testing::parts;

/// Checks that a document contains the operations of a table, and no other operations.
fn check<A: Send + Sync + 'static>(document: &Value, base_path: &str, table: &[Route<A>]) {
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap().to_owned();
            described.insert((method.to_uppercase(), format!("{base_path}{path}"), id));
        }
    }
    let row = |row: &Route<A>| (row.method.to_string(), row.path.to_owned(), row.about.id.to_owned());
    let served: BTreeSet<_> = table.iter().map(row).collect();
    assert_eq!(described, served);
    assert_eq!(served.len(), table.len(), "the table must contain each route once");
}

#[test]
fn a_document_has_the_operations_of_its_table_and_no_others() {
    check(&document(), BASE_PATH, &crate::api::table());
    check(&operator_document(), OPERATOR_BASE_PATH, &crate::admin::table());
}

#[tokio::test]
async fn the_document_is_served() {
    let request = Request::get("/openapi.json").body(Bytes::empty()).unwrap();
    let (status, headers, body) = parts(router().oneshot(request).await.unwrap()).await;
    assert_eq!((status, &headers["content-type"]), (200, &"application/json".parse().unwrap()));
    assert_eq!(body, document());
}
