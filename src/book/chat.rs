//! The routes of the chat on a booking page, in which a customer has a conversation with the receptionist. Requests and
//! responses are JSON for the script `chat.js`.
//!
//! Invariants:
//! - Every request about a conversation needs the token of the conversation. Only the response that starts the
//!   conversation contains the token; the store contains the SHA-256 of the token.
//! - A repeated request (with the same `turn_id`) gets the first response again, with new manage links.
//! - A choice is accepted only if the last turn offers it. The id of a choice contains the number of its turn.
//! - A customer sees the words of the turns, but not their effects.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::StatusCode;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use domain::{
    Actor, AppointmentId, BusinessId, Channel, ConversationId, Locale, ProblemCode, ResourceId, Speaker,
    Text, Timestamp,
};
use engine::business::commands::conversations::{StartConversation, TakeTurn};
use engine::business::commands::customers::MintLink;
use engine::business::{Answer, BookingLimit, Idempotency, Request};
use engine::window::{Rate, Windows};
use serde::Serialize;
use sha2::{Digest, Sha256};
use talk::Said;
use view::{ChoiceView, TurnView, TurnsTakenView};

use super::input::{PageInput, Shop};
use super::refused::Refused;
use super::route::Answered;
use crate::http::authorization::bearer;
use crate::http::envelope;
use crate::http::json::Json;
use crate::http::problems::{FieldPath, Problems};
use crate::http::read::{self, Properties};
use crate::http::reading::Reading;
use crate::json_object;
use crate::rest::error::ApiError;
use crate::rest::values::phone::read_phone;
use crate::server::network;

/// The limit on new conversations from one IPv4 address or IPv6 /64.
const STARTS: Rate = Rate { count: 10, within: TimeDelta::hours(1) };
/// The limit on turns from one IPv4 address or IPv6 /64.
const TURNS: Rate = Rate { count: 60, within: TimeDelta::minutes(10) };
/// The limit on new conversations of one business.
const OF_BUSINESS: Rate = Rate { count: 2_000, within: TimeDelta::days(1) };

pub(super) struct ChatLimits {
    starts: Windows<IpAddr>,
    turns: Windows<IpAddr>,
    businesses: Windows<BusinessId>,
}

impl Default for ChatLimits {
    fn default() -> Self {
        Self {
            starts: Windows::sliding(&[STARTS]),
            turns: Windows::sliding(&[TURNS]),
            businesses: Windows::sliding(&[OF_BUSINESS]),
        }
    }
}

impl ChatLimits {
    fn start(&mut self, business: BusinessId, address: IpAddr, now: Timestamp) -> Result<(), Timestamp> {
        if let Some(free) = self.businesses.free_at(&business, now) {
            return Err(free);
        }
        self.starts.count(network(address), now)?;
        self.businesses.count(business, now).map(|_| ())
    }

    fn turn(&mut self, address: IpAddr, now: Timestamp) -> Result<(), Timestamp> {
        self.turns.count(network(address), now).map(|_| ())
    }
}

fn too_many(free: Timestamp, now: Timestamp) -> Refused {
    Refused::too_many((free - now).num_milliseconds().unsigned_abs().div_ceil(1_000))
}

json_object! {
    /// A new conversation.
    struct StartBody {
        /// The language of the page.
        locale: Option<Locale>,
    }
}

json_object! {
    /// A turn of the customer: `text` or `choice`.
    struct ChatTurnBody {
        /// The words that the customer writes.
        text: Option<Text<1, 16_384>>,
        /// The id of one of the `choices` in the last response.
        choice: Option<Text<1, 40>>,
        /// A random id of the turn, so the page can repeat the request without repeating the turn.
        turn_id: Text<1, 64>,
    }
    check one_input
}

fn one_input(properties: &Properties<'_>, at: &FieldPath<'_>, problems: &mut Problems) {
    match (properties.has("text"), properties.has("choice")) {
        (false, false) => problems.add(at, ProblemCode::OneRequired(&["text", "choice"])),
        (true, true) => problems.add(&at.property("choice"), ProblemCode::NotWith(&["text"])),
        _ => {}
    }
}

#[derive(Serialize)]
struct Chat {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<ConversationId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    turns: Vec<ChatTurn>,
    choices: Vec<ChatChoice>,
    /// The response that starts a conversation has no `ended`.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<bool>,
}

#[derive(Serialize)]
struct ChatTurn {
    seq: u32,
    at: Timestamp,
    by: Speaker,
    text: String,
}

