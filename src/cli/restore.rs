//! `restore` creates a store from a backup. `verify` checks a backup or a stopped store.
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use engine::backup::{Restored, restore};
use engine::verify::{Report, verify};
use net::Ports;
use serde_json::{Value, json};
use store::{StoreError, TOMBSTONES_FILE, copied_tombstones};

use super::carry_out::{Failure, carry_out};
use super::print;

#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The directory of the backup
    #[arg(long, value_name = "BACKUP")]
    from: PathBuf,
    /// The data directory to create; if it exists, it must be empty
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The list of revocations, erasures, removals and deletions since the backup: the path of
    /// DATA_DIR/tombstones, or of the original data directory [default: the copy that `backup --in` makes next
    /// to the backup]. Without a list, every API key is revoked, and contacts that were erased since the backup
    /// exist again
    #[arg(long, value_name = "LIST")]
    after: Option<PathBuf>,
    /// Restore a backup even if some recorded rows of a business are missing; the service then counts the rows of
    /// this business again
    #[arg(long)]
    accept_incomplete: bool,
    /// Print the result and errors as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A backup, or the data directory of a stopped service
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Print the result and errors as JSON
    #[arg(long)]
    json: bool,
}

/// Creates a store from a backup. The exit code is 0 when the store is complete and durable.
pub fn restored(args: RestoreArgs) -> ExitCode {
    let RestoreArgs { from, to, after, accept_incomplete, json } = args;
    let act = async {
        // The command does not use the network.
        let ports = Ports::with_clock_and_random(ports::system_clock(), ports::system_random());
        let list = match after {
            Some(after) => Some(after),
            None => list_next_to(&from).map_err(Failure::new)?,
        };
        let restored = restore(&from, &to, list.as_deref(), accept_incomplete, &ports).await;
        let restored = restored.map_err(Failure::new)?;
        let list = list.as_deref();
        let text = if json { line(&restored_json(&restored, list)) } else { describe(&restored, list) };
        print::output(&text).map_err(Failure::new)
    };
    carry_out(json, act)
}

/// The path of the copied list of tombstones next to a backup, if there is a copy.
fn list_next_to(backup: &Path) -> Result<Option<PathBuf>, StoreError> {
    // The path may end in a link or in `..`, so it is resolved first. A path that does not exist is reported
    // later.
    let Ok(backup) = backup.canonicalize() else { return Ok(None) };
    let Some(dir) = backup.parent() else { return Ok(None) };
    Ok(copied_tombstones(dir)?.map(|_| dir.join(TOMBSTONES_FILE)))
}

