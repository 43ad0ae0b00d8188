// Where arrows lead on boards and in rows, and how what is new is told.
const assert = require("node:assert/strict");
const { test } = require("node:test");
require("../../../tutor/web/static/stage.js");
const { ARROWS, inRow, nearest, sentences } = globalThis;

const grid = [0, 1, 2].flatMap((row) => [0, 1, 2].map((column) => [40 * column, 40 * row]));
// Every other row lies half a space aside, and rows are closer than spaces.
const hexagons = [0, 1, 2, 3].flatMap((row) =>
  [0, 1, 2].map((column) => [40 * column + 20 * (row % 2), 35 * row]),
);
const go = (places, from, ...keys) =>
  keys.reduce((at, key) => nearest(places, places[at], ARROWS[`Arrow${key}`]), from);

test("on a grid an arrow leads to the next space", () => {
  assert.equal(go(grid, 4, "Right"), 5);
  assert.equal(go(grid, 4, "Left"), 3);
  assert.equal(go(grid, 4, "Up"), 1);
  assert.equal(go(grid, 4, "Down"), 7);
});

test("at the edge there is nothing", () => {
  assert.equal(go(grid, 0, "Left"), -1);
  assert.equal(go(grid, 8, "Down"), -1);
});

test("no row of hexagons is passed over", () => {
  const rows = [1, 2, 3].map((times) => Math.floor(go(hexagons, 1, ...Array(times).fill("Down")) / 3));
  assert.deepEqual(rows, [1, 2, 3]);
});

test("every space can be reached by arrows", () => {
  for (const places of [grid, hexagons]) {
    const reached = new Set([0]);
    for (const at of reached) {
      for (const way of Object.values(ARROWS)) {
        const next = nearest(places, places[at], way);
        if (next >= 0) reached.add(next);
      }
    }
    assert.equal(reached.size, places.length);
  }
});

test("in a row one goes from one to the next", () => {
  assert.equal(inRow(5, 2, "ArrowRight"), 3);
  assert.equal(inRow(5, 2, "ArrowDown"), 3);
  assert.equal(inRow(5, 2, "ArrowLeft"), 1);
  assert.equal(inRow(5, 2, "ArrowUp"), 1);
  assert.equal(inRow(5, 2, "Home"), 0);
  assert.equal(inRow(5, 2, "End"), 4);
});

test("what is told ends as a sentence does, once", () => {
  assert.equal(
    sentences(["Your turn", "", "Roll!", "Dice: 3", "Really?"]),
    "Your turn. Roll! Dice: 3. Really?",
  );
  assert.equal(sentences([]), "");
});
