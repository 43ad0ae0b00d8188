// What a thing says that is touched and does nothing.
const assert = require("node:assert/strict");
const { test } = require("node:test");
require("../../../tutor/web/static/tap.js");
const { said } = globalThis;

test("a thing says its name, then what to do first", () => {
  assert.equal(said("Red die", "Pick a tile."), "Red die. Pick a tile.");
  assert.equal(said("Blockers!", "Pick a tile."), "Blockers! Pick a tile.");
  assert.equal(said("Red die", undefined), "Red die.");
  assert.equal(said("", "Pick a tile."), "Pick a tile.");
  assert.equal(said(undefined, undefined), "");
});