/// Verifies a directory. The exit code is 1 if there are findings or the directory cannot be checked.
pub fn verified(args: VerifyArgs) -> ExitCode {
    let VerifyArgs { dir, json } = args;
    let act = async {
        let report = verify(&dir).await.map_err(Failure::new)?;
        let text = if json { line(&found_json(&report)) } else { found(&report) };
        print::output(&text).map_err(Failure::new)?;
        Ok(if report.is_whole() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    };
    carry_out(json, act)
}

fn line(data: &Value) -> String {
    format!("{}\n", json!({ "data": data }))
}

fn restored_json(restored: &Restored, list: Option<&Path>) -> Value {
    let Restored { manifest, revoked, feeds_revoked, erased, ended, removed, kept, valid, incomplete } =
        restored;
    json!({
        "taken_at": manifest.taken_at,
        "commit": manifest.sequence,
        "rows": manifest.rows,
        "list": list.map(Path::to_string_lossy),
        "keys_revoked": revoked,
        "keys_valid": valid,
        "feeds_revoked": feeds_revoked,
        "contacts_erased": erased,
        "contacts_not_erased": kept,
        "businesses_ended": ended,
        "people_removed": removed,
        "incomplete": incomplete.listed,
        "incomplete_count": incomplete.count,
    })
}

fn describe(restored: &Restored, list: Option<&Path>) -> String {
    let Restored { manifest, revoked, feeds_revoked, erased, ended, removed, kept, valid, incomplete } =
        restored;
    let mut text = format!(
        "restored the state of {} (commit {}): {} rows\n",
        manifest.taken_at, manifest.sequence, manifest.rows
    );
    if !incomplete.is_empty() {
        text.push_str(&format!("the backup was incomplete: {incomplete}\n"));
    }
    if let Some(list) = list {
        let count = |number: usize, one, more| print::count(number as u64, one, more);
        let revoked = count(
            *revoked,
            "API key that was revoked since the backup is revoked again",
            "API keys that were revoked since the backup are revoked again",
        );
        let erased = count(*erased, "contact", "contacts");
        let ended = count(*ended, "business", "businesses");
        let removed = count(
            *removed,
            "person who was removed from a business since the backup is removed again",
            "people who were removed from a business since the backup are removed again",
        );
        let kept = count(
            *kept,
            "contact that was erased since the backup is",
            "contacts that were erased since the backup are",
        );
        text.push_str(&format!(
            "the list {} was applied:\n\
             {revoked}; {valid} still valid\n\
             {erased} and {ended} that were erased or deleted since the backup are removed again; the service deletes \
             their remaining data when it starts\n\
             {removed}\n",
            list.display()
        ));
        if restored.kept > 0 {
            text.push_str(&format!(
                "{kept} still in businesses with an undecodable profile: `receptionist verify` lists these businesses, and \
                 `receptionist business delete` deletes them\n"
            ));
        }
    } else {
        let keys =
            if *revoked == 1 { "the one API key is".into() } else { format!("all {revoked} API keys are") };
        text.push_str(&format!(
            "no list of later revocations was given (--after) or found next to the backup, so {keys} revoked; contacts \
             erased, people removed and businesses deleted since the backup are restored\n"
        ));
    }
    if *feeds_revoked > 0 {
        let revoked = print::count(*feeds_revoked as u64, "feed is revoked", "feeds are revoked");
        text.push_str(&format!("{revoked}: create new ones where calendar services need them\n"));
    }
    text.push_str(
        "all people are signed out, and all sign-in links are invalid\n\
         people have the status, role and password that they had at the time of the backup: check `receptionist \
         person list` of each business\n",
    );
    text
}

fn found_json(report: &Report) -> Value {
    let Report { rows, businesses, records, findings, found } = report;
    json!({
        "whole": report.is_whole(),
        "rows": rows,
        "businesses": businesses,
        "records": records,
        "findings": findings,
        "findings_count": found,
    })
}

fn found(report: &Report) -> String {
    let Report { rows, businesses, records, findings, found } = report;
    let mut text: String = findings.iter().map(|finding| format!("{finding}\n")).collect();
    if *found > findings.len() as u64 {
        text.push_str(&format!("and {} more findings\n", found - findings.len() as u64));
    }
    let [rows, businesses, records] = [
        print::count(*rows, "row", "rows"),
        print::count(*businesses, "business", "businesses"),
        print::count(*records, "record", "records"),
    ];
    let looked = format!("{rows} of {businesses} ({records}) checked");
    text.push_str(&if *found == 0 {
        format!("{looked}: no damage\n")
    } else {
        format!("{looked}: {}\n", print::count(*found, "problem", "problems"))
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_listed_and_omitted_ones_counted() {
        let mut report = Report { rows: 9, businesses: 1, records: 4, ..Report::default() };
        assert_eq!(found(&report), "9 rows of 1 business (4 records) checked: no damage\n");
        assert_eq!(found_json(&report)["whole"], true);
        report.findings.push("row 01: x".into());
        report.found = 3;
        let told = found_json(&report);
        assert_eq!((&told["whole"], &told["findings_count"]), (&json!(false), &json!(3)));
        assert_eq!(told["findings"], json!(["row 01: x"]));
        assert_eq!(
            found(&report),
            "row 01: x\nand 2 more findings\n9 rows of 1 business (4 records) checked: 3 problems\n"
        );
    }
}
