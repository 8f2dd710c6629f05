//! The operator's requests about contacts: the team's notes, merges, CSV files, and the erasure of a contact.

use domain::{ContactId, Email, Phone, Problem, ProblemCode, Text, Timestamp};
use engine::business::commands::ForOperator;
use engine::business::commands::contacts::{CreateContact, MergeContacts, PatchContact};
use engine::business::commands::erasure::EraseContact;
use engine::business::{ContactFilter, ImportContacts, Request};
use sha2::{Digest, Sha256};
use tracing::Instrument;
use view::{ContactWithVisitsView, ContactsImportedView, OperatorContactView};

use crate::api::contacts::{MergeBody, NewContactBody, OperatorContactPatchBody};
use crate::rest::prelude::*;
use crate::rest::values::search::SearchWords;
use crate::tables::{self, Exported};
use crate::{list_query, query_object};

list_query! {
    /// The filters of a list of contacts.
    pub(crate) struct OperatorContactsQuery => ContactFilter {
        /// Only the contact with this number, E.164 or national.
        phone: Option<Phone>,
        /// Only the contact with this email address.
        email: Option<Email>,
        /// Only contacts whose name contains this text, ignoring case.
        name_part as "q": Option<Text<1, 200>>,
        /// Only contacts that match each of these words; not together with `q`.
        search: Option<SearchWords>,
        /// Only contacts changed at or after this instant, in the order of their changes.
        updated_since: Option<Timestamp>,
    }
    normalize one_search
}

fn one_search(query: OperatorContactsQuery) -> Result<OperatorContactsQuery, ApiError> {
    if query.search.is_some() && query.name_part.is_some() {
        return Err(ApiError::invalid("search", ProblemCode::NotWith(&["q"])));
    }
    Ok(query)
}

pub(super) async fn list(
    context: Context,
    Query(query): Query<OperatorContactsQuery>,
    business: Business,
) -> Result<Listed<OperatorContactView>, ApiError> {
    let asked = query.open(&context, business.list("contacts"))?;
    Ok(asked.listed(business.contacts_as(&asked.filter, &asked.page).await?))
}

pub(super) async fn show(
    _: Context,
    Path(id): Path<ContactId>,
    business: Business,
) -> Result<Tagged<ContactWithVisitsView>, ApiError> {
    let found = business.contact_with_visits(id).await?.ok_or(ContactId::NOT_FOUND)?;
    Ok(Tagged::of(found).tagged_as(|shown| &shown.contact))
}

pub(super) async fn create(
    context: Context,
    Body(body): Body<NewContactBody>,
) -> Result<Created<OperatorContactView>, ApiError> {
    context.change(ForOperator(CreateContact { details: body.into() })).await
}

pub(super) async fn update(
    context: Context,
    Body(body): Body<OperatorContactPatchBody>,
    Path(id): Path<ContactId>,
) -> Result<Changed<OperatorContactView>, ApiError> {
    context.change(ForOperator(PatchContact { id, patch: body.into() })).await
}

pub(super) async fn merge(
    context: Context,
    Body(MergeBody { from, phone, email }): Body<MergeBody>,
    Path(id): Path<ContactId>,
) -> Result<Changed<OperatorContactView>, ApiError> {
    context.change(MergeContacts { id, from, phone, email }).await
}

pub(super) async fn erase(context: Context, Path(id): Path<ContactId>) -> Result<Gone, ApiError> {
    context.change(EraseContact { id }).await
}

pub(super) async fn table(context: Context, business: Business) -> Result<Table, ApiError> {
    file(&context, &business, tables::contacts::NAME, Exported::Contacts).await
}

/// Exports records as a CSV file. A HEAD request exports nothing: its response has no body, and the audit log
/// gets no entry.
pub(super) async fn file(
    context: &Context,
    business: &Business,
    name: &'static str,
    of: Exported,
) -> Result<Table, ApiError> {
    let body = match context.is_head() {
        true => axum::body::Body::empty(),
        false => tables::export(business, context.caller.actor, of).await?,
    };
    Ok(Table { name, body })
}

query_object! {
    /// The options of an import of contacts.
    pub(crate) struct ContactImportQuery {
        /// Whether the service only checks the file and creates no contact. The default is false.
        dry_run: Option<bool> = false,
    }
}

pub(super) async fn import(
    context: Context,
    Query(query): Query<ContactImportQuery>,
    file: CsvFile,
    business: Business,
) -> Result<Done<ContactsImportedView>, ApiError> {
    let dry_run = query.dry_run.unwrap_or_default();
    let digest = Sha256::digest(&file.bytes);
    let idempotency = if dry_run { None } else { context.idempotency_by(&digest)? };
    let request = Request { idempotency, ..Request::by(context.caller.actor) };
    let (reading, business) = (context.caller.reading.clone(), business.clone());
    // If the client disconnects, the import continues. Until it ends, the file counts towards the limit on
    // files in memory.
    let import = async move {
        let CsvFile { bytes, permit: _permit } = file;
        let rows = tables::contact_rows(bytes, reading).await?;
        let rows = rows.map_err(|found| found.into_iter().map(Problem::from).collect::<Vec<_>>())?;
        Ok::<_, ApiError>(business.import_contacts(request, ImportContacts { rows, dry_run }).await?)
    };
    let imported = tokio::spawn(import.in_current_span()).await.map_err(ApiError::internal)??;
    Ok(Done::of(imported.value).replayed(imported.replayed))
}
