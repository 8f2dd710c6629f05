//! The budget of a business and its usage, as the operator API shows them: one property for each kind.

use std::borrow::Cow;
use std::collections::BTreeMap;

use domain::{Amount, Budget, BudgetKind, Limit, Usage};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The budget and the usage of each kind. Defaults are filled in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BudgetView(BTreeMap<BudgetKind, UseView>);

/// The limits and the usage of one kind of records.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BudgetUse")]
struct UseView {
    /// The maximum number of rows.
    rows_max: u64,
    /// The maximum number of bytes.
    bytes_max: u64,
    /// The current number of rows.
    rows: u64,
    /// The current number of bytes.
    bytes: u64,
}

impl BudgetView {
    pub fn new(budget: &Budget, used: &Usage) -> Self {
        let view = |kind: BudgetKind| {
            let (allowed, Amount { rows, bytes }) = (budget.allowed(kind), used.of(kind));
            (kind, UseView { rows_max: allowed.rows, bytes_max: allowed.bytes, rows, bytes })
        };
        Self(BudgetKind::ALL.iter().copied().map(view).collect())
    }
}

/// The schema has one property for each kind.
impl JsonSchema for BudgetView {
    fn schema_name() -> Cow<'static, str> {
        "Budget".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut of_kind = generator.subschema_for::<UseView>();
        of_kind.insert("description".into(), json!("The limits and the usage of this kind."));
        let kinds = BudgetKind::ALL.iter().map(|kind| kind.as_str());
        let properties: Map<String, Value> =
            kinds.clone().map(|kind| (kind.to_owned(), of_kind.as_value().clone())).collect();
        json_schema!({"type": "object", "properties": properties, "required": kinds.collect::<Vec<_>>(),
            "description": "The budget and the usage of each kind. Defaults are filled in."})
    }
}

/// The limits that the operator has set, by kind. Null means that the default applies.
#[derive(Clone, Debug, Serialize)]
pub struct LimitsView(BTreeMap<BudgetKind, LimitView>);

#[derive(Clone, Copy, Debug, Serialize)]
struct LimitView {
    rows_max: Option<u64>,
    bytes_max: Option<u64>,
}

impl From<&Budget> for LimitsView {
    fn from(budget: &Budget) -> Self {
        let view = |kind: BudgetKind| {
            let Limit { rows_max, bytes_max } = budget.limit(kind);
            (kind, LimitView { rows_max, bytes_max })
        };
        Self(BudgetKind::ALL.iter().copied().map(view).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_shown_with_its_limits_and_usage() {
        let (mut budget, mut used) = (Budget::default(), Usage::default());
        budget.set(BudgetKind::Contacts, Limit { rows_max: Some(7), bytes_max: None });
        used.add(BudgetKind::Contacts, Amount::row(40));
        let shown = serde_json::to_value(BudgetView::new(&budget, &used)).unwrap();
        assert_eq!(shown["contacts"], json!({"rows_max": 7, "bytes_max": 1 << 30, "rows": 1, "bytes": 40}));
        assert_eq!(
            shown["waiting_deliveries"],
            json!({"rows_max": 100_000, "bytes_max": 1 << 30, "rows": 0, "bytes": 0})
        );
        assert_eq!(shown.as_object().unwrap().len(), BudgetKind::ALL.len());
        let limits = serde_json::to_value(LimitsView::from(&budget)).unwrap();
        assert_eq!(limits["contacts"], json!({"rows_max": 7, "bytes_max": null}));
    }
}
