// What news are to a guest, and which links of a presenter are commands.
const assert = require("node:assert/strict");
const { test } = require("node:test");
require("../../../tutor/web/static/live.js");
const { commandOf, newsOf } = globalThis;

const seen = { version: 7, number: 3, round: 2 };
const news = (own) => newsOf({ ...seen, ...own }, seen);

test("what is seen already is no news", () => {
  assert.equal(news({}), "nothing");
});

test("while the beat is the same only what is pushed is new", () => {
  assert.equal(news({ version: 8 }), "push");
});

test("another round of the same beat asks once more", () => {
  assert.equal(news({ version: 8, round: 3 }), "again");
});

test("another beat is shown, whatever its round", () => {
  assert.equal(news({ version: 8, number: 4 }), "beat");
  assert.equal(news({ version: 8, number: 4, round: 3 }), "beat");
});

test("a store that has lost its end counts", () => {
  assert.equal(news({ version: 5, number: 2, round: 1 }), "beat");
});

const command = (address) => commandOf(new URL(address, "http://tutor.test/en/t/abc/present"));

test("a link to a beat shows it, with all that was done there", () => {
  assert.deepEqual(command("?screen=grey&moves=a;b&said=y&check=1&choice=x&choice=z"), {
    do: "show",
    screen: "grey",
    moves: "a;b",
    said: "y",
    check: "1",
    choice: ["x", "z"],
  });
});

test("a link to a place points at it", () => {
  assert.deepEqual(command("?screen=grey&point=A1"), { do: "point", point: "A1", screen: "grey" });
});

test("other links stay links", () => {
  for (const address of [
    "?screen=grey&pick=A1",
    "?second=pl",
    "/en/border/rules?screen=grey",
    "/en/t/abc?screen=grey",
  ])
    assert.equal(command(address), null);
});
