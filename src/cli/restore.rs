//! `restore` and `verify`: making a store of a backup, and proving one whole. No service needs to run for either.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use actors::backup::{Restored, restore};
use actors::ports::{self, Ports};
use actors::store::{StoreError, TOMBSTONES_FILE, copied_tombstones};
use actors::verify::{Report, verify};
use clap::Args;
use serde_json::{Value, json};

use super::carry_out::carry_out;
use super::print;

/// The options of `restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The directory of the backup
    #[arg(long, value_name = "BACKUP")]
    from: PathBuf,
    /// The data directory to be made: one that is not there or empty
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The list of what was revoked, erased, removed and ended since, from the data directory that the backup was made of
    /// (DATA_DIR/tombstones), or that directory [default: the copy beside the backup, which `backup --in` makes]. Without a
    /// list every API key is revoked, and whoever was erased since is back
    #[arg(long, value_name = "LIST")]
    after: Option<PathBuf>,
    /// Restore a backup that lacks recorded rows. The service counts the businesses concerned anew
    #[arg(long)]
    accept_incomplete: bool,
    /// Print the result and errors as JSON
    #[arg(long)]
    json: bool,
}

/// The options of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A backup, or the data directory of a stopped service
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Print the result and errors as JSON
    #[arg(long)]
    json: bool,
}

/// Makes a store of a backup. Exit code 0 once it is whole and on the disk.
pub fn restored(args: RestoreArgs) -> ExitCode {
    let RestoreArgs { from, to, after, accept_incomplete, json } = args;
    let act = async {
        // Nothing of the network is needed.
        let ports = Ports::with_clock_and_random(ports::system_clock(), ports::system_random());
        let list = match after {
            Some(after) => Some(after),
            None => beside(&from).map_err(|error| error.to_string())?,
        };
        let restored = restore(&from, &to, list.as_deref(), accept_incomplete, &ports).await;
        let restored = restored.map_err(|error| error.to_string())?;
        let list = list.as_deref();
        let text = if json { line(&restored_json(&restored, list)) } else { told(&restored, list) };
        print::output(&text).map_err(|error| error.to_string())?;
        Ok(ExitCode::SUCCESS)
    };
    carry_out::<String>(json, act)
}

/// The copy of the list beside a backup, if there is one.
fn beside(backup: &Path) -> Result<Option<PathBuf>, StoreError> {
    // A path may end in a link or in `..`. One that leads nowhere is no backup, which the restore says.
    let Ok(backup) = backup.canonicalize() else { return Ok(None) };
    let Some(dir) = backup.parent() else { return Ok(None) };
    Ok(copied_tombstones(dir)?.map(|_| dir.join(TOMBSTONES_FILE)))
}

/// Verifies a directory. Exit code 0 when all is well, 1 when something is wrong or nothing could be verified.
pub fn verified(args: VerifyArgs) -> ExitCode {
    let VerifyArgs { dir, json } = args;
    let act = async {
        let report = verify(&dir).await.map_err(|error| error.to_string())?;
        let text = if json { line(&found_json(&report)) } else { found(&report) };
        print::output(&text).map_err(|error| error.to_string())?;
        Ok(if report.is_whole() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    };
    carry_out::<String>(json, act)
}

/// A result as a line of JSON.
fn line(data: &Value) -> String {
    format!("{}\n", json!({ "data": data }))
}

/// The result of a restore, for programs.
fn restored_json(restored: &Restored, list: Option<&Path>) -> Value {
    let Restored { manifest, revoked, erased, ended, removed, kept, valid, incomplete } = restored;
    json!({
        "taken_at": manifest.taken_at,
        "commit": manifest.sequence,
        "rows": manifest.rows,
        "list": list.map(Path::to_string_lossy),
        "keys_revoked": revoked,
        "keys_valid": valid,
        "contacts_erased": erased,
        "contacts_not_erased": kept,
        "businesses_ended": ended,
        "people_removed": removed,
        "incomplete": incomplete.listed,
        "incomplete_count": incomplete.count,
    })
}

/// What is printed of a restore.
fn told(restored: &Restored, list: Option<&Path>) -> String {
    let Restored { manifest, revoked, erased, ended, removed, kept, valid, incomplete } = restored;
    let mut text = format!(
        "restored as of {} (commit {}): {} rows\n",
        manifest.taken_at, manifest.sequence, manifest.rows
    );
    if !incomplete.is_empty() {
        text.push_str(&format!("the backup was incomplete: {incomplete}\n"));
    }
    if let Some(list) = list {
        let count = |number: usize, one, more| print::count(number as u64, one, more);
        let revoked = count(
            *revoked,
            "API key that was revoked since is revoked",
            "API keys that were revoked since are revoked",
        );
        let erased = count(*erased, "contact that was erased since", "contacts that were erased since");
        let ended = count(*ended, "business that was ended since", "businesses that were ended since");
        let removed = count(
            *removed,
            "person who was removed from a business since is removed",
            "people who were removed from a business since are removed",
        );
        let kept = count(*kept, "contact that was erased since is", "contacts that were erased since are");
        text.push_str(&format!(
            "the list {} was applied:\n\
             {revoked}; {valid} let in\n\
             {erased} and {ended} are gone again; the service deletes what is left of them when it starts\n\
             {removed}\n",
            list.display()
        ));
        if restored.kept > 0 {
            text.push_str(&format!(
                "{kept} still there, in businesses whose profile does not decode: `receptionist verify` names them, and \
                 they go with the business (`receptionist business delete`)\n"
            ));
        }
    } else {
        let keys =
            if *revoked == 1 { "the one API key is".into() } else { format!("all {revoked} API keys are") };
        text.push_str(&format!(
            "there was no list of what was revoked, erased, removed and ended since (--after), nor a copy beside the \
             backup, so {keys} revoked; contacts that were erased, people who were removed and businesses that were \
             ended since the backup was made are back\n"
        ));
    }
    text.push_str(
        "everybody is signed out, and no link to sign in works any more\n\
         whoever was disabled, or given another role or another password, since the backup was made is back as they \
         were then: look through `receptionist person list` of each business\n",
    );
    text
}

/// What was found, for programs.
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

/// What is printed of what was found.
fn found(report: &Report) -> String {
    let Report { rows, businesses, records, findings, found } = report;
    let mut text: String = findings.iter().map(|finding| format!("{finding}\n")).collect();
    if *found > findings.len() as u64 {
        text.push_str(&format!("and {} more\n", found - findings.len() as u64));
    }
    let [rows, businesses, records] = [
        print::count(*rows, "row", "rows"),
        print::count(*businesses, "business", "businesses"),
        print::count(*records, "record", "records"),
    ];
    let looked = format!("{rows} of {businesses}, {records}");
    text.push_str(&if *found == 0 {
        format!("{looked}: whole\n")
    } else {
        format!("{looked}: {found} wrong\n")
    });
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named_and_what_is_not_shown_is_counted() {
        let mut report = Report { rows: 9, businesses: 1, records: 4, ..Report::default() };
        assert_eq!(found(&report), "9 rows of 1 business, 4 records: whole\n");
        assert_eq!(found_json(&report)["whole"], true);
        report.findings.push("row 01: x".into());
        report.found = 3;
        let told = found_json(&report);
        assert_eq!((&told["whole"], &told["findings_count"]), (&json!(false), &json!(3)));
        assert_eq!(told["findings"], json!(["row 01: x"]));
        assert_eq!(found(&report), "row 01: x\nand 2 more\n9 rows of 1 business, 4 records: 3 wrong\n");
    }
}
