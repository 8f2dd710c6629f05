// Loads what a page asks for by its attributes. Without script every page works as it is.
if (document.querySelector('[data-along]')) import('./along.js');
if (document.querySelector('.board .now')) import('./board.js');
if (document.querySelector('[data-copy]')) import('./copy.js');
if (document.querySelector('[data-filter]')) import('./filter.js');
if (document.querySelector('[data-live]')) import('./live.js');
if (document.querySelector('[data-theme-switch]')) import('./theme.js');
