"""What is wrong with a table of Confini on a phone: parts that lie on each other, moves that no thumb can
make, a board too small to be read."""

FAULTS = """() => {
  const stage = document.querySelector(".stage");
  if (!stage?.clientHeight) return [];  // the text has the whole screen
  const wrong = [];
  const shown = (one) => one.checkVisibility() && one.getClientRects().length;
  const name = (one) => one.id || one.classList[0];
  const board = stage.querySelector(".board").getBoundingClientRect();
  const size = Math.round(Math.min(board.width, board.height));
  if (size < 200) wrong.push(`the board has ${size}`);
  if (stage.scrollWidth > stage.clientWidth) wrong.push("the stage scrolls sideways");
  const parts = [...stage.querySelectorAll(".focus-board, .rail > *, .racks > *")].filter(shown);
  parts.forEach((one, i) => parts.slice(i + 1).forEach((other) => {
    const [a, b] = [one, other].map((part) => part.getBoundingClientRect());
    const [wide, high] = [["left", "right"], ["top", "bottom"]].map(([from, to]) =>
      Math.min(a[to], b[to]) - Math.max(a[from], b[from]));
    if (wide > 1 && high > 1) wrong.push(`${name(one)} lies on ${name(other)}`);
  }));
  // The middle of an arc is not on the arc, so it is enough that the arc can be hit at all.
  const grid = Array.from({ length: 361 }, (_, i) => [(1 + i % 19) / 20, (1 + Math.floor(i / 19)) / 20]);
  for (const press of [...document.querySelectorAll("#screen :is(a[href], button, input)")].filter(shown)) {
    // Moves are seen at once; a text may be scrolled, and so may what the cards of a player say.
    if (!press.matches(".stage a")) press.scrollIntoView({ block: "nearest" });
    const box = press.closest("svg") ? press.getBoundingClientRect() : press.getClientRects()[0];
    const points = press.id.startsWith("arc-") ? grid : [[0.5, 0.5]];
    const hit = points.some(([x, y]) =>
      press.contains(document.elementFromPoint(box.left + x * box.width, box.top + y * box.height)));
    if (!hit) wrong.push(`${name(press)} cannot be pressed`);
    stage.scrollTop = 0;
  }
  return wrong;
}"""
