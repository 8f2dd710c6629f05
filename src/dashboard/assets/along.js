// A form can name another form of the page. The unsaved fields of that form are sent with it, and the page in the
// response shows them again.
for (const form of document.querySelectorAll('form[data-along]')) {
  form.addEventListener('formdata', (event) => {
    const id = form.dataset.along, other = document.getElementById(id);
    if (!other) return;
    for (const [name, value] of new FormData(other)) {
      if (name !== 'form') event.formData.append(`${id}.${name}`, value);
    }
  });
}
