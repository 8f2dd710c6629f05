// Keyboard shortcuts. A person can turn them off in the dialog that lists them and in the account (WCAG 2.1.4).
import { dialog, load, plain } from './dialog.js';
const base = document.body.dataset.stream?.split('/stream')[0];
export const kept = on => {
  try {
    if (on !== undefined) localStorage.setItem('shortcuts', on ? 'on' : 'off');
    return localStorage.getItem('shortcuts') !== 'off';
  } catch { return true; }
};
const mark = within => {
  for (const button of within.querySelectorAll('[data-keys-switch]')) {
    button.closest('[hidden]')?.removeAttribute('hidden');
    button.setAttribute('aria-pressed', kept());
    button.textContent = kept() ? button.dataset.off : button.dataset.on;
  }
};
const list = async () => {
  const { answer, page } = await load(`${base}/shortcuts`);
  const part = page.getElementById('shortcuts');
  if (!answer.ok || !part) return location.assign(`${base}/shortcuts`);
  dialog('keys-dialog', page.querySelector('h1').textContent).append(page.querySelector('h1'), part);
  mark(document);
};
const click = (css, path) => {
  const found = [...document.querySelectorAll(css)].find(one => one.offsetParent);
  if (found) found.click(); else if (path) location.assign(base + path);
};
const search = () => {
  const field = [...document.querySelectorAll('input[type=search]')].find(one => one.offsetParent);
  if (!field) return location.assign(`${base}/search`);
  field.focus();
  field.select();
};
const acts = {
  t: () => location.assign(`${base}/today`),
  c: () => location.assign(`${base}/calendar`),
  n: () => click('main a.button.first[href*="/appointments/new"]', '/appointments/new'),
  '/': search,
  '?': list,
  ArrowLeft: () => click('.cal a[rel=prev]'),
  ArrowRight: () => click('.cal a[rel=next]'),
};
document.addEventListener('keydown', e => {
  const act = acts[e.key];
  if (!act || !base || !kept() || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
  const at = document.activeElement;
  if (at?.closest('input, textarea, select, [contenteditable], dialog') || document.querySelector('dialog[open]')) return;
  // The arrow keys are not shortcuts while a part of the page has the focus, because they scroll that part.
  if (e.key.startsWith('Arrow') && at && at !== document.body && at.id !== 'main') return;
  e.preventDefault();
  act();
});
document.addEventListener('click', e => {
  const button = e.target.closest?.('[data-keys-switch]');
  if (button) {
    kept(!kept());
    mark(document);
  } else if (e.target.closest?.('a[data-keys]') && plain(e)) {
    e.preventDefault();
    list();
  }
});
mark(document);
