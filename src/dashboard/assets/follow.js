// Forms that update their parts while somebody types. Each change to a field that data-follow names sends these fields.
// Each element with data-part is then replaced by the same part of the response, except a part in which somebody types.
// Without scripts, buttons of the form do the same.
const key = e => {
  if ('does' in e.dataset) return `[data-does="${e.dataset.does}"]`;
  return e.id ? '#' + CSS.escape(e.id) : `[name="${CSS.escape(e.name)}"][value="${CSS.escape(e.value)}"]`;
};
const CARRIED = ['name', 'phone', 'email'];

// prepare is called with the form of each response.
export function follow(form, prepare = () => {}) {
  for (const one of form.querySelectorAll('.scriptless')) one.remove();
  const names = form.dataset.follow.split(' '), carried = {};
  let timer, last, asked;
  const ask = () => {
    clearTimeout(timer);
    timer = undefined;
    last?.abort();
    const { signal } = last = new AbortController();
    const data = new FormData(form), url = new URL(form.action);
    for (const name of names) for (const value of data.getAll(name)) url.searchParams.append(name, value);
    const searches = data.get('q')?.trim() !== data.get('found_for');
    return asked = (async () => {
      const answer = await fetch(url, { signal, headers: { accept: 'text/html' } });
      if (!answer.ok || answer.redirected) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const now = page.querySelector('form[data-follow]');
      if (!now || signal.aborted) return;
      prepare(now);
      show(now);
      // The response contains the searched text in the field that it fits. The text is copied unless the person has
      // typed something else there.
      for (const name of searches ? CARRIED : []) {
        const field = form.elements[name];
        if (field.value !== (carried[name] ?? '')) continue;
        field.value = carried[name] = now.elements[name].value;
      }
    })().catch(() => {}).finally(() => { if (last?.signal === signal) asked = undefined; });
  };
  const show = now => {
    for (const old of form.querySelectorAll('[data-part]')) {
      const part = now.querySelector('#' + CSS.escape(old.id));
      if (!part || old.isEqualNode(part)) continue;
      const at = old.contains(document.activeElement) ? document.activeElement : null;
      if (at?.matches('input:not([type=radio])')) continue;
      const where = at && key(at);
      old.replaceWith(part);
      if (where) part.querySelector(where)?.focus({ preventScroll: true });
    }
  };
  // The main button, or the button that has replaced the given one.
  const does = button => form.querySelector(`[data-does="${button?.dataset.does ?? ''}"]`);
  const means = button => button && `${button.name}=${button.value}`;

  form.addEventListener('input', ({ target }) => {
    const { name } = target, time = form.elements.time;
    if (name === 'time') form.querySelector('[name=starts_at][value=other]').checked = true;
    if (name === 'starts_at' && target.value !== 'other') time.value = '';
    if (!names.includes(name) || name === 'who') return;
    clearTimeout(timer);
    timer = setTimeout(ask, target.matches('select, [type=radio]') ? 0 : 250);
  });
  form.addEventListener('click', event => {
    const day = event.target.closest('button[name=day]');
    if (!day) return;
    event.preventDefault();
    form.elements.date.value = day.value;
    ask();
  });
  form.addEventListener('keydown', async event => {
    const { target } = event;
    if (event.key !== 'Enter' || !target.matches('input')) return;
    event.preventDefault();
    if (target.type === 'radio' && !target.checked) {
      target.click();
    } else if (target.type === 'radio' || !names.includes(target.name)) {
      form.requestSubmit(does());
    } else {
      await ask();
      if (target.name === 'q') form.querySelector('input[name=who]:checked, input[name=who]')?.focus();
    }
  });
  // The form is sent only after the pending response, which may change the meaning of the pressed button. The person
  // must then press it again.
  form.addEventListener('submit', async event => {
    if (!timer && !asked) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const meant = means(event.submitter);
    await (timer ? ask() : asked);
    const now = does(event.submitter);
    if (means(now) === meant) form.requestSubmit(now); else now?.focus();
  });
}
