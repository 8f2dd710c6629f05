// A click or a drag on an empty time of the calendar offers a booking and, if the person may add it, time off.
import { make } from './dialog.js';
import { board, clock, laneAt, minuteAt, moment, number, put } from './grid.js';
const LASTS = 30;
let begun, menu;
const close = () => { menu?.remove(); menu = undefined; };
const offer = (lane, from, to) => {
  close();
  const { book, block, sayBook, sayBlock } = board().dataset, { staff, date } = lane.dataset;
  const at = moment(date, from), until = Math.min(to, 1440);
  const url = (path, query) => `${path}?${new URLSearchParams(staff ? { staff, ...query } : query)}`;
  const choices = make('div', { className: 'slot-menu' }, make('b', { textContent: `${clock(from)} – ${clock(to)}` }),
    make('a', { className: 'button first little', href: url(book, at), textContent: sayBook }));
  if ('blocks' in lane.dataset && from < 1440) {
    choices.append(make('a', { className: 'button little', href: url(block, { date, minute: from, until }), textContent: sayBlock }));
  }
  menu = make('li', { className: 'picked' }, choices);
  put(menu, lane, from, to - from);
  const { bottom } = menu.getBoundingClientRect(), { bottom: end } = board().getBoundingClientRect();
  if (bottom + 48 > end) menu.classList.add('up');
  choices.querySelector('a').focus({ preventScroll: true });
};
const snap = (lane, y, round = Math.floor) => {
  const grid = number(board(), 'grid'), first = number(board(), 'first'), last = number(board(), 'last');
  return Math.max(first, Math.min(last, round(minuteAt(lane, y) / grid) * grid));
};
const empty = e => {
  const lane = e.target.closest?.('#board[data-book] .lane');
  return lane && e.target.closest('.track') && !e.target.closest('.visit, .more, .picked') ? lane : undefined;
};
document.addEventListener('pointerdown', e => {
  if (menu && !e.target.closest('.picked')) close();
  const lane = e.button === 0 && empty(e);
  begun = lane ? { lane, y: e.clientY, touch: e.pointerType === 'touch', from: snap(lane, e.clientY) } : undefined;
});
document.addEventListener('pointermove', e => {
  if (!begun || begun.touch || (Math.abs(e.clientY - begun.y) < 6 && !begun.to)) return;
  const to = snap(begun.lane, e.clientY, Math.round), low = Math.min(begun.from, to);
  begun.to = Math.max(to, begun.from + number(board(), 'grid'));
  begun.low = low;
  menu ??= make('li', { className: 'picked' });
  put(menu, begun.lane, low, begun.to - low);
});
document.addEventListener('click', e => {
  const lane = empty(e), drag = begun?.to && begun;
  begun = undefined;
  if (drag) {
    e.preventDefault();
    return offer(drag.lane, drag.low, drag.to);
  }
  if (!lane || e.ctrlKey || e.metaKey || e.shiftKey) return;
  const free = e.target.closest('.free');
  // Without a choice, and by keyboard, a free time stays a link to the booking form.
  if (free && (!e.detail || !('blocks' in lane.dataset))) return;
  e.preventDefault();
  const from = free ? number(free.parentElement, 'minute') : snap(lane, e.clientY);
  offer(lane, from, from + LASTS);
});
document.addEventListener('dragstart', e => { if (e.target.closest?.('#board .free')) e.preventDefault(); });
document.addEventListener('keydown', e => { if (e.key === 'Escape') close(); });
// A form that changes the board: the board is loaded again, and the page keeps its position.
document.addEventListener('submit', async e => {
  const form = e.target.closest('form[data-swap]');
  if (!form) return;
  e.preventDefault();
  const body = new URLSearchParams(new FormData(form, e.submitter));
  const { ok, redirected } = await fetch(form.action, { method: 'POST', body }).catch(() => ({}));
  if (!ok || !redirected) return location.reload();
  const { swap } = await import('./live.js');
  await swap(location.href, [form.dataset.swap]);
});
