//! The modules of a crate as its source tells them: what each file defines, brings in, hands on, and names.
//!
//! What always holds: nothing that is compiled for tests alone is read; a name that a module hands on leads to the file
//! that defines it; a name that cannot be followed further leads to the file where the way ends.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// How many names that are handed on are followed one after the other.
const STEPS_MAX: usize = 32;

/// A place in the source that names something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Line {
    pub(crate) file: PathBuf,
    pub(crate) number: usize,
    pub(crate) text: String,
}

/// The modules of one crate.
pub(crate) struct Source {
    modules: Vec<Module>,
    /// The modules that define the macros which are exported, as the root hands them on.
    exported: BTreeMap<String, usize>,
    /// What else the crate's own code may be called from outside of its library.
    own_name: &'static str,
}

/// A module: a file, or a part of one in braces.
struct Module {
    path: Vec<String>,
    file: PathBuf,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    defined: BTreeSet<String>,
    brought_in: BTreeMap<String, Vec<String>>,
    wholly: Vec<Vec<String>>,
    named: Vec<(Vec<String>, usize)>,
}

/// Where a path leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Module(usize),
    /// Something that this module defines.
    DefinedIn(usize),
}

/// What a line names: a file of the crate, or another crate by its first segment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Named {
    Own(PathBuf),
    Other(String),
}

/// A token, out of its groups.
struct Token {
    text: String,
    line: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Sign,
    Open,
    Close,
    Other,
}

impl Source {
    /// Reads the modules of a crate, from each of the files that it begins with.
    pub(crate) fn read(beginnings: &[PathBuf], own_name: &'static str) -> Self {
        let mut source = Self { modules: Vec::new(), exported: BTreeMap::new(), own_name };
        for file in beginnings {
            source.read_file(file, Vec::new(), None);
        }
        source
    }

    /// The files, each with the path of its module.
    pub(crate) fn files(&self) -> BTreeMap<&Path, &[String]> {
        // A part in braces has a longer path than its file.
        let mut files = BTreeMap::new();
        for module in self.modules.iter().rev() {
            files.insert(module.file.as_path(), module.path.as_slice());
        }
        files
    }

    /// What every file names, with the lines that do so; what it defines itself is left out.
    pub(crate) fn names(&self) -> BTreeMap<(PathBuf, Named), BTreeSet<Line>> {
        let mut names: BTreeMap<_, BTreeSet<Line>> = BTreeMap::new();
        for (at, module) in self.modules.iter().enumerate() {
            let text = fs::read_to_string(&module.file).unwrap();
            for (path, number) in &module.named {
                let named = match self.find(at, path, 0) {
                    Some(Found::DefinedIn(found)) => Named::Own(self.modules[found].file.clone()),
                    // A module alone: what is used of it is named in full.
                    Some(Found::Module(_)) => continue,
                    None if path.len() > 1 => Named::Other(path[0].clone()),
                    None => continue,
                };
                if named == Named::Own(module.file.clone()) {
                    continue;
                }
                let line = text.lines().nth(number - 1).unwrap_or_default().trim().to_owned();
                let line = Line { file: module.file.clone(), number: *number, text: line };
                names.entry((module.file.clone(), named)).or_default().insert(line);
            }
        }
        names
    }

    fn read_file(&mut self, file: &Path, path: Vec<String>, parent: Option<usize>) -> usize {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut flat = Vec::new();
        flatten(tokens, &mut flat);
        let module = self.add(file, path, parent);
        self.read_module(module, &flat, 0);
        module
    }

    fn add(&mut self, file: &Path, path: Vec<String>, parent: Option<usize>) -> usize {
        self.modules.push(Module {
            path,
            file: file.to_owned(),
            parent,
            children: BTreeMap::new(),
            defined: BTreeSet::new(),
            brought_in: BTreeMap::new(),
            wholly: Vec::new(),
            named: Vec::new(),
        });
        self.modules.len() - 1
    }

