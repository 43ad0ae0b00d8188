// The rules of what is pending, without a page.
const assert = require("node:assert/strict");
const { beforeEach, test } = require("node:test");
require("../../../tutor/web/static/pending.js");
const { Pending, Patience } = globalThis;

class Clock {
  constructor() {
    Object.assign(this, { now: 0, timers: new Map(), next: 1 });
  }

  setTimeout(act, delay) {
    this.timers.set(this.next, [this.now + delay, act]);
    return this.next++;
  }

  clearTimeout(timer) {
    this.timers.delete(timer);
  }

  pass(time) {
    this.now += time;
    for (const [timer, [due, act]] of [...this.timers].sort(([, [a]], [, [b]]) => a - b)) {
      if (due > this.now) continue;
      this.timers.delete(timer);
      act();
    }
  }
}

let clock, page, pending, made;
beforeEach(() => {
  clock = new Clock();
  page = { waits: false, slow: false, line: "", again: null };
  made = [];
  pending = new Pending({
    wait: (on) => { page.waits = on; },
    slow: (on) => { page.slow = on; },
    fail: (text, again) => Object.assign(page, { line: text, again }),
  }, clock);
});
const ask = (key, more = {}) =>
  pending.begin(key, { key, main: true, stop: () => made.push(`stop ${key}`), ...more });
// As on a page: what is made is touched again, on the new board.
const touch = (one) => {
  if (pending.take(one)) return;
  made.push(one.key);
  ask(one.key);
};
const act = (key, more = {}) => {
  const one = { kind: "act", key, on: "one", make: () => touch(one), ...more };
  return one;
};

test("what is touched while nothing is under way is done now", () => {
  assert.equal(pending.take(act("A1")), false);
});

test("touches are made one by one on the boards that come", () => {
  ask("A1");
  assert.ok(pending.take(act("A2")));
  assert.ok(pending.take(act("A3")));
  assert.deepEqual(made, []);
  pending.end("A1", "one");
  assert.deepEqual(made, ["A2"]);
  pending.end("A2", "one");
  assert.deepEqual(made, ["A2", "A3"]);
});

test("a second touch of the same thing is no other one, unless it counts up", () => {
  ask("A1");
  assert.ok(pending.take(act("A1")));
  assert.ok(pending.take(act("more", { counts: true })));
  assert.ok(pending.take(act("more", { counts: true })));
  pending.end("A1", "one");
  pending.end("more", "one");
  pending.end("more", "one");
  assert.deepEqual(made, ["more", "more"]);
});

test("whoever goes elsewhere leaves what was touched behind", () => {
  ask("A1");
  pending.take(act("A2"));
  assert.equal(pending.take({ kind: "go", key: "next" }), false);
  assert.deepEqual(made, ["stop A1"]);
  ask("next");
  pending.end("A1", "one"); // its end comes late, and ends nothing else
  assert.ok(pending.busy);
  pending.end("next", "two");
  assert.deepEqual(made, ["stop A1"]);
});

test("to go there twice is to go there once", () => {
  ask("next");
  assert.ok(pending.take({ kind: "go", key: "next" }));
  pending.end("next", "two");
  assert.deepEqual(made, []);
});

test("another screen has no use for what was touched on the one before", () => {
  ask("A1");
  pending.take(act("A2"));
  pending.end("A1", "two");
  assert.deepEqual(made, []);
});

test("what was touched on the new screen while it settled is made there", () => {
  ask("next");
  pending.take(act("A1", { on: "two" }));
  pending.end("next", "two");
  assert.deepEqual(made, ["A1"]);
});

test("a clicker may be faster than the answers, until one sees that it waits", () => {
  const way = () => act("next", { kind: "way" });
  ask("next");
  assert.ok(pending.take(way()));
  clock.pass(1000);
  for (let press = 0; press < 6; press++) assert.ok(pending.take(way()));
  pending.end("next", "two");
  pending.end("next", "two");
  assert.deepEqual(made, ["next"]);
});

test("a press is not impatient once the answer is there, though it still settles", () => {
  ask("next");
  clock.pass(1000);
  pending.settle("next");
  assert.ok(pending.take(act("next", { kind: "way" })));
  pending.end("next", "two");
  assert.deepEqual(made, ["next"]);
});

