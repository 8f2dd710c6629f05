// Moves appointments on the board of the calendar, by mouse, touch and keyboard. While the appointment moves, the
// script loads the page of the move (data-moves contains its address), which lists the rules that the move would break.
// At the end, the script sends the form of that page. The move can be undone for ten seconds, unless the appointment
// was changed meanwhile.
import { load, make } from './dialog.js';
import { board, clock, laneAt, minuteAt, number, put } from './grid.js';
import { kept } from './keys.js';
import { swap } from './live.js';
const FAR = 6, HOLD_MS = 350, ASK_MS = 90, UNDO_MS = 10_000, LASTS_MAX = 720, EDGE = 36;
let press, move, toast, timer;

const tell = (text, tone = '', ...buttons) => {
  clearTimeout(timer);
  toast ??= document.body.appendChild(make('div', { className: 'toast' }));
  toast.className = `toast ${tone}`;
  const said = toast.querySelector('p') ?? toast.appendChild(make('p'));
  said.setAttribute('role', 'status');
  said.textContent = text;
  toast.replaceChildren(said, ...buttons);
  toast.hidden = !text;
};
const button = (text, className, act) => {
  const made = make('button', { type: 'button', className: `button ${className}`, textContent: text });
  made.addEventListener('click', act, { once: true });
  return made;
};
const words = () => board().dataset;
const laneOf = element => element.closest('.lane');

