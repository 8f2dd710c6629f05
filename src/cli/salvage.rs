//! `salvage` copies the readable rows of a damaged store to a new store. The service must be stopped.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use domain::BusinessId;
use engine::salvage::{Missing, Salvaged, SalvagedBusiness, SalvagedKind};
use net::Ports;
use serde_json::json;

use super::carry_out::{Failure, carry_out};
use super::print;

#[derive(Debug, Args)]
#[command(
    after_help = "The command reads every readable part of the damaged store and does not write to it. A record whose newest \
                        version is unreadable may be restored in an earlier version. If the store is not whole, the new store \
                        therefore ends all sessions and repeats the revocations, erasures and deletions that the damaged \
                        store lists; if the list is unreadable too, all API keys and feeds are revoked. The list of offline businesses \
                        (businesses-set-aside) is not copied: the new store starts without it.\n\nExit codes: 0 if no \
                        record is known to be missing; 1 if the store is not whole, records or changes are missing, a \
                        business's profile cannot be read, or \
                        the new store cannot be created; 2 for wrong usage."
)]
pub struct SalvageArgs {
    /// The data directory of the damaged store
    #[arg(long, value_name = "DIR")]
    data_dir: PathBuf,
    /// The data directory to create; if it exists, it must be empty
    #[arg(long, value_name = "NEW")]
    to: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Copies the readable rows. The exit code is 1 if records or changes may be missing.
pub fn salvage(args: SalvageArgs) -> ExitCode {
    let SalvageArgs { data_dir, to, json } = args;
    let act = async {
        let ports = Ports::with_clock_and_random(ports::system_clock(), ports::system_random());
        let salvaged = engine::salvage::salvage(&data_dir, &to, &ports).await.map_err(Failure::new)?;
        let text = if json { format!("{:#}\n", as_json(&salvaged)) } else { as_text(&salvaged, &to) };
        print::output(&text).map_err(Failure::new)?;
        Ok(if salvaged.is_whole() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    };
    carry_out(json, act)
}

fn note(kind: &SalvagedKind) -> String {
    match (kind.missing(), kind.counted) {
        (0, Some(counted)) if kind.found > counted => format!("{} more than counted", kind.found - counted),
        (0, _) => String::new(),
        (missing, _) => format!("{missing} missing"),
    }
}

const UNUSABLE: &str = "the profile cannot be read, or the list of businesses does not contain the business";

fn as_text(salvaged: &Salvaged, to: &Path) -> String {
    let mut text = String::new();
    let mut line = |cells: [&str; 5]| {
        let [business, kind, found, counted, note] = cells;
        let line = format!("{business:<36}  {kind:<12}  {found:>10}  {counted:>10}  {note}");
        text.push_str(line.trim_end());
        text.push('\n');
    };
    line(["business", "kind", "found", "counted", ""]);
    line(["installation", "all rows", &salvaged.installation_rows.to_string(), "-", ""]);
    for SalvagedBusiness { id, rows, kinds, is_usable } in &salvaged.businesses {
        let id = id.to_string();
        let unusable = if *is_usable { "" } else { UNUSABLE };
        line([&id, "all rows", &rows.to_string(), "-", unusable]);
        for kind in kinds {
            let counted = kind.counted.map_or_else(|| "-".into(), |counted| counted.to_string());
            line([&id, kind.kind.as_str(), &kind.found.to_string(), &counted, &note(kind)]);
        }
    }
    let _ = write!(
        text,
        "\nwrote {} to {}; {} of the damaged store could not be read\n",
        print::count(salvaged.rows, "row", "rows"),
        to.display(),
        print::count(salvaged.unreadable.len() as u64, "part", "parts"),
    );
    if let Some(Missing { found, stored }) = salvaged.missing {
        let _ = writeln!(
            text,
            "Changes are missing: the damaged store had stored {}, and those after number {found} were not all \
             found.",
            print::count(stored, "change", "changes"),
        );
    }
    if !salvaged.is_sound {
        text.push_str("The log of the damaged store is not whole, so changes may be missing.\n");
    }
    for business in &salvaged.set_aside {
        let _ = writeln!(
            text,
            "The damaged store had set aside the business {business}, because the business had lost rows."
        );
    }
    if let Some(error) = &salvaged.not_reapplied {
        let _ = writeln!(
            text,
            "The revocations, erasures and deletions could not all be repeated: {error}. Revoke the API keys that must \
             not be used, and erase the contacts that must not remain."
        );
    }
    text.push_str(&if salvaged.is_whole() {
        format!(
            "No record is known to be missing. Next: check the new store (receptionist verify {}), then start the service \
             on it (receptionist serve --data-dir {}).\n",
            to.display(),
            to.display()
        )
    } else {
        format!(
            "Records are missing or have an earlier state. Next: compare the new store with your newest backup, and restore the backup if it has \
             more records. Otherwise check the new store (receptionist verify {}), start the service on it (receptionist serve --data-dir {}), and enter \
             the missing records again.\n",
            to.display(),
            to.display()
        )
    });
    text
}

fn as_json(salvaged: &Salvaged) -> serde_json::Value {
    let kind = |kind: &SalvagedKind| {
        json!({
            "kind": kind.kind.as_str(),
            "found": kind.found,
            "counted": kind.counted,
            "missing": kind.missing(),
        })
    };
    let business = |business: &SalvagedBusiness| {
        json!({
            "business_id": business.id.to_string(),
            "rows": business.rows,
            "usable": business.is_usable,
            "kinds": business.kinds.iter().map(kind).collect::<Vec<_>>(),
        })
    };
    json!({
        "rows": salvaged.rows,
        "installation_rows": salvaged.installation_rows,
        "unreadable_at": salvaged.unreadable,
        "newest_change": salvaged.missing.map(|missing| json!({ "found": missing.found, "stored": missing.stored })),
        "sound": salvaged.is_sound,
        "set_aside": salvaged.set_aside.iter().map(BusinessId::to_string).collect::<Vec<_>>(),
        "not_reapplied": salvaged.not_reapplied,
        "businesses": salvaged.businesses.iter().map(business).collect::<Vec<_>>(),
        "whole": salvaged.is_whole(),
    })
}

#[cfg(test)]
mod tests {
    use domain::BudgetKind;

    use super::*;

    fn salvaged(found: u64) -> Salvaged {
        let kind = SalvagedKind { kind: BudgetKind::Appointments, found, counted: Some(3) };
        let kinds = vec![kind, SalvagedKind { kind: BudgetKind::Calls, found: 7, counted: None }];
        let business = SalvagedBusiness { id: BusinessId::INSTALLATION, rows: 20, kinds, is_usable: true };
        Salvaged {
            rows: 24,
            installation_rows: 4,
            businesses: vec![business],
            unreadable: vec![9],
            is_sound: true,
            set_aside: Vec::new(),
            missing: None,
            not_reapplied: None,
        }
    }

    #[test]
    fn missing_records_are_named_and_counted() {
        let text = as_text(&salvaged(2), Path::new("new"));
        let cells = |line: &str| line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
        let lines: Vec<_> = text.lines().map(cells).collect();
        assert_eq!(lines[3..5], ["appointments 2 3 1 missing", "calls 7 -"]);
        assert!(text.contains("Records are missing or have an earlier state. Next: "));
        assert!(as_text(&salvaged(3), Path::new("new")).contains("No record is known to be missing. Next: "));
        let with_more = as_text(&salvaged(4), Path::new("new"));
        assert!(with_more.contains("1 more than counted") && with_more.contains("have an earlier state"));
        let partly = Salvaged { is_sound: false, ..salvaged(3) };
        assert!(as_text(&partly, Path::new("new")).contains("have an earlier state. Next: "));
        let cut = Salvaged { missing: Some(Missing { found: 7, stored: 9 }), ..salvaged(3) };
        let text = as_text(&cut, Path::new("new"));
        assert!(text.contains("had stored 9 changes, and those after number 7 were not all found."));
        assert!(text.contains("Records are missing or have an earlier state. Next: "));
        assert_eq!(as_json(&cut)["newest_change"], json!({ "found": 7, "stored": 9 }));
        assert_eq!(as_json(&salvaged(2))["businesses"][0]["kinds"][0]["missing"], 1);
    }
}
