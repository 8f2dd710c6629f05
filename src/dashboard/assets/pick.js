// The date picker: a dialog with a list of months, which are the month views of the calendar. A month is loaded when it
// comes into view, so a day of each month in the list needs one click. Without this script the button of the picker is
// a link to the month.
import { dialog, load, make, plain } from './dialog.js';
const DAYS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
const MONTHS = { PageUp: -1, PageDown: 1 };
let shown, chosen, slots = [];
const monthAt = async url => {
  const { answer, page } = await load(url);
  const month = page.getElementById('month');
  if (!answer.ok || !month) throw new Error(`${answer.status} ${url}`);
  return month;
};
const dateIn = url => new URL(url).searchParams.get('date');
// Puts a month into its slot. Only one day of all months can be reached with Tab; the arrow keys reach the others.
const put = (slot, month) => {
  const view = new URL(location.href).searchParams.get('view') ?? 'day';
  for (const day of month.querySelectorAll('td.other')) day.replaceChildren();
  for (const link of month.querySelectorAll('td a, .nr a')) link.tabIndex = -1;
  for (const day of month.querySelectorAll('.chosen')) day.classList.toggle('chosen', day.querySelector('time')?.dateTime === chosen);
  for (const day of month.querySelectorAll('td a')) {
    const to = new URL(day.href);
    // A chosen day opens in the view of the page.
    to.searchParams.set('view', view);
    day.href = to;
  }
  const before = month.querySelector('.month-head a:not([rel])'), after = month.querySelector('.month-head [rel=next]');
  // Only the first and the last month have links to the months before and after them.
  if (slot !== slots[0]) before?.remove();
  if (slot !== slots.at(-1)) after?.remove();
  slot.setAttribute('aria-label', month.getAttribute('aria-label'));
  slot.replaceChildren(month.querySelector('.month-head'), month.querySelector('table'));
};
const fill = (slot, month = monthAt(slot.url)) => slot.filled ??= Promise.resolve(month)
  .then(found => put(slot, found), () => { slot.filled = undefined; });
const jump = async slot => {
  for (const one of slots) one.link.ariaCurrent = one === slot ? 'true' : null;
  slot.link.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  slot.parentElement.scrollTop = slot.offsetTop;
  await fill(slot);
  (slot.querySelector('.chosen a') ?? slot.querySelector('td a'))?.focus({ preventScroll: true });
};
const show = async url => {
  const month = await monthAt(url), footer = month.querySelector('footer');
  if (!shown?.isConnected) return;
  slots = [...footer.querySelectorAll('.months a')].map(link => Object.assign(
    make('section', { className: 'month-slot' }, make('h2', { textContent: link.textContent })), { link, url: link.href }));
  const list = make('div', { className: 'month-list' }, ...slots);
  shown.replaceChildren(list, footer);
  const left = shown.getBoundingClientRect().left - 8;
  if (left < 0) shown.style.right = `${Math.max(8, parseFloat(shown.style.right) + left)}px`;
  const slot = slots.find(one => one.link.hasAttribute('aria-current')) ?? slots[0];
  fill(slot, month);
  await jump(slot);
  const look = all => all.filter(one => one.isIntersecting).forEach(one => fill(one.target));
  const seen = new IntersectionObserver(look, { root: list, rootMargin: '50%' });
  slots.forEach(one => seen.observe(one));
};
document.addEventListener('click', e => {
  const link = e.target.closest?.('[data-pick], .picker .month-head a, .picker .months a');
  if (!link || !plain(e)) return;
  e.preventDefault();
  const slot = slots.find(one => one.link === link);
  if (slot) return jump(slot);
  if (!shown?.isConnected) {
    shown = dialog('picker', link.getAttribute('aria-label'));
    chosen = dateIn(link.href);
    const { bottom, right } = link.getBoundingClientRect(), beside = Math.max(8, innerWidth - right);
    Object.assign(shown.style, { top: `${bottom + 6}px`, right: `${beside}px`, maxHeight: `${innerHeight - bottom - 14}px` });
  }
  show(link.href).catch(() => location.assign(link.href));
});
document.addEventListener('focusin', e => {
  const day = e.target.closest?.('.picker td a');
  if (!day) return;
  for (const link of shown.querySelectorAll('.month-list a[tabindex="0"]')) link.tabIndex = -1;
  for (const link of [day, day.closest('tr').querySelector('.nr a')]) link.tabIndex = 0;
});
document.addEventListener('keydown', async e => {
  const at = document.activeElement?.closest('.picker td')?.querySelector('time');
  if (!at || !(e.key in DAYS || e.key in MONTHS)) return;
  e.preventDefault();
  const to = new Date(`${at.dateTime}T00:00Z`), day = to.getUTCDate();
  if (e.key in DAYS) to.setUTCDate(day + DAYS[e.key]);
  else {
    // The last day of a shorter month replaces the days that it does not have.
    to.setUTCMonth(to.getUTCMonth() + MONTHS[e.key] + 1, 0);
    to.setUTCDate(Math.min(day, to.getUTCDate()));
  }
  const date = to.toISOString().slice(0, 10), slot = slots.find(one => dateIn(one.url).startsWith(date.slice(0, 7)));
  if (!slot) return;
  await fill(slot);
  slot.querySelector(`time[datetime="${date}"]`)?.closest('a').focus();
});
