// Copy buttons. data-copy is the id of the element with the text, and data-done the label after copying.
for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  const word = button.querySelector('span'), before = word.textContent;
  word.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      word.textContent = button.dataset.done;
      setTimeout(() => { word.textContent = before; }, 2000);
    } catch {
      getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
    }
  });
}