    /// Reads the tokens of a module from `at` on, to its end; gives where that is.
    fn read_module(&mut self, module: usize, tokens: &[Token], mut at: usize) -> usize {
        let mut depth = 0;
        let word = |at: usize| tokens.get(at).filter(|token| token.kind == Kind::Word);
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
        while let Some(token) = tokens.get(at) {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close if depth == 0 => return at,
                Kind::Close => depth -= 1,
                Kind::Word => match token.text.as_str() {
                    "mod" if depth == 0 && word(at + 1).is_some() => {
                        at = self.read_child(module, tokens, at);
                        continue;
                    }
                    // `use<>` is the end of a type.
                    "use" if text(at + 1) != "<" => {
                        let handed_on = at > 0 && is_visibility(tokens, at - 1);
                        at = self.read_use(module, tokens, at + 1, handed_on);
                        continue;
                    }
                    "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static"
                        if word(at + 1).is_some() =>
                    {
                        let name_at = if text(at + 1) == "mut" { at + 2 } else { at + 1 };
                        if !matches!(text(name_at), "fn" | "async") {
                            if depth == 0 {
                                self.modules[module].defined.insert(text(name_at).to_owned());
                            }
                            at = name_at + 1;
                            continue;
                        }
                    }
                    "macro_rules" if text(at + 1) == "!" => {
                        let name = text(at + 2).to_owned();
                        if at > 1 && text(at - 2) == "macro_export" {
                            self.exported.insert(name, module);
                        } else {
                            self.modules[module].defined.insert(name);
                        }
                    }
                    _ => {
                        at = self.read_path(module, tokens, at);
                        continue;
                    }
                },
                Kind::Sign | Kind::Other => {}
            }
            at += 1;
        }
        at
    }

    /// Reads a module within another: the file of its name, or what stands in braces.
    fn read_child(&mut self, parent: usize, tokens: &[Token], at: usize) -> usize {
        let name = tokens[at + 1].text.clone();
        let mut path = self.modules[parent].path.clone();
        path.push(name.clone());
        let file = self.modules[parent].file.clone();
        let (child, end) = if tokens[at + 2].kind == Kind::Open {
            let child = self.add(&file, path, Some(parent));
            (child, self.read_module(child, tokens, at + 3))
        } else {
            let is_face =
                matches!(file.file_name().unwrap().to_str().unwrap(), "mod.rs" | "lib.rs" | "main.rs");
            let beside = if is_face { file.parent().unwrap().to_owned() } else { file.with_extension("") };
            let files = [beside.join(format!("{name}.rs")), beside.join(&name).join("mod.rs")];
            let found = files.iter().find(|file| file.exists());
            let found = found.unwrap_or_else(|| panic!("{}: no file of module {name}", file.display()));
            (self.read_file(found, path, Some(parent)), at + 2)
        };
        self.modules[parent].children.insert(name, child);
        end + 1
    }

    /// Reads what a `use` brings in, up to its end. What is handed on is named where somebody makes use of it.
    fn read_use(&mut self, module: usize, tokens: &[Token], at: usize, handed_on: bool) -> usize {
        let end = (at..tokens.len()).find(|at| tokens[*at].text == ";").unwrap_or(tokens.len());
        let mut leaves = Vec::new();
        read_tree(&tokens[at..end], &mut 0, &[], &mut leaves);
        for Leaf { path, name, line } in leaves {
            match name.as_deref() {
                None => self.modules[module].wholly.push(path),
                Some(name) => {
                    if !handed_on {
                        self.modules[module].named.push((path.clone(), line));
                    }
                    if name != "_" {
                        self.modules[module].brought_in.insert(name.to_owned(), path);
                    }
                }
            }
        }
        end + 1
    }

    /// Reads a path in the code, if one begins here; gives where it ends.
    fn read_path(&mut self, module: usize, tokens: &[Token], at: usize) -> usize {
        let (mut path, mut next) = (vec![tokens[at].text.clone()], at + 1);
        let sign = |at: usize, sign: &str| tokens.get(at).is_some_and(|token| token.text == sign);
        while sign(next, ":")
            && sign(next + 1, ":")
            && tokens.get(next + 2).is_some_and(|token| token.kind == Kind::Word)
        {
            path.push(tokens[next + 2].text.clone());
            next += 3;
        }
        let before = at.checked_sub(1).map_or("", |before| tokens[before].text.as_str());
        let is_of_something = matches!(before, "." | "'") || (before == ":" && at > 1 && sign(at - 2, ":"));
        let stands_alone = path.len() == 1 && matches!(path[0].as_str(), "crate" | "self" | "super");
        if !is_of_something && !stands_alone {
            self.modules[module].named.push((path, tokens[at].line));
        }
        next
    }

    /// Follows a path from a module to what it names, if that is of this crate.
    fn find(&self, from: usize, path: &[String], steps: usize) -> Option<Found> {
        assert!(steps < STEPS_MAX, "{path:?} leads nowhere from {}", self.modules[from].file.display());
        let (first, rest) = path.split_first()?;
        let root = |mut at: usize| {
            while let Some(parent) = self.modules[at].parent {
                at = parent;
            }
            at
        };
        let start = match first.as_str() {
            "crate" => Found::Module(root(from)),
            "self" => Found::Module(from),
            "super" => Found::Module(self.modules[from].parent?),
            own if own == self.own_name && !self.is_known(from, own) => Found::Module(0),
            name => self.member(from, name, steps)?,
        };
        self.find_in(start, rest, steps)
    }

    fn find_in(&self, mut at: Found, path: &[String], steps: usize) -> Option<Found> {
        for name in path {
            let Found::Module(module) = at else { return Some(at) };
            at = match name.as_str() {
                "self" => at,
                "super" => Found::Module(self.modules[module].parent?),
                // What a macro defines has no name here.
                name => self.member(module, name, steps).unwrap_or(Found::DefinedIn(module)),
            };
        }
        Some(at)
    }

    /// What a name means in a module.
    fn member(&self, module: usize, name: &str, steps: usize) -> Option<Found> {
        let Module { children, defined, brought_in, wholly, .. } = &self.modules[module];
        if defined.contains(name) {
            return Some(Found::DefinedIn(module));
        }
        if let Some(child) = children.get(name) {
            return Some(Found::Module(*child));
        }
        // `use url::Url` beside a module of ours that is named `url` means the crate, and `use words` a macro.
        if let Some(path) = brought_in.get(name).filter(|path| path[0] != name) {
            return self.find(module, path, steps + 1);
        }
        if let Some(found) = self.exported.get(name).filter(|_| self.modules[module].parent.is_none()) {
            return Some(Found::DefinedIn(*found));
        }
        wholly.iter().find_map(|path| match self.find(module, path, steps + 1)? {
            Found::Module(whole) if whole != module && self.is_known(whole, name) => {
                self.member(whole, name, steps + 1)
            }
            _ => None,
        })
    }

    fn is_known(&self, module: usize, name: &str) -> bool {
        let Module { children, defined, brought_in, .. } = &self.modules[module];
        defined.contains(name) || children.contains_key(name) || brought_in.contains_key(name)
    }
}

