// Live parts: an element with an id and data-live="kind kind" is fetched anew from the page's own address
// when the stream says that something of that kind changed. The stream rests while the page is hidden.
const key = e => e && (e.id ? '#' + CSS.escape(e.id) : e.getAttribute('href') && `a[href="${CSS.escape(e.getAttribute('href'))}"]`);

export async function swap(url, ids, signal) {
  const answer = await fetch(url, { signal, headers: { accept: 'text/html' } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const id of ids) {
    const old = document.getElementById(id), now = page.getElementById(id);
    if (!old || !now || old.isEqualNode(now)) continue;
    const at = old.contains(document.activeElement) ? document.activeElement : null;
    if (at?.matches('input, textarea, select')) continue;
    const where = key(at), { scrollLeft, scrollTop } = old;
    old.replaceWith(now);
    now.scrollTo(scrollLeft, scrollTop);
    if (where) (now.matches(where) ? now : now.querySelector(where) ?? now).focus({ preventScroll: true });
  }
}

const parts = () => [...document.querySelectorAll('[data-live][id]')];
let stream, timer, heard = false, due = new Set();
const run = () => { const ids = [...due]; due.clear(); swap(location.href, ids).catch(() => {}); };
const mark = kind => {
  for (const p of parts()) if (!kind || p.dataset.live.split(' ').includes(kind)) due.add(p.id);
  clearTimeout(timer);
  if (due.size) timer = setTimeout(run, 150);
};
const open = () => {
  stream = new EventSource(document.body.dataset.stream);
  // Whatever happened while nobody listened is looked for.
  stream.onopen = () => { if (heard) mark(); heard = true; };
  stream.onmessage = e => mark(JSON.parse(e.data).kind);
};
if (parts().length && document.body.dataset.stream) {
  open();
  document.addEventListener('visibilitychange', () => {
    stream.close();
    if (!document.hidden) open();
  });
}
