// Positions on the board of the calendar. Minutes are counted from the start of the lane's date.
export const board = () => document.getElementById('board');
export const number = (from, name) => Number(from.dataset[name]);
const two = n => String(n).padStart(2, '0');
const wall = minute => `${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}`;
// A time of day in the person's clock format (12 or 24 hours), as on the server's pages.
export const clock = minute => {
  if (!('twelve' in board().dataset)) return wall(minute);
  const hour = Math.floor(minute / 60) % 24;
  return `${hour % 12 || 12}:${two(minute % 60)}\u00a0${hour < 12 ? 'am' : 'pm'}`;
};
export const place = (minute, lasts) => [['h', Math.floor(minute / 60), ''], ['m', minute % 60, ''], ['for-', Math.floor(lasts / 60), 'h'],
  ['for-', lasts % 60, '']].filter(([, n]) => n > 0).map(([before, n, after]) => `${before}${n}${after}`);
// Puts an item at a time of a lane. The part outside the board is not shown.
export const put = (item, lane, minute, lasts) => {
  const first = number(board(), 'first'), last = number(board(), 'last');
  const from = Math.max(first, Math.min(last - 5, Math.floor(minute / 5) * 5));
  const to = Math.max(from + 5, Math.min(last, Math.ceil((minute + lasts) / 5) * 5));
  const rest = [...item.classList].filter(c => !/^(at|h\d+|m\d+|for-\d+h?|of-\d|col-\d)$/.test(c));
  item.className = [...rest, 'at', ...place(from, to - from)].join(' ');
  const track = lane.querySelector('.track');
  if (item.parentElement !== track) track.append(item);
};
// The minute at a vertical position in the window, without rounding.
export const minuteAt = (lane, y) => {
  const { top, height } = lane.querySelector('.track').getBoundingClientRect();
  const first = number(board(), 'first'), last = number(board(), 'last');
  return first + (y - top) / height * (last - first);
};
export const laneAt = x => [...board().querySelectorAll('.lane')].find(lane => {
  const { left, right } = lane.getBoundingClientRect();
  return left <= x && x < right;
});
// The date and the time of day for a request. Minutes after the end of the day give a time on the next date.
export const moment = (date, minute) => {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + Math.floor(minute / 1440));
  return { date: day.toISOString().slice(0, 10), time: wall(minute) };
};
