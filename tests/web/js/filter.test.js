// What a page is filtered by, and what is marked in it.
const assert = require("node:assert/strict");
const { test } = require("node:test");
require("../../../tutor/web/static/filter.js");
const { found, hasAll, plain, wordsOf } = globalThis;

test("case and accents do not count", () => {
  assert.equal(plain("Żółte Kości"), "zolte kosci");
  assert.equal(plain("È già UÑA"), "e gia una");
});

test("all words have to be there, in any order", () => {
  assert.deepEqual(wordsOf("  Red   dice "), ["red", "dice"]);
  assert.ok(hasAll(plain("The dice are red"), wordsOf("Red dice")));
  assert.ok(!hasAll(plain("The dice are blue"), wordsOf("red dice")));
  assert.ok(hasAll("anything", wordsOf(" ")));
});

test("what is marked is what was found, every time", () => {
  assert.deepEqual(found("Kość, kości", wordsOf("kość")), [
    [0, 4],
    [6, 10],
  ]);
  assert.deepEqual(found("aaa", ["aa"]), [[0, 2]]);
});

test("nothing is marked where letters have moved", () => {
  assert.deepEqual(found("ko\u0301sc kosc", ["kosc"]), []);
});
