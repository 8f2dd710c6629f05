// A search form that is sent while its user types. data-filter is the id of the part of the page that the response
// replaces. The form is an ordinary GET form and works without this script.
import { swap } from './live.js';
for (const form of document.querySelectorAll('form[data-filter]')) {
  let timer, last;
  const ask = async () => {
    const url = new URL(form.action || location.href);
    url.search = new URLSearchParams(new FormData(form));
    last?.abort();
    last = new AbortController();
    try {
      await swap(url, [form.dataset.filter], last.signal);
      history.replaceState(null, '', url);
    } catch (e) {
      if (e.name !== 'AbortError') form.submit();
    }
  };
  form.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(ask, 200); });
}
