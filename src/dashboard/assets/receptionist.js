// Loads the modules that a page's attributes need. This module is complete when all of them have run. Every page works
// without scripts.
const all = [];
const need = (css, file, begin) => { if (document.querySelector(css)) all.push(import(file).then(begin)); };
need('[data-along]', './along.js');
need('main a[href*="/appointments/new"]', './beside.js');
need('.board .lane', './board.js');
need('[data-copy]', './copy.js');
need('.board[data-book]', './drag.js');
need('.board[data-book]', './slots.js');
need('[data-filter]', './filter.js');
need('[data-find]', './find.js');
need('main form[data-follow]', './follow.js', ({ follow }) => document.querySelectorAll('main form[data-follow]').forEach(form => follow(form)));
need('body[data-stream], [data-keys-switch]', './keys.js');
need('[data-live]', './live.js');
need('[data-pick]', './pick.js');
need('[data-theme-switch]', './theme.js');
need('.weeks', './weeks.js');
await Promise.all(all);
