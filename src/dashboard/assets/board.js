// The board of today opens where the present is, a little of what was before it above.
const board = document.querySelector('.board'), now = board.querySelector('.gutter .now');
if (now && !board.scrollTop) {
  const { top } = now.getBoundingClientRect();
  board.scrollTop = top - board.getBoundingClientRect().top - board.clientHeight / 3;
}