#[derive(Serialize)]
struct ChatChoice {
    id: String,
    label: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

pub(super) async fn start(asked: PageInput) -> Answered {
    let shop = shop_with_chat(&asked)?;
    let StartBody { locale } = body(&asked)?;
    let (front, now) = (&asked.front, asked.front.engine.now());
    front.chats.lock().start(shop.business.id(), asked.address(), now).map_err(|free| too_many(free, now))?;
    let random: [u8; 16] = front.engine.ports().random_bytes();
    let change = StartConversation {
        channel: Channel::Website,
        from: None,
        to: None,
        locale,
        token: Some(Sha256::digest(random).into()),
    };
    let answer = shop.business.change(Request::by(Actor::Customer), change).await?;
    let token = BASE64_URL_SAFE_NO_PAD.encode(random);
    shown(&asked, &shop, StatusCode::CREATED, answer.value, Some(token)).await
}

pub(super) async fn say(asked: PageInput) -> Answered {
    let shop = shop_with_chat(&asked)?;
    let (id, token) = id_and_token(&asked)?;
    let ChatTurnBody { text, choice, turn_id } = body(&asked)?;
    let (front, now) = (&asked.front, asked.front.engine.now());
    let said = match (text, choice) {
        (Some(text), _) => Said::Text(text.into_string()),
        (None, Some(choice)) => Said::Choice(choice.into_string()),
        (None, None) => Said::Silence,
    };
    let once = Sha256::new()
        .chain_update(b"chat")
        .chain_update(shop.business.id().uuid().as_bytes())
        .chain_update(id.uuid().as_bytes())
        .chain_update(token)
        .chain_update(turn_id.as_str());
    let fingerprint = Sha256::digest(format!("{said:?}")).into();
    let idempotency = Idempotency { key: once.finalize().into(), fingerprint };
    let request = Request { idempotency: Some(idempotency), ..Request::by(Actor::Customer) };
    let limit = booking_limit(&asked, shop.business.id());
    let turn = TakeTurn { id, said, token: Some(token), read_phone, limit: Some(limit) };
    if shop.business.remembered::<TakeTurn>(&request).await?.is_none() {
        front.chats.lock().turn(asked.address(), now).map_err(|free| too_many(free, now))?;
    }
    let Answer { value, .. } = shop.business.take_turn(request, turn).await?;
    shown(&asked, &shop, StatusCode::OK, value, None).await
}

/// Counts the bookings of a chat towards the limits of the booking page.
fn booking_limit(asked: &PageInput, business: BusinessId) -> BookingLimit {
    let (front, address) = (Arc::clone(&asked.front), asked.address());
    BookingLimit::new(move |phone, email| {
        let now = front.engine.now();
        front.bookings.lock().count((business, false), address, (phone, email), now).is_ok()
    })
}

pub(super) async fn show(asked: PageInput) -> Answered {
    let shop = shop_with_chat(&asked)?;
    let (id, token) = id_and_token(&asked)?;
    let now = asked.front.engine.now();
    let found = shop.business.chat(id, token, now).await?.ok_or_else(Refused::not_found)?;
    shown(&asked, &shop, StatusCode::OK, found, None).await
}

/// Returns the business, or a 404 if its booking page has no chat.
fn shop_with_chat(asked: &PageInput) -> Result<Arc<Shop>, Refused> {
    let shop = asked.shop()?;
    if shop.chats { Ok(shop) } else { Err(Refused::not_found()) }
}

/// Returns the conversation in the path, and the SHA-256 of the token in the headers.
fn id_and_token(asked: &PageInput) -> Result<(ConversationId, [u8; 32]), Refused> {
    let token = bearer(&asked.head.headers).map_err(ApiError::NoConversationToken)?;
    let random = BASE64_URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
    let random = random.ok_or_else(Refused::not_found)?;
    let id = asked.param::<ConversationId>("conversation_id").ok_or_else(Refused::not_found)?;
    Ok((id, Sha256::digest(random).into()))
}

fn body<T: read::FromJson>(asked: &PageInput) -> Result<T, Refused> {
    Ok(read::from_json(asked.json.as_ref().unwrap_or(&Json::Null), Reading::PLAIN)?)
}

async fn shown(
    asked: &PageInput,
    shop: &Shop,
    status: StatusCode,
    taken: TurnsTakenView,
    token: Option<String>,
) -> Answered {
    let mut choices = Vec::new();
    for ChoiceView { id, label, link } in taken.choices {
        let url = match link {
            Some(appointment) => manage_link(asked, shop, appointment).await?,
            None => None,
        };
        choices.push(ChatChoice { id, label, url });
    }
    let turn = |TurnView { seq, at, by, text, .. }: TurnView| ChatTurn { seq, at, by, text };
    let chat = Chat {
        id: token.as_ref().map(|_| taken.id),
        ended: token.is_none().then_some(taken.ended),
        token,
        turns: taken.turns.into_iter().map(turn).collect(),
        choices,
    };
    Ok(envelope::plain(status, &view::render(&chat)))
}

/// Creates a manage link of an appointment. Returns `None` if the appointment or its contact no longer exists.
async fn manage_link(asked: &PageInput, shop: &Shop, id: AppointmentId) -> Result<Option<String>, Refused> {
    let mint = MintLink { appointment_id: id, to: None };
    match shop.business.change(Request::by(Actor::Customer), mint).await {
        Ok(minted) => {
            let public = asked.front.public.as_ref().map(|url| url.to_string()).unwrap_or_default();
            Ok(Some(format!("{}/book/manage/{}", public.trim_end_matches('/'), minted.value.token)))
        }
        Err(engine::EngineError::Refused(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
