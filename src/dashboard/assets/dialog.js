// Pages and parts of pages that scripts load, and dialogs that show such a part.
export const load = async (url, options = {}) => {
  const answer = await fetch(url, { ...options, headers: { accept: 'text/html' } });
  return { answer, page: new DOMParser().parseFromString(await answer.text(), 'text/html') };
};
export const make = (tag, props = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), props);
  made.append(...children);
  return made;
};
// A dialog that Escape or a click outside it closes. A closed dialog is removed from the page.
export const dialog = (className, label) => {
  const made = make('dialog', { className: `dialog ${className}` });
  made.setAttribute('aria-label', label);
  made.addEventListener('close', () => made.remove());
  made.addEventListener('click', e => { if (e.target === made) made.close(); });
  document.body.append(made);
  made.showModal();
  return made;
};
export const plain = e => e.button === 0 && !e.ctrlKey && !e.metaKey && !e.shiftKey && !e.altKey;
