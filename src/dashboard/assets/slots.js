// A click on an empty time of the calendar opens the booking form for this time, and a drag also chooses the length.
import { open } from './beside.js';
import { make } from './dialog.js';
import { board, minuteAt, moment, number, put } from './grid.js';
let begun, mark;
const end = () => { mark?.remove(); mark = undefined; };
const book = (lane, from, more = {}) => {
  const { staff, date } = lane.dataset;
  const query = new URLSearchParams({ ...(staff ? { staff } : {}), ...moment(date, from), ...more });
  open(make('a', { href: `${board().dataset.book}?${query}` }));
};
const snap = (lane, y, round = Math.floor) => {
  const grid = number(board(), 'grid'), first = number(board(), 'first'), last = number(board(), 'last');
  return Math.max(first, Math.min(last, round(minuteAt(lane, y) / grid) * grid));
};
const empty = e => {
  const lane = e.target.closest?.('#board[data-book] .lane');
  return lane && e.target.closest('.track') && !e.target.closest('.visit, .more') ? lane : undefined;
};
document.addEventListener('pointerdown', e => {
  end();
  const lane = e.button === 0 && empty(e);
  begun = lane ? { lane, y: e.clientY, touch: e.pointerType === 'touch', from: snap(lane, e.clientY) } : undefined;
});
document.addEventListener('pointermove', e => {
  if (!begun || begun.touch || (Math.abs(e.clientY - begun.y) < 6 && !begun.to)) return;
  const to = snap(begun.lane, e.clientY, Math.round), low = Math.min(begun.from, to);
  begun.to = Math.max(to, begun.from + number(board(), 'grid'));
  begun.low = low;
  mark ??= make('li', { className: 'picked' });
  put(mark, begun.lane, low, begun.to - low);
});
// The click at the end of a drag must not reach a link, so it is handled before the links.
document.addEventListener('click', e => {
  const lane = empty(e), drag = begun?.to && begun;
  begun = undefined;
  end();
  if (drag) {
    e.preventDefault();
    return book(drag.lane, drag.low, { minutes: drag.to - drag.low });
  }
  // A free time is a link to the booking form, which opens the same panel. The keyboard and a finger open its time, and
  // a mouse chooses a time of the grid within it.
  const chosen = e.detail === 0 || e.pointerType === 'touch';
  if (!lane || (chosen && e.target.closest('.free')) || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  book(lane, snap(lane, e.clientY));
}, true);
document.addEventListener('dragstart', e => { if (e.target.closest?.('#board .free')) e.preventDefault(); });
document.addEventListener('keydown', e => { if (e.key === 'Escape') { begun = undefined; end(); } });
// A form that changes the board: the board is loaded again, and the page keeps its position.
document.addEventListener('submit', async e => {
  const form = e.target.closest('form[data-swap]');
  if (!form) return;
  e.preventDefault();
  const body = new URLSearchParams(new FormData(form, e.submitter));
  const { ok, redirected } = await fetch(form.action, { method: 'POST', body }).catch(() => ({}));
  if (!ok || !redirected) return location.reload();
  const { swap } = await import('./live.js');
  await swap(location.href, [form.dataset.swap]).catch(() => location.reload());
});
