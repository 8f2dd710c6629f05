//! Describes the machine on which the harness runs.

use std::fs;
use std::path::Path;

/// Returns the processor, the memory, the kernel, and the file system of this directory.
pub(crate) fn describe(directory: &Path) -> Vec<(&'static str, String)> {
    let file = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let after = |text: &str, name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        value.trim_start_matches([' ', '\t', ':']).to_owned()
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    vec![
        ("processor", format!("{}, {cores} cores", after(&file("/proc/cpuinfo"), "model name"))),
        ("memory", after(&file("/proc/meminfo"), "MemTotal")),
        ("kernel", file("/proc/sys/kernel/osrelease").trim().to_owned()),
        ("data on", file_system(directory, &file("/proc/mounts"))),
    ]
}

/// Returns the device and the type of the file system that contains a directory. Several mount points can be prefixes
/// of the directory's path. The longest mount point counts. If it occurs several times in `mounts`, the last occurrence
/// counts.
fn file_system(directory: &Path, mounts: &str) -> String {
    let fields = mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let above = fields.filter(|mount| mount.len() > 2 && directory.starts_with(mount[1]));
    let mount = above.max_by_key(|mount| mount[1].len());
    mount.map_or_else(String::new, |mount| format!("{} ({})", mount[0], mount[2]))
}
