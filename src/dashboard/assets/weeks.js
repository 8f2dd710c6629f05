// The arrow keys move between the days of the sidebar. Only one of them can be reached with Tab.
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
document.addEventListener('keydown', event => {
  const day = event.target.closest?.('.weeks td a');
  if (!day || !(event.key in STEPS)) return;
  event.preventDefault();
  const days = [...document.querySelectorAll('.weeks td a')], next = days[days.indexOf(day) + STEPS[event.key]];
  if (!next) return;
  [day.tabIndex, next.tabIndex] = [-1, 0];
  next.focus();
});
