//! Circles among files that name each other, and the lines that tie them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use crate::source::{Line, Named, Source};

/// What each file names of the others, with the lines that do so.
type Graph = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<Line>>>;

/// A circle: files that each name the next one, and the last one the first.
pub(crate) struct Circle(Vec<(PathBuf, BTreeSet<Line>)>);

impl Circle {
    /// What it looks like in a report: the files in their order, then the lines that tie them, without the directory.
    pub(crate) fn told(&self, root: &Path) -> String {
        let short = |file: &Path| file.strip_prefix(root).unwrap_or(file).display().to_string();
        let mut files: Vec<_> = self.0.iter().map(|(file, _)| short(file)).collect();
        files.push(files[0].clone());
        let lines = self.0.iter().flat_map(|(_, lines)| lines);
        let lines = lines.map(|line| format!("  {}:{}: {}", short(&line.file), line.number, line.text));
        format!("{}\n{}", files.join(" -> "), lines.collect::<Vec<_>>().join("\n"))
    }
}

/// Circles of a crate, a shortest one of each knot, until breaking those would leave none in it.
pub(crate) fn circles(source: &Source) -> Vec<Circle> {
    let mut graph = Graph::new();
    for ((from, named), lines) in source.names() {
        if let Named::Own(to) = named {
            graph.entry(from).or_default().insert(to, lines);
        }
    }
    let mut found = Vec::new();
    // The shortest one first; then without the step that closes it.
    while let Some(circle) = shortest(&graph) {
        let (last, first) = (&circle.0[circle.0.len() - 1].0, &circle.0[0].0);
        graph.get_mut(last).unwrap().remove(first);
        found.push(circle);
    }
    found
}

fn shortest(graph: &Graph) -> Option<Circle> {
    graph.keys().filter_map(|file| through(graph, file)).min_by_key(|circle| circle.0.len())
}

/// A shortest circle through a file.
fn through(graph: &Graph, start: &Path) -> Option<Circle> {
    let mut came_from: BTreeMap<&Path, &Path> = BTreeMap::new();
    let mut next = VecDeque::from([start]);
    while let Some(file) = next.pop_front() {
        for named in graph.get(file)?.keys().filter(|named| graph.contains_key(*named)) {
            if named == start {
                let mut way = vec![file];
                while let Some(before) = came_from.get(way[way.len() - 1]) {
                    way.push(before);
                }
                way.reverse();
                let behind = way.iter().skip(1).copied().chain([start]);
                let steps = way.iter().zip(behind);
                let lines = |from: &Path, to: &Path| graph[from][to].clone();
                return Some(Circle(steps.map(|(from, to)| (from.to_path_buf(), lines(from, to))).collect()));
            }
            if !came_from.contains_key(named.as_path()) {
                came_from.insert(named, file);
                next.push_back(named);
            }
        }
    }
    None
}
