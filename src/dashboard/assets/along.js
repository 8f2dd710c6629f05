// What stands in another form of the page and is not saved yet goes along with each form that names it: the page that
// answers shows it again.
for (const form of document.querySelectorAll('form[data-along]')) {
  form.addEventListener('formdata', (event) => {
    const id = form.dataset.along, other = document.getElementById(id);
    if (!other) return;
    for (const [name, value] of new FormData(other)) {
      if (name !== 'form') event.formData.append(`${id}.${name}`, value);
    }
  });
}
