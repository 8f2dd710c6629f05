//! The table of results. It contains medians, ratios to baselines, and targets, and is printed as text or JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::measure::{Measured, median, median_of};

/// A target that a scenario must reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// The rate must be at least this multiple of the rate in another row.
    Rate { of: &'static str, at_least: f64 },
    /// The median duration must be at most this multiple of the median in another row.
    Time { of: &'static str, at_most: f64 },
    /// The 99th percentile of the durations must be at most this multiple of the 99th percentile in another row.
    Tail { of: &'static str, at_most: f64 },
    /// The 99th percentile of the durations must be below this many milliseconds. The table also shows the ratio to the
    /// row `alone`.
    Beside { alone: &'static str, under: f64 },
    /// The 99th percentile of the durations must be below this many milliseconds.
    P99 { under: f64 },
    /// The maximum duration must be below this many milliseconds.
    Max { under: f64 },
    /// The server must use less than this fraction of a processor core.
    Cpu { under: f64 },
    /// The median duration must be below this many milliseconds.
    P50 { under: f64 },
    /// The server must use less than this many megabytes of memory.
    Memory { under: f64 },
}

/// A row of the table: a scenario, or a floor, which is a lower bound for the time that any server needs.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The targets of the scenario. A floor has none.
    pub(crate) targets: Vec<Target>,
}

impl Row {
    /// Creates a row without a target.
    pub(crate) fn plain(name: &'static str) -> Self {
        Self { name, targets: Vec::new() }
    }

    pub(crate) fn reaching(name: &'static str, targets: &[Target]) -> Self {
        Self { name, targets: targets.to_vec() }
    }
}

impl Target {
    /// Returns the name of the row with which this row is compared.
    pub(crate) fn other(&self) -> Option<&'static str> {
        match self {
            Self::Rate { of, .. } | Self::Time { of, .. } | Self::Tail { of, .. } => Some(of),
            Self::Beside { alone, .. } => Some(alone),
            _ => None,
        }
    }

    /// Returns the ratio of this row's figure to the figure of the row with which it is compared, as the
    /// median over all runs.
    fn ratio(&self, runs: &[Measured], report: &Report) -> Option<f64> {
        let figure = match self {
            Self::Rate { .. } => |run: &Measured| run.rate,
            Self::Time { .. } => |run: &Measured| run.p50,
            _ => |run: &Measured| run.p99,
        };
        let others = report.runs(self.other()?)?;
        let ratios = runs.iter().zip(others).filter_map(|(run, other)| Some(figure(run)? / figure(other)?));
        median(ratios.collect())
    }

    /// Returns the median of the target's figure over all runs, in the unit of the target.
    fn reached(&self, runs: &[Measured], report: &Report) -> Option<f64> {
        match self {
            Self::Rate { .. } | Self::Time { .. } | Self::Tail { .. } => self.ratio(runs, report),
            Self::P99 { .. } | Self::Beside { .. } => median_of(runs, |run| run.p99),
            Self::P50 { .. } => median_of(runs, |run| run.p50),
            Self::Max { .. } => median_of(runs, |run| run.max),
            Self::Memory { .. } => median_of(runs, |run| run.memory.map(megabytes)),
            Self::Cpu { .. } => median_of(runs, Measured::cores),
        }
    }

    fn is_met_by(&self, reached: f64) -> bool {
        match self {
            Self::Rate { at_least, .. } => reached >= *at_least,
            Self::Time { at_most, .. } | Self::Tail { at_most, .. } => reached <= *at_most,
            Self::P99 { under }
            | Self::Beside { under, .. }
            | Self::P50 { under }
            | Self::Max { under }
            | Self::Memory { under }
            | Self::Cpu { under } => reached < *under,
        }
    }

    /// Returns the text of the comparison with another row, and the text of the target.
    fn words(&self, runs: &[Measured], report: &Report) -> (String, String) {
        let ratio = self.ratio(runs, report).map(|ratio| format!("{ratio:.2}"));
        let asked = match self {
            Self::Rate { of, at_least } => format!("≥ {at_least:.2} of \"{of}\""),
            Self::Time { of, at_most } => format!("p50 ≤ {at_most:.2} of \"{of}\""),
            Self::Tail { of, at_most } => format!("p99 ≤ {at_most:.2} of \"{of}\""),
            Self::Beside { under, .. } | Self::P99 { under } => format!("p99 < {under} ms"),
            Self::P50 { under } => format!("< {under} ms"),
            Self::Max { under } => format!("max < {under} ms"),
            Self::Memory { under } => format!("< {under} MB"),
            Self::Cpu { under } => format!("CPU < {:.0} % of a core", under * 100.0),
        };
        let ratio = match self {
            Self::Max { .. } => self.reached(runs, report).map(|max| format!("{max:.1} ms")),
            Self::Cpu { .. } => {
                median_of(runs, Measured::cores).map(|cores| format!("{:.1} %", cores * 100.0))
            }
            _ => ratio.or_else(|| self.other().map(|_| "-".into())),
        };
        (ratio.unwrap_or_default(), asked)
    }
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// All measurements in the order of the table.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<(Row, Vec<Measured>)>,
    /// Notes, for example about rows that were omitted and the reasons.
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// Adds a row and the figures of its runs.
    pub(crate) fn add(&mut self, row: Row, runs: Vec<Measured>) {
        self.rows.push((row, runs));
    }

    /// Returns the measurements by the names of their rows.
    pub(crate) fn measured(&self) -> Vec<(&'static str, &[Measured])> {
        self.rows.iter().map(|(row, runs)| (row.name, runs.as_slice())).collect()
    }

    fn runs(&self, name: &str) -> Option<&[Measured]> {
        self.rows.iter().find(|(row, _)| row.name == name).map(|(_, runs)| runs.as_slice())
    }

    pub(crate) fn text(&self) -> String {
        let titles = [
            "scenario",
            "per second",
            "p50 ms",
            "p99 ms",
            "p99.9 ms",
            "CPU s",
            "CPU µs each",
            "memory MB",
            "ratio",
            "target",
            "",
        ];
        let mut lines = vec![titles.map(str::to_owned)];
        for (row, runs) in &self.rows {
            let mut line = self.figures(row.name, runs);
            for target in &row.targets {
                let reached = target.reached(runs, self);
                (line[8], line[9]) = target.words(runs, self);
                line[10] = match reached.map(|reached| target.is_met_by(reached)) {
                    Some(true) => "reached",
                    Some(false) => "MISSED",
                    None => "not measured",
                }
                .into();
                lines.push(line);
                line = Default::default();
            }
            if row.targets.is_empty() {
                lines.push(line);
            }
        }
        aligned(&lines)
    }

    fn figures(&self, name: &str, runs: &[Measured]) -> [String; 11] {
        let number = |figure: Option<f64>, digits: usize| {
            figure.map_or_else(String::new, |figure| format!("{figure:.digits$}"))
        };
        let of = |figure: fn(&Measured) -> Option<f64>| median_of(runs, figure);
        let cpu_each = median_of(runs, Measured::cpu_each);
        [
            name.to_owned(),
            number(of(|run| run.rate), 0),
            number(of(|run| run.p50), 3),
            number(of(|run| run.p99), 3),
            number(of(|run| run.p999), 3),
            number(of(|run| run.cpu_seconds), 2),
            number(cpu_each, 1),
            number(of(|run| run.memory.map(megabytes)), 0),
            String::new(),
            String::new(),
            String::new(),
        ]
    }

    /// Returns the table as JSON, including the figures of each run.
    pub(crate) fn json(&self, machine: &[(&'static str, String)]) -> Value {
        let rows = self.rows.iter().map(|(row, runs)| {
            let targets = row.targets.iter().map(|target| {
                let reached = target.reached(runs, self);
                json!({
                    "target": target.words(runs, self).1,
                    "value": reached,
                    "reached": reached.map(|reached| target.is_met_by(reached)),
                })
            });
            json!({
                "scenario": row.name,
                "per_second": median_of(runs, |run| run.rate),
                "p50_ms": median_of(runs, |run| run.p50),
                "p99_ms": median_of(runs, |run| run.p99),
                "p999_ms": median_of(runs, |run| run.p999),
                "max_ms": median_of(runs, |run| run.max),
                "server_cpu_seconds": median_of(runs, |run| run.cpu_seconds),
                "server_memory_bytes": median_of(runs, |run| run.memory.map(|bytes| bytes as f64)),
                "targets": targets.collect::<Vec<_>>(),
                "runs": runs,
            })
        });
        json!({
            "machine": machine.iter().map(|(name, value)| ((*name).to_owned(), value.clone().into()))
                .collect::<serde_json::Map<_, _>>(),
            "scenarios": rows.collect::<Vec<_>>(),
            "notes": self.notes,
        })
    }
}

/// Aligns the first column and the last two columns to the left. Aligns the columns between them to the right.
fn aligned(lines: &[[String; 11]]) -> String {
    let widths: Vec<usize> = (0..11)
        .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or_default())
        .collect();
    let mut out = String::new();
    for line in lines {
        let mut text = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let pad = " ".repeat(width - cell.chars().count());
            let _ = match column {
                0 | 9 | 10 => write!(text, "{cell}{pad}  "),
                _ => write!(text, "{pad}{cell}  "),
            };
        }
        out += text.trim_end();
        out.push('\n');
    }
    out
}
