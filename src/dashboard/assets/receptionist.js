// Loads the modules that a page's attributes need. Every page works without scripts.
if (document.querySelector('[data-along]')) import('./along.js');
if (document.querySelector('main a[href*="/appointments/new"]')) import('./beside.js');
if (document.querySelector('.board .lane')) import('./board.js');
if (document.querySelector('[data-copy]')) import('./copy.js');
if (document.querySelector('.board[data-book]')) { import('./drag.js'); import('./slots.js'); }
if (document.querySelector('[data-filter]')) import('./filter.js');
if (document.querySelector('[data-find]')) import('./find.js');
if (document.querySelector('main form[data-follow]')) import('./follow.js').then(({ follow }) => document.querySelectorAll('main form[data-follow]').forEach(form => follow(form)));
if (document.body.dataset.stream || document.querySelector('[data-keys-switch]')) import('./keys.js');
if (document.querySelector('[data-live]')) import('./live.js');
if (document.querySelector('[data-pick]')) import('./pick.js');
if (document.querySelector('[data-theme-switch]')) import('./theme.js');