test("a quick answer shows no sign of waiting", () => {
  ask("A1");
  clock.pass(300);
  assert.ok(!page.waits);
  pending.end("A1", "one");
  clock.pass(1000);
  assert.ok(!page.waits);
});

test("a slow answer shows it, then says it, and then both are gone", () => {
  ask("A1");
  clock.pass(500);
  assert.ok(page.waits && !page.slow);
  clock.pass(5000);
  assert.ok(page.slow);
  pending.end("A1", "one");
  assert.ok(!page.waits && !page.slow);
});

test("what fails is told, and done again with all that was touched meanwhile", () => {
  ask("A1");
  pending.take(act("A2"));
  pending.fail("A1", "lost", () => ask("A1"));
  assert.equal(page.line, "lost");
  assert.deepEqual(made, []);
  page.again();
  assert.equal(page.line, "");
  pending.end("A1", "one");
  assert.deepEqual(made, ["A2"]);
});

test("whoever does something else after a failure is done with it", () => {
  ask("A1");
  pending.take(act("A2"));
  pending.fail("A1", "lost", () => ask("A1"));
  assert.equal(pending.take(act("B1")), false);
  assert.equal(page.line, "");
  ask("B1");
  pending.end("B1", "one");
  assert.deepEqual(made, []);
});

test("what is touched while the line is cut comes after what failed", () => {
  const tries = [];
  const again = () => { tries.push("A6"); pending.begin("again" + tries.length, { key: "A6", main: true }); };
  pending.begin("first", { key: "A6", main: true });
  pending.fail("first", "offline", again, true);
  for (const key of ["A7", "A8"]) {
    assert.equal(pending.take({ kind: "act", key, on: "one", make: () => made.push(key) }), true);
    pending.fail("again" + tries.length, "offline", again, true);
  }
  assert.equal(pending.take({ kind: "act", key: "A8", on: "one", make: () => made.push("A8") }), true);
  assert.equal(tries.length, 3);
  assert.deepEqual(made, []);
  pending.end("again3", "one");
  assert.deepEqual(made, ["A7", "A8"]);
});

test("going back gives up what was asked for", () => {
  ask("A1");
  pending.take(act("A2"));
  pending.drop();
  assert.deepEqual(made, ["stop A1"]);
  assert.ok(!pending.busy);
});

test("what takes no board's place keeps nobody from the board", () => {
  ask("vote", { main: false });
  assert.ok(!pending.busy);
  assert.equal(pending.take(act("A1")), false);
  clock.pass(500);
  assert.ok(page.waits);
});

test("what the line has cut is done again once it is there, what was refused is not", () => {
  for (const [cut, times] of [[true, 1], [false, 0]]) {
    made.length = 0;
    ask("A1");
    pending.fail("A1", "no", () => made.push("again"), cut);
    pending.resume();
    pending.resume();
    assert.equal(made.length, times);
  }
});

test("what nobody waits for comes when all else is done, and only once", () => {
  ask("A1");
  pending.idle(() => made.push("first"));
  pending.idle(() => made.push("second"));
  pending.take(act("A2"));
  pending.end("A1", "one");
  assert.deepEqual(made, ["A2"]);
  pending.end("A2", "one");
  assert.deepEqual(made, ["A2", "second"]);
});

test("whoever tries again does so later each time, by one timer", () => {
  const patience = new Patience(clock, () => 1);
  const tried = [];
  const again = () => {
    tried.push(clock.now);
    patience.later(again);
    patience.later(again);
  };
  patience.later(again);
  for (let second = 0; second < 60; second++) clock.pass(1000);
  assert.deepEqual(tried, [1000, 3000, 7000, 15000, 25000, 35000, 45000, 55000]);
  patience.calm();
  patience.now(() => {});
  patience.later(again);
  clock.pass(1000);
  assert.equal(tried.at(-1), 61000);
});

test("two who try again do not do so together", () => {
  const [early, late] = [new Patience(clock, () => 0), new Patience(clock, () => 1)];
  const tried = [];
  early.later(() => tried.push("early"));
  late.later(() => tried.push("late"));
  clock.pass(600);
  assert.deepEqual(tried, ["early"]);
});
