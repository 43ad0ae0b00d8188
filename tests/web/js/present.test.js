// Keys of presenters, and their clock.
const assert = require("node:assert/strict");
const { test } = require("node:test");
require("../../../tutor/web/static/present.js");
const { WAYS, clockOf, lifts } = globalThis;

test("the clock has two digits for seconds", () => {
  assert.deepEqual([0, 9, 60, 3671].map(clockOf), ["0:00", "0:09", "1:00", "61:11"]);
});

test("arrows, Space and the keys of a clicker go on and back", () => {
  assert.deepEqual(
    ["ArrowRight", " ", "PageDown", "ArrowLeft", "PageUp", "x"].map((key) => WAYS[key]),
    ["next", "next", "next", "back", "back", undefined],
  );
});

test("every key but a modifier lifts the curtain", () => {
  for (const key of ["a", " ", "Escape", "Enter", "PageUp", "ArrowRight"]) assert.ok(lifts(key), key);
  for (const key of ["Shift", "Control", "Alt", "Meta", "Tab", "F5"]) assert.ok(!lifts(key), key);
});
