//! The standard metrics of a process (`process_*`), which common dashboards expect. They exist only on
//! Linux.

use std::fmt::Error;

use procfs::WithCurrentSystemInfo;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

#[derive(Debug)]
pub(super) struct ThisProcess;

impl Collector for ThisProcess {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), Error> {
        let encoder = &mut encoder;
        // A metric whose value cannot be read is omitted.
        let Ok(process) = procfs::process::Process::myself() else { return Ok(()) };
        if let Ok(stat) = process.stat() {
            let ticks = procfs::ticks_per_second() as f64;
            let about = "User and system CPU time";
            let mut counter =
                encoder.encode_descriptor("process_cpu", about, Some(&Unit::Seconds), MetricType::Counter)?;
            let cpu = (stat.utime + stat.stime) as f64 / ticks;
            counter.encode_counter::<NoLabelSet, f64, f64>(&cpu, None)?;
            let (about, size) = ("Resident memory size", stat.rss_bytes().get() as f64);
            gauge(encoder, "process_resident_memory", about, Some(&Unit::Bytes), size)?;
            let (about, size) = ("Virtual memory size", stat.vsize as f64);
            gauge(encoder, "process_virtual_memory", about, Some(&Unit::Bytes), size)?;
            if let Ok(booted) = procfs::boot_time_secs() {
                let about = "Start time of the process, in seconds since 1970";
                let started = booted as f64 + stat.starttime as f64 / ticks;
                gauge(encoder, "process_start_time", about, Some(&Unit::Seconds), started)?;
            }
        }
        if let Ok(open) = process.fd_count() {
            gauge(encoder, "process_open_fds", "Number of open file descriptors", None, open as f64)?;
        }
        if let Ok((most, _)) = rlimit::Resource::NOFILE.get() {
            let about = "Maximum number of open file descriptors";
            gauge(encoder, "process_max_fds", about, None, most as f64)?;
        }
        Ok(())
    }
}

fn gauge(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    about: &str,
    unit: Option<&Unit>,
    value: f64,
) -> Result<(), Error> {
    encoder.encode_descriptor(name, about, unit, MetricType::Gauge)?.encode_gauge(&value)
}
