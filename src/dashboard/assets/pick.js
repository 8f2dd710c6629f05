// The date picker: the month view of the calendar in a dialog, with the next month beside it. Without this script its
// button is a link to the month.
import { dialog, load, make, plain } from './dialog.js';
const DAYS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
let shown;
const monthAt = async url => {
  const { answer, page } = await load(url);
  const month = answer.ok ? page.getElementById('month') : null;
  month?.removeAttribute('data-live');
  return month;
};
const dates = (month, css) => [...month.querySelectorAll(`${css} time`)].map(day => day.dateTime);
const show = async url => {
  const month = await monthAt(url), after = month?.querySelector('.month-head [rel=next]');
  if (!month || !shown) return location.assign(url);
  const next = after && await monthAt(after.href).catch(() => null);
  if (next) {
    next.removeAttribute('id');
    // Each date is shown once. Only the outer months have links to the months before and after them.
    for (const [one, other] of [[month, next], [next, month]]) {
      const there = dates(other, 'td:not(.other)');
      for (const day of one.querySelectorAll('td.other')) if (there.includes(day.querySelector('time').dateTime)) day.replaceChildren();
    }
    after.replaceWith(make('span'));
    next.querySelector('.month-head a:not([rel])')?.replaceWith(make('span'));
    next.querySelector('footer').remove();
    next.querySelector('.chosen')?.classList.remove('chosen');
  }
  const months = next ? [month, next] : [month];
  // A chosen day opens in the view of the page.
  const view = new URL(location.href).searchParams.get('view') ?? 'day';
  for (const day of months.flatMap(one => [...one.querySelectorAll('td a')])) {
    const to = new URL(day.href);
    to.searchParams.set('view', view);
    day.href = to;
  }
  const footer = month.querySelector('footer');
  shown.replaceChildren(make('div', { className: 'pair' }, ...months), footer);
  const left = shown.getBoundingClientRect().left - 8;
  if (left < 0) shown.style.right = `${Math.max(8, parseFloat(shown.style.right) + left)}px`;
  (month.querySelector('.chosen a') ?? month.querySelector('td:not(.other) a'))?.focus();
};
document.addEventListener('click', e => {
  const link = e.target.closest?.('[data-pick], .picker .month-head a, .picker .months a');
  if (!link || !plain(e)) return;
  e.preventDefault();
  if (!shown?.isConnected) {
    shown = dialog('picker', link.getAttribute('aria-label'));
    const { bottom, right } = link.getBoundingClientRect(), beside = Math.max(8, innerWidth - right);
    Object.assign(shown.style, { top: `${bottom + 6}px`, right: `${beside}px` });
  }
  show(link.href).catch(() => location.assign(link.href));
});
document.addEventListener('keydown', e => {
  if (!(e.key in DAYS) || !document.activeElement?.closest('.picker td')) return;
  const days = [...document.querySelectorAll('.picker td a')];
  days[days.indexOf(document.activeElement) + DAYS[e.key]]?.focus();
  e.preventDefault();
});
