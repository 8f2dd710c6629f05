// Scrolls the calendar of today to the current time, with a little of the earlier time above it.
const board = document.querySelector('.board'), now = board.querySelector('.gutter .now');
if (now && !board.scrollTop) {
  const { top } = now.getBoundingClientRect();
  board.scrollTop = top - board.getBoundingClientRect().top - board.clientHeight / 3;
}
