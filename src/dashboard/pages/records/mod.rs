//! Messages, calls, contacts and knowledge. One file per page, beside its template.