const begin = (card, mode, grab = 0) => {
  const { minute, lasts } = { minute: number(card, 'minute'), lasts: number(card, 'lasts') };
  const ghost = card.cloneNode(true);
  for (const part of ghost.querySelectorAll('form, .grip')) part.remove();
  for (const name of ['data-moves', 'id']) ghost.removeAttribute(name);
  ghost.classList.remove('short', 'brief');
  ghost.classList.add('ghost');
  ghost.inert = true;
  move = { card, mode, grab, ghost, url: card.dataset.moves, staff: card.dataset.staff, lane: laneOf(card), minute, lasts,
    from: { date: laneOf(card).dataset.date, staff: card.dataset.staff, minute, minutes: lasts } };
  card.classList.add('leaves');
  board().dataset.busy = mode;
  show();
  if (mode === 'key') tell(words().sayMoving);
};
const here = () => ({ date: move.lane.dataset.date, staff: move.lane.dataset.staff ?? move.staff, minute: move.minute, minutes: move.lasts });
const isMoved = () => Object.entries(here()).some(([name, value]) => String(value) !== String(move.from[name]));
const address = at => `${move.url}?${new URLSearchParams({ ...at, back: new URL(location.href).search.slice(1) || 'view=day' })}`;
const show = () => {
  const { ghost, lane, minute, lasts } = move;
  put(ghost, lane, minute, lasts);
  const time = ghost.querySelector('.time');
  if (time) time.textContent = `${clock(minute)} – ${clock(minute + lasts)}`;
};
const to = (lane, minute, lasts) => {
  const first = number(board(), 'first'), last = number(board(), 'last');
  minute = Math.max(first, Math.min(last - 5, minute));
  if (lane === move.lane && minute === move.minute && lasts === move.lasts) return;
  Object.assign(move, { lane, minute, lasts, trial: undefined });
  move.ghost.classList.remove('ok', 'wait', 'bad');
  show();
  clearTimeout(move.timer);
  const asked = move;
  // If the request fails, dropping the appointment sends it again.
  move.timer = setTimeout(() => ask().catch(() => { asked.asking = undefined; }), ASK_MS);
};
// Loads the page of the move to the current place, and shows the page's reasons against the move.
const ask = () => {
  clearTimeout(move.timer);
  const asked = move, key = JSON.stringify(here());
  if (asked.asking?.key !== key) {
    asked.asking = { key, answer: load(address(here())).then(({ answer, page }) => read(answer, page)) };
  }
  // The response may have arrived while the appointment was at another place, so it is shown again.
  return asked.asking.answer.then(trial => {
    if (move === asked && JSON.stringify(here()) === key) judge(trial);
    return trial;
  });
};
const read = (answer, page) => {
  const form = page.getElementById('shift');
  if (!form) throw new Error(`${answer.status}`);
  const texts = [...page.querySelectorAll('main > .page > .notice, #reasons, #confirms')].map(one => one.innerText.trim());
  return { form, trial: form.dataset.trial, text: texts.join(' '), button: form.querySelector('button')?.textContent };
};
const judge = found => {
  move.trial = found;
  const tone = { open: 'ok', anyway: 'wait', refused: 'bad' }[found.trial];
  move.ghost.classList.add(tone);
  const column = move.lane.querySelector('h2').textContent;
  tell(`${clock(move.minute)} – ${clock(move.minute + move.lasts)}, ${column}. ${found.text || words().sayFree}`, tone);
};
const brief = (...said) => {
  tell(...said);
  timer = setTimeout(() => tell(''), UNDO_MS);
};
const reload = () => swap(location.href, ['board']).catch(() => {});
const end = (text = '') => {
  if (!move) return;
  clearTimeout(move.timer);
  move.ghost.remove();
  move.card.classList.remove('leaves');
  delete board().dataset.busy;
  if (move.mode === 'key') move.card.querySelector('a').focus({ preventScroll: true });
  move = undefined;
  if (text) brief(text); else tell('');
  // A live update that arrived during the move was postponed, so the board is loaded now.
  if ('stale' in board().dataset) reload();
};
const drop = async () => {
  if (!isMoved()) return end();
  const dropped = move;
  dropped.mode = dropped.mode === 'key' ? 'key' : 'dropped';
  dropped.isDropped = true;
  try {
    const found = await ask();
    if (move !== dropped) return;
    if (found.trial === 'open') return await send(found.form);
    if (found.trial === 'refused') return end(found.text);
    const anyway = button(found.button, 'first', () => send(found.form));
    tell(found.text, 'wait', anyway, button(words().sayStop, '', () => end(words().sayCancelled)));
    anyway.focus();
  } catch { if (move === dropped) end(words().sayFailed); }
};
const post = form => load(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
// The move can no longer be stopped. It ends when the board shows its result, so that no other move begins on an
// outdated board.
const send = async form => {
  const { url, from } = move;
  move.isSent = true;
  tell('');
  try {
    const { answer, page } = await post(form);
    if (!answer.redirected || !answer.ok) return end(read(answer, page).text || words().sayFailed);
  } catch { return end(words().sayFailed); }
  // The form that undoes the move contains the entity tag of the moved appointment, so it is loaded after the move.
  const back = await load(address(from)).catch(() => undefined);
  delete board().dataset.busy;
  await reload();
  end();
  document.querySelector(`[data-moves="${CSS.escape(url)}"] a`)?.focus({ preventScroll: true });
  const undo = back?.page.getElementById('shift');
  brief(words().sayMoved, 'ok', ...(undo ? [undoing(undo)] : []));
};
const undoing = form => {
  const made = button(words().sayUndo, '', () => takeBack(form));
  made.dataset.undo = '';
  made.setAttribute('aria-keyshortcuts', 'Control+Z');
  return made;
};
const takeBack = async form => {
  try {
    const { answer, page } = await post(form);
    const isDone = answer.redirected && answer.ok;
    await reload();
    brief(isDone ? words().sayUndone : read(answer, page).text, isDone ? '' : 'bad');
  } catch { brief(words().sayFailed, 'bad'); }
};

// Moves with a pointer. A finger must first be held on the appointment, because a moving finger scrolls the page.
const grid = () => number(board(), 'grid');
document.addEventListener('pointerdown', e => {
  const card = e.button === 0 && !move && e.target.closest?.('#board .visit[data-moves]');
  if (!card || e.target.closest('form')) return;
  const mode = e.target.closest('.grip') ? 'size' : 'drag';
  press = { card, mode, x: e.clientX, y: e.clientY, id: e.pointerId, touch: e.pointerType !== 'mouse' };
  if (!press.touch) return;
  // The touch events keep this card as their target even after a live update has removed it from the page, so the
  // listener is on the card.
  card.addEventListener('touchmove', stay, { passive: false });
  press.timer = setTimeout(start, HOLD_MS);
});
// Keeps the browser from scrolling the page and from cancelling the pointer.
const stay = e => { if (move && press) e.preventDefault(); };
const start = () => {
  const { mode, y, id, card: pressed } = press;
  // A live update may have replaced the board since the pointer was pressed.
  const card = pressed.isConnected ? pressed : document.querySelector(`#board [data-moves="${CSS.escape(pressed.dataset.moves)}"]`);
  if (!card) return leave();
  begin(card, mode, minuteAt(laneOf(card), y) - number(card, 'minute'));
  try { board().setPointerCapture(id); } catch { /* The pointer has ended. */ }
  scroll();
};
document.addEventListener('pointermove', e => {
  if (!press || e.pointerId !== press.id) return;
  press.at = { x: e.clientX, y: e.clientY };
  if (!move) {
    if (Math.hypot(e.clientX - press.x, e.clientY - press.y) < FAR) return;
    if (press.touch) return leave();
    start();
    if (!move) return;
  }
  follow();
});
const follow = () => {
  const { x, y } = press.at ?? press, step = grid();
  if (move.mode === 'size') {
    const until = Math.round(minuteAt(move.lane, y) / step) * step;
    return to(move.lane, move.minute, Math.max(5, Math.min(LASTS_MAX, until - move.minute)) || move.lasts);
  }
  const lane = laneAt(x) ?? move.lane;
  to(lane, Math.round((minuteAt(lane, y) - move.grab) / step) * step, move.lasts);
};
// Scrolls the board while the pointer is at its edge.
const scroll = () => {
  if (!move || !press) return;
  const { x, y } = press.at ?? press, box = board().getBoundingClientRect();
  const by = (at, low, high) => (at < low + EDGE ? -8 : at > high - EDGE ? 8 : 0);
  const [left, top] = [by(x, box.left, Math.min(box.right, innerWidth)), by(y, box.top + 56, Math.min(box.bottom, innerHeight))];
  if (left || top) { board().scrollBy(left, top); if (press.at) follow(); }
  requestAnimationFrame(scroll);
};
const leave = () => { clearTimeout(press?.timer); press = undefined; };
document.addEventListener('pointerup', e => {
  if (!press || e.pointerId !== press.id) return;
  leave();
  if (!move || move.isDropped || move.mode === 'key') return;
  // The browser sends a click after the drag. It would open the appointment, so it is stopped.
  const stop = click => { click.preventDefault(); click.stopPropagation(); };
  document.addEventListener('click', stop, { capture: true, once: true });
  setTimeout(() => document.removeEventListener('click', stop, { capture: true }), 0);
  drop();
});
document.addEventListener('pointercancel', e => {
  if (!press || e.pointerId !== press.id) return;
  leave();
  if (move && !move.isDropped) end();
});
// The browser asks the page before it scrolls only if there is a listener before the touch begins.
document.addEventListener('touchmove', stay, { passive: false });
document.addEventListener('contextmenu', e => { if (press?.touch && e.target.closest?.('.visit')) e.preventDefault(); });
document.addEventListener('dragstart', e => { if (e.target.closest?.('#board .visit')) e.preventDefault(); });

// Moves with the keyboard. The key M begins a move of the focused appointment.
const keys = {
  ArrowUp: e => (e.shiftKey ? resize(-grid()) : to(move.lane, move.minute - grid(), move.lasts)),
  ArrowDown: e => (e.shiftKey ? resize(grid()) : to(move.lane, move.minute + grid(), move.lasts)),
  ArrowLeft: () => beside(-1),
  ArrowRight: () => beside(1),
  Enter: () => drop(),
};
const resize = by => to(move.lane, move.minute, Math.max(5, Math.min(LASTS_MAX, move.lasts + by)));
const beside = by => {
  const lanes = [...board().querySelectorAll('.lane')], lane = lanes[lanes.indexOf(move.lane) + by];
  if (!lane) return;
  to(lane, move.minute, move.lasts);
  lane.scrollIntoView({ block: 'nearest', inline: 'nearest' });
};
document.addEventListener('keydown', e => {
  if (move) {
    if (e.key === 'Escape') {
      e.preventDefault();
      if (!move.isSent) end(words().sayCancelled);
      return;
    }
    if (move.mode !== 'key' || move.isDropped || !keys[e.key]) return;
    e.preventDefault();
    e.stopPropagation();
    keys[e.key](e);
    return move?.ghost.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  const at = document.activeElement, undo = toast?.querySelector('[data-undo]');
  if (undo && e.key.toLowerCase() === 'z' && (e.ctrlKey || e.metaKey) && !at?.closest('input, textarea')) {
    e.preventDefault();
    return undo.click();
  }
  const card = at?.closest('#board .visit[data-moves]');
  if (e.key !== 'm' || !card || !kept() || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  begin(card, 'key');
}, { capture: true });

// Adds the handles that change the length of appointments. A live update replaces the board and its handles, so they
// are added after each change to the page.
const handles = () => {
  for (const card of document.querySelectorAll('#board .visit[data-moves]:not(:has(> .grip))')) {
    card.append(make('span', { className: 'grip' }));
    card.querySelector('a').setAttribute('aria-keyshortcuts', 'm');
  }
};
handles();
new MutationObserver(handles).observe(document.querySelector('main'), { childList: true, subtree: true });
