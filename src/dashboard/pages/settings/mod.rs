//! What a business sets: profile, hours, services, staff, data. One file per page, beside its template.
