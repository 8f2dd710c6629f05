//! The changes of events on the server.

use super::*;

impl Server {
    pub(super) fn store(&mut self, path: &str, text: String) {
        self.log.push(path.to_owned());
        let number = u32::try_from(self.log.len()).unwrap();
        self.events.insert(path.to_owned(), (number, text));
    }

    pub(super) fn remove(&mut self, path: &str) -> bool {
        self.log.push(path.to_owned());
        self.events.remove(path).is_some()
    }

    /// The response to a `PUT` or a `DELETE`.
    pub(super) fn write(&mut self, method: &str, path: &str, body: &str) -> Vec<u8> {
        if let Some((status, retry_after)) = self.write_status {
            let retry_after =
                retry_after.map(|value| format!("retry-after: {value}\r\n")).unwrap_or_default();
            let head = format!(
                "HTTP/1.1 {status} No\r\nconnection: close\r\n{retry_after}content-length: 0\r\n\r\n"
            );
            return head.into_bytes();
        }
        let chance = self.chance.as_mut().map_or(3, |chance| chance.below(8));
        if chance == 0 {
            return response("500 Oops", "").into_bytes();
        }
        let is_named = |other: &str| path.ends_with(other);
        if method == "DELETE" {
            let status = if chance == 1 {
                self.remove(path);
                "500 Oops"
            } else if self.remove(path) {
                "204 No Content"
            } else {
                "404 Not Found"
            };
            return response(status, "").into_bytes();
        }
        if let Some(other) = self.conflict.as_ref().filter(|other| !is_named(other)) {
            let error = format!(
                "<d:error xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\"><c:no-uid-conflict><d:href>{other}\
                 </d:href></c:no-uid-conflict></d:error>"
            );
            return response("409 Conflict", &error).into_bytes();
        }
        if let Some((status, has_code)) = self.refuses_twins.filter(|_| self.has_twin(path, body)) {
            let code = if has_code { "<c:no-uid-conflict/>" } else { "The UID is in use." };
            let error = format!(
                "<d:error xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\">{code}</d:error>"
            );
            return response(status, &error).into_bytes();
        }
        self.store(path, body.to_owned());
        // The server may fail after it has stored the event.
        response(if chance == 1 { "500 Oops" } else { "201 Created" }, "").into_bytes()
    }
}
