//! `receptionist availability`: the times at which a service can be booked.

use clap::Args;

use super::arguments::{InBusiness, Paging, service, staff};
use super::options::OperatorOptions;
use super::task::{Show, Task};
use super::typed::{Kind, Typed};

/// The number of days that are shown by default, which is also the maximum of the service.
const DAYS: u64 = 7;

#[derive(Debug, Args)]
pub(super) struct AvailabilityArgs {
    #[command(flatten)]
    of: InBusiness,
    /// The id or name of the service
    #[arg(long)]
    service: String,
    /// Show only times when this staff member is free; an id or name
    #[arg(long)]
    staff: Option<String>,
    /// The first day, such as 2026-03-02, tomorrow or tue
    #[arg(long, visible_alias = "from", value_name = "DAY", default_value = "today")]
    start_date: String,
    /// The last day; the range has at most 7 days [default: 6 days after the first]
    #[arg(long, visible_alias = "to", value_name = "DAY")]
    end_date: Option<String>,
    /// Also show times within the buffers around appointments
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
        Task::list(self.of.path(&["availability"]), Show::Times, self.paging)
            .narrowed("service_id", Some(service(self.service)))
            .narrowed("staff_id", self.staff.map(staff))
            .narrowed("start_date", Some(first))
            .narrowed("end_date", Some(last))
            .narrowed("ignore_buffers", self.ignore_buffers.then_some(true))
    }
}
