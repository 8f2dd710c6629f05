// Live parts. An element with an id and data-live="kind kind" is loaded again from the page's address when the stream
// reports a change of that kind. While it has data-busy, it gets data-stale instead. The stream is closed while the
// page is hidden, because a browser has few connections to one server. While no stream is open, the page polls for
// changes.
const of = (tag, name, e) => e?.hasAttribute(name) && `${tag}[${name}="${CSS.escape(e.getAttribute(name))}"]`;
const key = e => e && (e.id ? '#' + CSS.escape(e.id) : of('a', 'href', e) || (e.form && (of('form', 'action', e.form) || 'form') + ' button'));

// The answer of an earlier request must not replace that of a later one.
const newest = {};
let turns = 0;

export async function swap(url, ids, signal) {
  const turn = turns += 1, answer = await fetch(url, { signal, headers: { accept: 'text/html' } });
  if (!answer.ok || answer.redirected) throw new Error(`${answer.status} ${answer.url}`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  document.title = page.title;
  for (const id of ids) {
    const old = document.getElementById(id), now = page.getElementById(id);
    if (!old || !now || newest[id] > turn) continue;
    newest[id] = turn;
    if (old.isEqualNode(now)) continue;
    if ('busy' in old.dataset) old.dataset.stale = '';
    const at = old.contains(document.activeElement) ? document.activeElement : null;
    if (at?.matches('input, textarea, select') || edited(old) || 'busy' in old.dataset) continue;
    const where = key(at), { scrollLeft, scrollTop } = old;
    old.replaceWith(now);
    now.scrollTo(scrollLeft, scrollTop);
    if (where) (now.matches(where) ? now : now.querySelector(where) ?? now).focus({ preventScroll: true });
  }
}

const parts = () => [...document.querySelectorAll('[data-live][id]')];
let stream, timer, hello, heard = document.hidden, due = new Set();
const run = () => { const ids = [...due]; due.clear(); swap(location.href, ids).catch(() => {}); };
const mark = kind => {
  for (const p of parts()) if (!kind || p.dataset.live.split(' ').includes(kind)) due.add(p.id);
  clearTimeout(timer);
  if (due.size) timer = setTimeout(run, 150);
};
const open = () => {
  stream = new EventSource(document.body.dataset.stream);
  // The stream may have missed changes, so every live part is loaded again.
  stream.onopen = () => { if (heard) mark(); heard = true; };
  stream.addEventListener('hello', () => { hello = true; });
  stream.onmessage = e => mark(JSON.parse(e.data).kind);
  // A browser does not reopen a refused stream: the session has ended, or the connection is broken.
  stream.onerror = () => { if (stream.readyState === EventSource.CLOSED) refused().catch(later); };
};
const later = () => setTimeout(() => { if (!document.hidden && stream.readyState === EventSource.CLOSED) open(); }, 30_000);
const edited = within => [...within.querySelectorAll('form')].some(f => [...f.elements].some(e => e.type !== 'hidden'
  && ((e.defaultValue !== undefined && e.value !== e.defaultValue) || (e.defaultChecked ?? e.checked) !== e.checked)));
const refused = async () => {
  const { redirected } = await fetch(location.href, { headers: { accept: 'text/html' } });
  // If the session has ended, the page is loaded again, unless a form has unsaved input.
  if (redirected && !edited(document)) location.reload(); else later();
};
if (parts().length && document.body.dataset.stream) {
  if (!document.hidden) open();
  setInterval(() => { if (!document.hidden && !(hello && stream.readyState === EventSource.OPEN)) mark(); }, 20_000);
  document.addEventListener('visibilitychange', () => {
    stream?.close();
    if (!document.hidden) open();
  });
}
