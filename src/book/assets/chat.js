// The chat with the receptionist. The session storage of the page contains the token of the conversation. Without this
// script, the page works but has no chat.

const chat = document.querySelector("#chat");
const [open, talk] = [chat.querySelector(".open"), chat.querySelector(".talk")];
const [turns, choices, form] = [talk.querySelector(".turns"), talk.querySelector(".choices"), talk.querySelector("form")];
const { path } = chat.dataset;
const kept = `receptionist:${path}`;
const { lang } = document.documentElement;
let held = null;
// Whether the visitor has opened the chat on this page or written in it. Before that, a resumed chat moves neither the
// focus nor the page.
let used = false;

function saved() {
  try {
    return JSON.parse(sessionStorage.getItem(kept));
  } catch {
    return null; // The browser does not allow the page to use the storage.
  }
}

function save(value) {
  held = value;
  try {
    if (value) sessionStorage.setItem(kept, JSON.stringify(value));
    else sessionStorage.removeItem(kept);
  } catch {
    // Without storage, a reload of the page loses the token, so a new conversation begins.
  }
}

async function call(method, to, body) {
  const headers = { "Content-Type": "application/json" };
  if (held) headers.Authorization = `Bearer ${held.token}`;
  const response = await fetch(path + to, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) {
    const retry = response.headers.has("Retry-After");
    throw Object.assign(new Error(String(response.status)), { status: response.status, retry });
  }
  return (await response.json()).data;
}

// `by` is the class of the line: `you`, `them`, or `note` for a line of the page itself. `text` is a text or an element.
function say(by, text) {
  const item = document.createElement("p");
  item.className = by;
  if (by !== "note") {
    const name = document.createElement("strong");
    name.textContent = turns.dataset[by];
    item.append(name, " ");
  }
  item.append(text);
  turns.append(item);
  if (used) item.scrollIntoView({ block: "nearest" });
  else turns.scrollTop = turns.scrollHeight;
}

function show(answer) {
  for (const { seq, by, text } of answer.turns) {
    if (text && seq > (held?.shown ?? 0)) say(by === "caller" ? "you" : "them", text);
  }
  const last = answer.turns.at(-1)?.seq;
  choices.replaceChildren();
  for (const { id, label, url } of answer.choices) {
    const choice = document.createElement(url ? "a" : "button");
    choice.textContent = label;
    if (url) {
      // The link to the appointment stays, because nothing else may lead to it.
      choice.href = url;
      choice.target = "_blank";
      choice.rel = "noopener";
      say("them", choice);
    } else {
      choice.type = "button";
      choice.addEventListener("click", () => take({ choice: id }));
      choices.append(choice);
    }
  }
  if (answer.ended) {
    say("note", turns.dataset.ended);
    form.hidden = true;
    open.hidden = false;
    save(null);
  } else if (last) save({ ...held, shown: Math.max(held.shown ?? 0, last) });
}

let busy = false;
async function take(what) {
  if (busy) return;
  busy = used = true;
  talk.dataset.busy = "";
  const turn = { ...what, turn_id: crypto.randomUUID() };
  try {
    show(await call("POST", `/${held.id}/turns`, turn).catch((error) => {
      // After a failed connection, the request is repeated once. The service takes a turn with the same id only once.
      if (error.status) throw error;
      return call("POST", `/${held.id}/turns`, turn);
    }));
    form.reset();
    // The pressed choice is gone, or the form. The next Tab reaches the new choices.
    if ("choice" in what || form.hidden) turns.focus();
  } catch (error) {
    say("note", turns.dataset.failed);
    // The conversation has continued in another tab, so the choices of this one no longer apply.
    if (error.status === 422) await call("GET", `/${held.id}`).then(show).catch(() => {});
    // After its end, or after its deletion, the conversation takes no turns. A 409 with `Retry-After` is about this turn only.
    if (error.status === 404 || (error.status === 409 && !error.retry)) {
      save(null);
      form.hidden = true;
      open.hidden = false;
      turns.focus();
    }
  }
  busy = false;
  delete talk.dataset.busy;
}

async function begin() {
  open.hidden = true;
  talk.hidden = false;
  try {
    held = saved();
    if (held) {
      held.shown = 0;
      const known = await call("GET", `/${held.id}`);
      // As long as the caller has said nothing, the conversation can begin again in the language of the page.
      const isSilent = known.turns.every(({ by }) => by !== "caller");
      if (isSilent && held.lang !== lang) save(null);
      else show(known);
    }
  } catch {
    save(null);
  }
  try {
    if (!held) {
      form.hidden = false;
      open.hidden = true;
      const started = await call("POST", "", { locale: lang });
      save({ id: started.id, token: started.token, lang });
      show(started);
    }
    if (used) talk.querySelector("input").focus();
  } catch {
    say("note", turns.dataset.failed);
    talk.hidden = false;
    open.hidden = false;
  }
}

open.addEventListener("click", () => {
  used = true;
  begin();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = form.querySelector("input").value.trim();
  if (text && held) take({ text });
});
chat.hidden = false;
if (saved()) begin();
