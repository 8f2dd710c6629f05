//! `receptionist availability`: the times at which a service can be booked.

use clap::Args;

use super::arguments::{InBusiness, Paging, service, staff};
use super::options::OperatorOptions;
use super::task::Task;
use super::typed::{Kind, Typed};

/// How many days are shown when no last one is named; the most that the service takes.
const DAYS: u64 = 7;

/// For what, with whom and on which days times are shown.
#[derive(Debug, Args)]
pub(super) struct AvailabilityArgs {
    #[command(flatten)]
    of: InBusiness,
    /// The service to book, by its id or name
    #[arg(long)]
    service: String,
    /// Only times when this staff member is free, by their id or name
    #[arg(long)]
    staff: Option<String>,
    /// The first day, such as 2026-03-02, tomorrow or tue
    #[arg(long, visible_alias = "from", value_name = "DAY", default_value = "today")]
    start_date: String,
    /// The last day, at most 7 days in all [default: the seventh]
    #[arg(long, visible_alias = "to", value_name = "DAY")]
    end_date: Option<String>,
    /// Also times in what appointments keep free around them
    #[arg(long)]
    ignore_buffers: bool,
    #[command(flatten)]
    paging: Paging,
    #[command(flatten)]
    pub(super) options: OperatorOptions,
}

impl AvailabilityArgs {
    pub(super) fn into_task(self) -> Task {
        let first = Typed::new("--start-date", Kind::Day { later_by: 0 }, self.start_date.as_str());
        let last = match self.end_date {
            Some(day) => Typed::new("--end-date", Kind::Day { later_by: 0 }, day),
            None => Typed::new("--start-date", Kind::Day { later_by: DAYS - 1 }, self.start_date),
        };
        Task::times(self.of.path(&["availability"]), self.paging)
            .narrowed("service_id", Some(service(self.service)))
            .narrowed("staff_id", self.staff.map(staff))
            .narrowed("start_date", Some(first))
            .narrowed("end_date", Some(last))
            .narrowed("ignore_buffers", self.ignore_buffers.then_some(true))
    }
}
