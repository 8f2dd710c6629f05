//! The groups of requests. Each has a service and a file of recorded lines of its own.

mod conditions;
mod disk;
mod doors;
mod mail;
mod moving;
mod queries;
mod syntax;
mod tools;
mod under_way;
mod wire;

use std::pin::Pin;

use crate::scene::Scene;
use crate::tape::{Line, UNLIMITED};

/// Records of every kind that paths name. The only endpoint is off, so that no attempt goes on beside the requests.
pub(crate) const FOUNDING: &str = include_str!("../scripts/founding.txt");

/// The limit of the group that reaches it: so many requests a minute.
const FEW: u32 = 3;

/// How the requests of a group are had.
enum Play {
    /// They are written down.
    Script(&'static str),
    /// They are generated, or need more than a script can say.
    Code(for<'a> fn(&'a mut Scene) -> Pin<Box<dyn Future<Output = ()> + 'a>>),
}

/// A group of requests.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    /// So many requests a minute are allowed to a key.
    limit: u32,
    play: Play,
}

impl Group {
    /// Plays it on a service of its own.
    pub(crate) async fn played(&self) -> Vec<Line> {
        let mut scene = Scene::with_limit(self.limit).await;
        match self.play {
            Play::Script(script) => scene.play(script).await,
            Play::Code(play) => play(&mut scene).await,
        }
        scene.lines
    }
}

macro_rules! scripts {
    ($($name:literal: $limit:expr),* $(,)?) => {
        [$(Group {
            name: $name,
            limit: $limit,
            play: Play::Script(include_str!(concat!("../scripts/", $name, ".txt"))),
        }),*]
    };
}

macro_rules! code {
    ($($name:literal: $play:path),* $(,)?) => {
        [$(Group { name: $name, limit: UNLIMITED, play: Play::Code(|scene| Box::pin($play(scene))) }),*]
    };
}

/// Every group.
pub(crate) fn all() -> Vec<Group> {
    let scripts = scripts![
        "appointments": UNLIMITED,
        "availability": UNLIMITED,
        "budget": UNLIMITED,
        "business": UNLIMITED,
        "calls": UNLIMITED,
        "catalog": UNLIMITED,
        "contacts": UNLIMITED,
        "diary": UNLIMITED,
        "idempotency": UNLIMITED,
        "keys": UNLIMITED,
        "knowledge": UNLIMITED,
        "limits": FEW,
        "messages": UNLIMITED,
        "people": UNLIMITED,
        "protocol": UNLIMITED,
        "webhooks": UNLIMITED,
    ];
    let code = code![
        "assistants": tools::at_work,
        "bodies_operator": syntax::operator,
        "bodies_public": syntax::public,
        "conditions": conditions::play,
        "disk": disk::play,
        "doors": doors::play,
        "mail": mail::play,
        "moving": moving::play,
        "queries": queries::play,
        "tools": tools::play,
        "under_way": under_way::play,
        "wire": wire::play,
    ];
    scripts.into_iter().chain(code).collect()
}
