// The date picker: the month view of the calendar in a dialog. Without this script its button is a link to the month.
import { dialog, load, plain } from './dialog.js';
const DAYS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
let shown;
const show = async url => {
  const { answer, page } = await load(url);
  const month = page.getElementById('month');
  if (!answer.ok || !month || !shown) return location.assign(url);
  month.removeAttribute('data-live');
  // A chosen day opens in the view of the page.
  const view = new URL(location.href).searchParams.get('view') ?? 'day';
  for (const day of month.querySelectorAll('td a')) {
    const to = new URL(day.href);
    to.searchParams.set('view', view);
    day.href = to;
  }
  shown.replaceChildren(month);
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
