// Scrolls the calendar to the current time, with a little of the earlier time above it, and a week to its present day.
const board = document.querySelector('.board'), now = board.querySelector('.gutter .now');
if (now && !board.scrollTop) {
  const { top } = now.getBoundingClientRect();
  board.scrollTop = top - board.getBoundingClientRect().top - board.clientHeight / 3;
}
const today = board.querySelector('.lane.today'), gutter = board.querySelector('.gutter');
if (today && !board.scrollLeft) board.scrollLeft = today.offsetLeft - gutter.offsetWidth;