/// One name that a `use` brings in; none where it brings in all of a module.
struct Leaf {
    path: Vec<String>,
    name: Option<String>,
    line: usize,
}

/// Reads a tree of names, up to the comma or brace behind it.
fn read_tree(tokens: &[Token], at: &mut usize, before: &[String], leaves: &mut Vec<Leaf>) {
    let mut path = before.to_vec();
    while let Some(token) = tokens.get(*at) {
        *at += 1;
        match (token.kind, token.text.as_str()) {
            (Kind::Word, "as") => {
                let (name, line) = (Some(tokens[*at].text.clone()), token.line);
                *at += 1;
                leaves.push(Leaf { path, name, line });
                return;
            }
            (Kind::Word, "self") if !before.is_empty() && path.len() == before.len() => {
                leaves.push(Leaf { name: path.last().cloned(), path, line: token.line });
                return;
            }
            (Kind::Word, word) => {
                path.push(word.to_owned());
                let ends = tokens.get(*at).is_none_or(|next| next.text == "," || next.kind == Kind::Close);
                if ends {
                    leaves.push(Leaf { name: path.last().cloned(), path, line: token.line });
                    return;
                }
            }
            (Kind::Sign, "*") => {
                leaves.push(Leaf { path, name: None, line: token.line });
                return;
            }
            (Kind::Open, _) => {
                while tokens.get(*at).is_some_and(|token| token.kind != Kind::Close) {
                    read_tree(tokens, at, &path, leaves);
                    if tokens.get(*at).is_some_and(|token| token.text == ",") {
                        *at += 1;
                    }
                }
                *at += 1;
                return;
            }
            _ => {}
        }
    }
}

/// Whether the token before an item ends `pub` or `pub(…)`.
fn is_visibility(tokens: &[Token], at: usize) -> bool {
    match tokens[at].kind {
        Kind::Word => tokens[at].text == "pub",
        Kind::Close => {
            let open = (0..at).rev().find(|at| tokens[*at].kind == Kind::Open);
            open.is_some_and(|open| open > 0 && tokens[open - 1].text == "pub")
        }
        _ => false,
    }
}

/// Takes tokens out of their groups, without documentation and without what is for tests alone.
fn flatten(tokens: TokenStream, flat: &mut Vec<Token>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let line = token.span().start().line;
        let kind = match token {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                if matches!(tokens.get(at), Some(TokenTree::Punct(sign)) if sign.as_char() == '!') {
                    at += 1;
                }
                if let Some(TokenTree::Group(group)) = tokens.get(at)
                    && group.delimiter() == Delimiter::Bracket
                {
                    at += 1;
                    match group.stream().into_iter().next() {
                        _ if group.stream().to_string().replace(' ', "") == "cfg(test)" => {
                            at = behind_item(&tokens, at);
                        }
                        Some(TokenTree::Ident(name)) if name == "doc" => {}
                        _ => flatten_group(group, flat),
                    }
                }
                continue;
            }
            TokenTree::Group(group) => {
                flatten_group(group, flat);
                continue;
            }
            TokenTree::Ident(_) => Kind::Word,
            TokenTree::Punct(_) => Kind::Sign,
            TokenTree::Literal(_) => Kind::Other,
        };
        flat.push(Token { text: token.to_string(), line, kind });
    }
}

fn flatten_group(group: &Group, flat: &mut Vec<Token>) {
    let edge = |line, kind| Token { text: String::new(), line, kind };
    flat.push(edge(group.span_open().start().line, Kind::Open));
    flatten(group.stream(), flat);
    flat.push(edge(group.span_close().start().line, Kind::Close));
}

/// Where the item, field or statement ends that begins here.
fn behind_item(tokens: &[TokenTree], mut at: usize) -> usize {
    let items =
        ["pub", "mod", "use", "fn", "async", "impl", "struct", "enum", "const", "static", "type", "trait"];
    let is_item =
        matches!(tokens.get(at), Some(TokenTree::Ident(word)) if items.contains(&&*word.to_string()));
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Punct(sign) if sign.as_char() == ';' || (sign.as_char() == ',' && !is_item) => break,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
            _ => {}
        }
    }
    at
}
