// The booking form as a panel beside the page. A link to the form opens the panel; on a phone it covers the page. A link
// in the panel replaces the form by the one that blocks the chosen time.
import { plain } from './dialog.js';
import { follow } from './follow.js';
let panel, from;

// The page to show after the booking: today's page, or a view of the calendar, which its query identifies.
const back = () => {
  if (location.pathname.endsWith('/today')) return 'today';
  return location.pathname.endsWith('/calendar') ? location.search.slice(1) : '';
};
// Other elements of the page may have the same ids as elements of the form, so the form's ids get a prefix.
const rename = root => {
  for (const e of root.querySelectorAll('[id]')) e.id = `beside-${e.id}`;
  for (const name of ['for', 'aria-labelledby', 'aria-describedby']) {
    for (const e of root.querySelectorAll(`[${name}]`)) {
      e.setAttribute(name, e.getAttribute(name).split(' ').map(id => `beside-${id}`).join(' '));
    }
  }
};
const parse = async answer => new DOMParser().parseFromString(await answer.text(), 'text/html');
const read = async answer => (await parse(answer)).querySelector('#booking, #blocking');

const load = async url => {
  const answer = await fetch(url, { headers: { accept: 'text/html' } });
  if (!answer.ok || answer.redirected) throw new Error(answer.status);
  return read(answer);
};

// The browser announces that the panel was closed at the next frame. Until then, the person may have opened the panel
// again or moved the focus, so `close` does not wait for it.
const close = () => { panel.close(); closed(); };
const closed = () => {
  if (panel.open || !panel.firstElementChild) return;
  panel.replaceChildren();
  const same = `main a[href="${CSS.escape(from.getAttribute('href'))}"]`;
  (from.isConnected ? from : document.querySelector(same) ?? document.getElementById('main')).focus();
};

// Moves the form's link that blocks the chosen time to the head of the panel, in place of an earlier link.
const lift = form => panel.querySelector('.blocks').replaceChildren(...form.querySelectorAll('[data-block]'));

const show = booking => {
  if (!panel) {
    panel = document.querySelector('.frame').appendChild(document.createElement('dialog'));
    panel.className = 'beside';
    panel.setAttribute('aria-labelledby', 'beside-title');
    panel.addEventListener('close', closed);
    panel.addEventListener('keydown', event => { if (event.key === 'Escape') { event.preventDefault(); close(); } });
    panel.addEventListener('click', event => {
      const block = plain(event) && event.target.closest('[data-block]');
      if (!block && !event.target.closest('[data-leave]')) return;
      event.preventDefault();
      if (block) load(block.href).then(show).catch(() => location.assign(block.href)); else close();
    });
  }
  const [head, title, blocks, leave] = ['header', 'h2', 'span', 'button'].map(tag => document.createElement(tag));
  head.role = 'none'; // The page has its own header.
  title.id = 'beside-title';
  title.textContent = booking.dataset.title;
  leave.className = 'button quiet only';
  leave.type = 'button';
  leave.dataset.leave = '';
  leave.textContent = '×';
  leave.setAttribute('aria-label', booking.dataset.close);
  blocks.className = 'blocks';
  head.append(title, blocks, leave);
  rename(booking);
  panel.replaceChildren(head, booking);
  if (!panel.open) {
    if (matchMedia('(max-width: 47.99rem)').matches) panel.showModal(); else panel.show();
  }
  const form = booking.querySelector('form');
  if (form) {
    lift(form);
    if (form.dataset.follow) follow(form, now => { rename(now); lift(now); });
    form.addEventListener('submit', send);
  }
  const first = '[aria-invalid], input[type=search], [name=note]';
  (booking.querySelector('[autofocus]') ?? booking.querySelector(first) ?? leave).focus();
};

// After a booking or a block, the response is usually the page beside the panel. Its content then replaces the page's
// content, unless scripts have changed the forms of the page.
const arrive = async answer => {
  const { pathname, searchParams } = new URL(answer.url), main = document.getElementById('main');
  const page = await parse(answer), now = page.getElementById('main');
  const isBeside = answer.ok && now && pathname === location.pathname && !now.querySelector('[data-filter]');
  if (!isBeside) return location.assign(answer.url);
  const { scrollLeft, scrollTop } = main.querySelector('.board') ?? {};
  history.replaceState(null, '', answer.url);
  document.title = page.title;
  main.replaceChildren(...now.childNodes);
  const weeks = page.getElementById('weeks');
  if (weeks) document.getElementById('weeks')?.replaceWith(weeks);
  main.querySelector('.board')?.scrollTo(scrollLeft, scrollTop);
  panel.replaceChildren();
  panel.close();
  const booked = [...main.querySelectorAll(`a[href$="/appointments/${CSS.escape(searchParams.get('booked'))}"]`)].at(-1);
  (booked ?? main).focus({ preventScroll: true });
  main.querySelector('.notice')?.scrollIntoView({ block: 'nearest' });
};

const send = async event => {
  const form = event.currentTarget, { name, value } = event.submitter ?? {};
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, event.submitter));
  try {
    for (const button of form.querySelectorAll('[data-does]')) button.disabled = true;
    const answer = await fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' } });
    if (answer.redirected) return await arrive(answer).catch(() => location.assign(answer.url));
    show(await read(answer));
  } catch {
    // The method submit sends no button, so a field replaces it.
    if (name) form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
    form.submit();
  }
};

// Sets another time in the form in the panel. The other fields keep their values.
const choose = (form, asked) => {
  const { staff, date, time, minutes } = form.elements;
  if (asked.has('staff')) staff.value = asked.get('staff');
  date.value = asked.get('date');
  time.value = asked.get('time');
  if (asked.has('minutes')) minutes.value = asked.get('minutes');
  time.dispatchEvent(new Event('input', { bubbles: true }));
};

export async function open(link) {
  const url = new URL(link.href), form = panel?.open ? panel.querySelector('form') : null;
  if (form?.elements.time && url.searchParams.has('time')) {
    from = link;
    return choose(form, url.searchParams);
  }
  url.searchParams.set('back', back());
  try {
    const booking = await load(url);
    from = link;
    show(booking);
  } catch {
    location.assign(link.href);
  }
}

document.addEventListener('click', event => {
  if (event.defaultPrevented || !plain(event)) return;
  const link = event.target.closest('main a[href*="/appointments/new"]');
  if (!link) return;
  event.preventDefault();
  open(link);
});
