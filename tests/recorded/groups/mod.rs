//! The groups of requests. Each group has its own service and its own file of recorded lines.

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

/// A script that creates a record of every kind. The paths of later requests contain the ids of these records. The only
/// endpoint is disabled, so that no delivery runs during the requests.
pub(crate) const FOUNDING: &str = include_str!("../scripts/founding.txt");

/// The rate limit, in requests per minute, for the test group that reaches it.
const FEW: u32 = 3;

/// The source of the requests of a group.
enum Play {
    /// A script in the syntax of `scene`.
    Script(&'static str),
    /// Requests that code generates, or that a script cannot express.
    Code(for<'a> fn(&'a mut Scene) -> Pin<Box<dyn Future<Output = ()> + 'a>>),
}

/// A group of requests.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    /// The number of requests per key and minute.
    limit: u32,
    play: Play,
}

impl Group {
    /// Sends the requests of the group to its own service. Returns the recorded lines.
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

pub(crate) fn all() -> Vec<Group> {
    let scripts = scripts![
        "appointments": UNLIMITED,
        "availability": UNLIMITED,
        "budget": UNLIMITED,
        "business": UNLIMITED,
        "calls": UNLIMITED,
        "catalog": UNLIMITED,
        "contacts": UNLIMITED,
        "conversations": UNLIMITED,
        "diary": UNLIMITED,
        "feeds": UNLIMITED,
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
