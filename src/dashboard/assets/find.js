// The search field of the frame. The results appear below it while somebody types. Without scripts, it is an
// ordinary form.
const field = document.getElementById('find'), form = field.form, found = document.getElementById('find-found');
let timer, last;
const close = () => { last?.abort(); clearTimeout(timer); found.replaceChildren(); };
const ask = async () => {
  last?.abort();
  if (!field.value.trim()) return close();
  const { signal } = last = new AbortController(), url = new URL(form.action);
  url.searchParams.set('q', field.value);
  try {
    const answer = await fetch(url, { signal, headers: { accept: 'text/html' } });
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('found');
    for (const e of page.querySelectorAll('[id], [aria-labelledby]')) {
      e.removeAttribute('id');
      e.removeAttribute('aria-labelledby');
    }
    if (!signal.aborted) found.replaceChildren(...page.childNodes);
  } catch (e) {
    if (e.name !== 'AbortError') close();
  }
};
field.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(ask, 200); });
field.addEventListener('focus', () => { if (field.value && !found.firstElementChild) ask(); });
form.addEventListener('focusout', event => { if (!form.contains(event.relatedTarget)) close(); });
form.addEventListener('keydown', event => {
  const links = [field, ...found.querySelectorAll('a')], at = links.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && links[at + step]) {
    event.preventDefault();
    links[at + step].focus();
  } else if (event.key === 'Escape') {
    event.preventDefault();
    close();
    if (at > 0) field.focus(); else field.value = '';
  }
});
