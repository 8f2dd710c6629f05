// Scrolls the calendar so that the current time is a third of the way down, and a week so that today is visible.
const board = document.querySelector('.board'), now = board.querySelector('.gutter .now');
if (now && !board.scrollTop) {
  const { top } = now.getBoundingClientRect();
  board.scrollTop = top - board.getBoundingClientRect().top - board.clientHeight / 3;
}
const today = board.querySelector('.lane.today'), gutter = board.querySelector('.gutter');
if (today && !board.scrollLeft) board.scrollLeft = today.offsetLeft - gutter.offsetWidth;
