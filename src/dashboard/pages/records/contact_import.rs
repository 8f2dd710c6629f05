//! The downloads of contacts and appointments as CSV files, and the import of contacts with a preview.
//!
//! Invariants:
//! - The preview changes nothing. Its form contains the file, so exactly this file is imported.
//! - The response with the preview is not kept for repeats of the form, because it is as long as the file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::{ContactRow, Right, SkipReason, TableProblem, Text};
use engine::business::ImportContacts;
use view::ContactsImportedView;

use super::insights::file;
use crate::dashboard::pages::prelude::*;
use crate::http::body::BodyError;
use crate::rest::error::ApiError;
use crate::rest::values::phone::PhoneRegion;
use crate::tables::contacts::FileProblem;
use crate::tables::{self, Exported, FILE_BYTES_MAX};

/// The maximum number of skipped rows in the preview.
const ROWS_SHOWN: usize = 100;
/// The preview shows the values of the first `ROWS_READ` rows and of the next rows with letters outside ASCII, up to
/// `ROWS_READ_MAX` rows in total. If the file was decoded incorrectly, a person notices it in these rows.
const ROWS_READ: usize = 5;
const ROWS_READ_MAX: usize = 10;

#[derive(Template)]
#[template(path = "dashboard/pages/records/contact_import.html", config = "src/askama.toml")]
struct Page<'a> {
    sheet: Sheet<'a>,
    notice: String,
    /// The line and column of each problem in the file, and the text of the problem.
    problems: Vec<(String, String)>,
    preview: Option<Preview>,
}

struct Preview {
    /// The line, name, phone number and email of some rows.
    read: Vec<(u64, [String; 3])>,
    created: String,
    skipped: String,
    rows: Vec<(u64, String)>,
    more: String,
    creates: bool,
    /// The label of the button.
    does: String,
    content: String,
}

pub(crate) async fn contacts(member: Member) -> Answered {
    download(&member, "contacts", Exported::Contacts).await
}

pub(crate) async fn appointments(member: Member) -> Answered {
    download(&member, "appointments", Exported::Appointments { from: None, to: None }).await
}

/// Downloads records as a CSV file. A HEAD request exports nothing.
async fn download(member: &Member, name: &str, of: Exported) -> Answered {
    if member.head.method == axum::http::Method::HEAD {
        return Ok(file(name, member, axum::body::Body::empty()));
    }
    let person = member.signed_in.person.id;
    member.desk.limits.exports.count(person, member.desk.engine.now()).map_err(Refused::too_many)?;
    Ok(file(name, member, tables::export(&member.business, member.actor(), of).await?))
}

pub(crate) async fn show(member: Member) -> Answered {
    member.must(Right::Data)?;
    page(&empty(&member))
}

fn empty(member: &Member) -> Page<'_> {
    Page { sheet: member.sheet_below("contacts"), notice: String::new(), problems: Vec::new(), preview: None }
}

pub(crate) async fn sent(member: Member) -> Answered {
    let is_sure = member.form.find("sure").is_some();
    let content = if is_sure { member.form.get("content") } else { member.form.get("file") };
    let rows = match rows(&member, content).await? {
        Ok(rows) => rows,
        Err(found) => {
            let notice = member.t("contacts-import-refused");
            let problems = found.iter().map(|it| problem_text(&member, it)).collect();
            return page_as(StatusCode::UNPROCESSABLE_ENTITY, &Page { notice, problems, ..empty(&member) });
        }
    };
    match import(&member, rows, !is_sure).await {
        Ok((imported, _)) if is_sure => {
            let done = if imported.created > 0 { "imported" } else { "imported-none" };
            Ok(see_other(&member.path_to(&format!("contacts?done={done}"))))
        }
        Ok((imported, read)) => {
            let preview = Some(preview(&member, &imported, read, content.to_owned()));
            Ok(nothing_done(page(&Page { preview, ..empty(&member) })?))
        }
        Err(Refused::FormError(undone)) => {
            let notice = undone.message(&member.view, "versions-text");
            page_as(undone.status(), &Page { notice, ..empty(&member) })
        }
        Err(refused) => Err(refused),
    }
}

/// Reads the rows of a file in base64.
async fn rows(member: &Member, content: &str) -> Result<Result<Vec<ContactRow>, Vec<FileProblem>>, Refused> {
    let Ok(bytes) = STANDARD.decode(content) else {
        return Ok(Err(vec![FileProblem::new(1, "", TableProblem::NoHeader)]));
    };
    if bytes.len() > FILE_BYTES_MAX {
        return Err(ApiError::from(BodyError::FileTooLarge(FILE_BYTES_MAX)).into());
    }
    Ok(tables::contact_rows(Bytes::from(bytes), PhoneRegion::reading(&member.profile)).await?)
}

/// Imports the rows, or only checks them. Also returns the rows for the preview.
async fn import(
    member: &Member,
    rows: Vec<ContactRow>,
    dry_run: bool,
) -> Result<(ContactsImportedView, Vec<(u64, [String; 3])>), Refused> {
    let shown = |(number, row): &(usize, &ContactRow)| *number < ROWS_READ || !cells(row).concat().is_ascii();
    let read = rows.iter().enumerate().filter(shown).take(ROWS_READ_MAX);
    let read = read.map(|(_, row)| (row.line, cells(row))).collect();
    let import = ImportContacts { rows, dry_run };
    let imported = member.business.import_contacts(member.request(), import).await;
    Ok((imported.map_err(FormError::of)?.value, read))
}

/// The name, the phone number and the email of a row.
fn cells(row: &ContactRow) -> [String; 3] {
    let details = &row.details;
    [
        details.name.clone().map(Text::into_string),
        details.phone.as_ref().map(|phone| phone.as_str().to_owned()),
        details.email.as_ref().map(|email| email.as_str().to_owned()),
    ]
    .map(Option::unwrap_or_default)
}

/// The line and column of a problem, and its text.
fn problem_text(member: &Member, problem: &FileProblem) -> (String, String) {
    let line = ("line", problem.line.to_string());
    let place = match &problem.column {
        None => member.says("contacts-import-at", &[line]),
        Some(column) => member.says("contacts-import-at-column", &[line, ("column", column.clone())]),
    };
    (place, member.problem(&problem.code))
}

fn preview(
    member: &Member,
    imported: &ContactsImportedView,
    read: Vec<(u64, [String; 3])>,
    content: String,
) -> Preview {
    let view = &member.view;
    let reason = |reason| {
        view.t(match reason {
            SkipReason::PhoneExists => "contacts-import-phone-exists",
            SkipReason::EmailExists => "contacts-import-email-exists",
            SkipReason::PhoneRepeated => "contacts-import-phone-repeated",
            SkipReason::EmailRepeated => "contacts-import-email-repeated",
        })
    };
    let shown = imported.skipped.iter().take(ROWS_SHOWN);
    let more = imported.skipped.len().saturating_sub(ROWS_SHOWN) as u64;
    Preview {
        read,
        created: view.count("contacts-import-created", imported.created),
        skipped: view.count("contacts-import-skipped", imported.skipped.len() as u64),
        rows: shown.map(|row| (row.line, reason(row.reason))).collect(),
        more: if more > 0 { view.count("contacts-import-more", more) } else { String::new() },
        creates: imported.created > 0,
        does: view.count("contacts-import-do", imported.created),
        content,
    }
}
