//! `repair-stamps` works on the store of a stopped service. It replaces each timestamp in the future with the current
//! time or an earlier time.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use engine::repair::{RepairError, Report, repair_stamps};
use ports::system_clock;
use store::Store;

use super::carry_out::carry_out;
use super::print;
use crate::config::variables;

#[derive(Debug, Args)]
pub struct RepairArgs {
    /// The data directory of the stopped service
    #[arg(long, value_name = "DIR", env = variables::DATA_DIR, default_value = "./receptionist-data")]
    data_dir: PathBuf,
    /// Only print what the repair would change
    #[arg(long)]
    dry_run: bool,
}

/// Runs the repair. The exit code is 1 if the repair fails, for example because a service uses the store. Another run
/// continues an interrupted repair.
pub fn repair(args: RepairArgs) -> ExitCode {
    let act = async move {
        let report = run(&args).await;
        let report = report.map_err(|error| format!("{}: {error}", variables::DATA_DIR))?;
        print::written(&describe(&report, args.dry_run))
    };
    carry_out(false, act)
}

async fn run(args: &RepairArgs) -> Result<Report, RepairError> {
    // Opening a store creates its directory, so a directory that does not exist is refused first.
    if !args.data_dir.is_dir() {
        return Err(RepairError::NoStore);
    }
    let store = Store::open_disk(&args.data_dir, Box::new(|_| ()))?;
    let repaired = repair_stamps(&store, system_clock().now(), args.dry_run).await;
    let closed = store.close().await;
    let report = repaired?;
    closed?;
    Ok(report)
}

fn describe(report: &Report, dry_run: bool) -> String {
    let mut text = format!("timestamps must not be later than {}", report.present);
    if report.resumed {
        text.push_str(", the time at the start of the interrupted repair");
    }
    text.push('\n');
    for business in &report.businesses {
        text.push_str(&format!("{business}\n"));
    }
    if report.others > 0 {
        text.push_str(&format!("without a business: {}\n", report.others));
    }
    text.push_str(match (report.businesses.is_empty() && report.others == 0, dry_run) {
        (true, _) => "no timestamp is later\n",
        (false, true) => "nothing was changed; without --dry-run the command corrects the timestamps of these records and keeps their order\n",
        (false, false) => {
            "the timestamps of these records were corrected and their order was kept; clients that poll with \
             updated_since must read again from an instant before the wrong timestamps\n"
        }
    });
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use domain::Timestamp;
    use engine::repair::BusinessReport;

    use super::*;

    #[test]
    fn the_report_lists_moved_records_and_affected_clients() {
        let mut report = Report {
            present: Timestamp::parse("2026-03-02T09:00:00Z").unwrap(),
            resumed: false,
            businesses: Vec::new(),
            others: 0,
        };
        assert_eq!(
            describe(&report, false),
            "timestamps must not be later than 2026-03-02T09:00:00.000Z\nno timestamp is later\n"
        );
        report.businesses.push(BusinessReport {
            id: uuid::Uuid::nil().into(),
            name: "Salon \"Lumière\"\n".into(),
            records: BTreeMap::from([("appointments", 2), ("audit entries", 3)]),
        });
        report.resumed = true;
        let text = describe(&report, false);
        let line = "00000000-0000-0000-0000-000000000000 \"Salon \\\"Lumière\\\"\\n\": 2 appointments, 3 audit entries\n";
        assert!(
            text.contains(line) && text.contains("the time at the start of the interrupted repair"),
            "{text}"
        );
        assert!(text.contains("updated_since"), "{text}");
        assert!(describe(&report, true).contains("nothing was changed"));
    }
}
