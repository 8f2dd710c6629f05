// The choice of light or dark. It is a cookie, so that the server sets data-theme and the page does not flash.
const root = document.documentElement;
const dark = () => (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
for (const button of document.querySelectorAll('[data-theme-switch]')) {
  button.hidden = false;
  button.setAttribute('aria-pressed', dark());
  button.addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    for (const b of document.querySelectorAll('[data-theme-switch]')) b.setAttribute('aria-pressed', dark());
    document.cookie = `theme=${root.dataset.theme}; Path=/dashboard; Max-Age=31536000; SameSite=Lax`;
  });
}
