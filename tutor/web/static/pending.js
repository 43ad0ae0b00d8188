// What is pending on a page: what was asked for and not yet answered, what was touched meanwhile, the sign of
// waiting, and the line that says what failed. Without this file links and forms still work; nobody waits for
// them.
(() => {
  const QUICK = 400; // milliseconds in which an answer needs no sign of waiting
  const SLOW = 5000; // then it is said that one still waits
  const MOST = 15000; // then one waits no longer

  // The rules, without a page: `view` shows what they say, `clock` is told to the tests.
  class Pending {
    constructor(view, clock = globalThis) {
      Object.assign(this, {
        view,
        clock,
        under: new Map(),
        queue: [],
        main: null,
        failure: null,
        failed: null,
        cut: false,
        calm: null,
        making: false,
      });
    }

    get busy() {
      return this.main !== null;
    }

    // Something is asked for. The main thing is what takes the place of the screen; `stop` gives it up.
    begin(token, { key = "", main = false, stop = () => {} } = {}) {
      const wait = this.clock.setTimeout(() => this.#waits(token), QUICK);
      const slow = this.clock.setTimeout(() => this.view.slow(true), SLOW);
      this.under.set(token, { key, main, stop, wait, slow, waits: false });
      if (main) this.main = token;
      this.#forgive();
    }

    // The answer is there, and settles: whoever is quick now is not impatient.
    settle(token) {
      const one = this.under.get(token);
      if (!one) return;
      this.clock.clearTimeout(one.wait);
      one.waits = false;
    }

    // It was answered, or given up, and this screen is shown now: what was touched on another one goes.
    end(token, screen) {
      if (!this.#over(token)) return;
      this.queue = this.queue.filter((act) => act.kind === "way" || act.on === screen);
      this.#go();
    }

    // It failed: `again` does it once more, and then what was touched meanwhile. If it was for the line
    // (`cut`), what is touched now comes after it; what the server refuses keeps nobody from doing something
    // else.
    fail(token, text, again, cut = false) {
      const { key, main } = this.under.get(token) ?? {};
      if (!this.#over(token)) return;
      Object.assign(this, { failure: again, failed: main && cut ? key : null, cut });
      this.view.fail(text, () => this.retry());
    }

    retry() {
      const again = this.failure;
      this.#forgive();
      this.making = true;
      again?.();
      this.making = false;
    }

    // The line is there: what it has cut is done once more. What the server refuses is not.
    resume() {
      if (this.failure && this.cut) this.retry();
    }

    // Something is touched: true if it is kept for later, or is what is asked for already; false if it is to
    // be done now. An `act` waits for the new board; whoever goes elsewhere (`go`) does not wait, and leaves
    // the rest behind; a clicker (`way`) may be fast, but once one sees that it waits, a press is impatience.
    take(act) {
      if (!this.busy) {
        if (this.failure && this.failed && act.kind === "act") {
          // It comes after what failed, and is a reason to try that again.
          if (act.counts || act.key !== (this.queue.at(-1)?.key ?? this.failed)) this.queue.push(act);
          this.retry();
          return true;
        }
        if (!this.making) this.queue = [];
        this.#forgive();
        return false;
      }
      const asked = this.under.get(this.main);
      if (act.kind === "go") {
        if (act.key === asked.key) return true;
        this.drop();
        return false;
      }
      if (act.kind === "way") {
        if (!asked.waits) this.queue.push(act);
        return true;
      }
      if (act.counts || act.key !== (this.queue.at(-1) ?? asked).key) this.queue.push(act);
      return true;
    }

    // What nobody waits for is done when nothing else is; only the last of it.
    idle(act) {
      if (this.busy) this.calm = act;
      else act();
    }

    // Another screen: what belongs to this one is given up.
    drop() {
      this.queue = [];
      this.#forgive();
      const [token, asked] = [this.main, this.under.get(this.main)];
      if (this.#over(token)) asked.stop();
    }

    #over(token) {
      const one = this.under.get(token);
      if (!one) return false;
      this.clock.clearTimeout(one.wait);
      this.clock.clearTimeout(one.slow);
      this.under.delete(token);
      if (this.main === token) this.main = null;
      this.view.slow(false);
      this.view.wait([...this.under.values()].some((other) => other.waits));
      return true;
    }

    #waits(token) {
      this.under.get(token).waits = true;
      this.view.wait(true);
    }

    #forgive() {
      if (this.failure) this.view.fail("");
      this.failure = null;
    }

    #go() {
      this.making = true; // what is made comes here as if it were touched
      while (!this.busy && this.queue.length) this.queue.shift().make();
      this.making = false;
      const calm = this.calm;
      if (this.busy || !calm) return;
      this.calm = null;
      calm();
    }
  }

  // One timer that tries again: later each time, and not with everybody else.
  class Patience {
    constructor(clock = globalThis, random = Math.random) {
      Object.assign(this, { clock, random, tries: 0, timer: null });
    }

    later(act) {
      if (this.timer !== null) return;
      const most = Math.min(1000 * 2 ** this.tries++, 10000);
      this.timer = this.clock.setTimeout(() => {
        this.timer = null;
        act();
      }, most * (0.5 + this.random() / 2));
    }

    now(act) {
      this.clock.clearTimeout(this.timer);
      this.timer = null;
      act();
    }

    calm() {
      this.tries = 0;
    }
  }

  // A browser may refuse to keep anything.
  const safely = (act) => {
    try {
      return act();
    } catch {
      return null;
    }
  };
  const kept = {
    get: (name) => safely(() => sessionStorage.getItem(name)),
    set: (name, value) => safely(() => sessionStorage.setItem(name, value)),
    remove: (name) => safely(() => sessionStorage.removeItem(name)),
  };

  if (!globalThis.document) {
    Object.assign(globalThis, { Pending, Patience });
    return;
  }

  // The page
  const find = (name) => document.querySelector(name);
  const root = () => find("#screen, #notes-of, #plan");
  const shown = () => root()?.dataset.screen;
  const words = () => find("#trouble").dataset;
  const said = new Map(); // what each has to say: a stream, a slow line, a failure
  const tell = (who, text = "", again = null) => {
    said.delete(who);
    if (text) said.set(who, [text, again]);
    const box = find("#trouble");
    // What lies behind an open window is neither heard nor pressed.
    const home = find("dialog:modal");
    if (box.parentElement !== (home ?? document.body)) home ? home.prepend(box) : find("#main").before(box);
    const [now, retry] = [...said.values()].at(-1) ?? ["", null];
    if (box.firstChild?.textContent === now && Boolean(box.querySelector("button")) === Boolean(retry))
      return;
    box.replaceChildren();
    if (now) box.append(Object.assign(document.createElement("span"), { textContent: now }));
    if (retry) {
      const button = Object.assign(document.createElement("button"), {
        type: "button",
        className: "button",
        textContent: words().retry,
      });
      button.addEventListener("click", retry);
      box.append(button);
    }
  };
  const rules = new Pending({
    wait: (on) => { find("#waiting").hidden = !on; },
    slow: (on) => tell("slow", on ? words().slow : ""),
    fail: (text, again) => tell("failure", text, again),
  });

  // What htmx asks for. Its own errors come as events of elements that may be gone; those of the request do
  // not.
  const SETTLED = 25; // milliseconds; htmx settles after 20
  const why = (xhr, kind, leads) => {
    if (!navigator.onLine) return words().offline;
    if (kind !== "load" && !leads) return words().unsure; // it was sent, and may have arrived
    if (kind !== "load") return kind === "timeout" ? words().late : words().lost;
    const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
    return page.querySelector("main p")?.textContent.trim() || words().failed; // not what a proxy says
  };
  // Somebody else has answered, such as a network that wants one to sign in.
  const foreign = (xhr) =>
    !/^hx-/im.test(xhr.getAllResponseHeaders()) && !xhr.responseText.includes(`id="${root()?.id}"`);
  const watch = (xhr, { key, main, again, leads = true }) => {
    // What is sent may have arrived; what is only looked at is given up.
    rules.begin(xhr, { key, main, stop: () => leads && xhr.abort() });
    const failed = (event) => {
      // The page of an error says what is wrong; what was asked is in its address.
      const ours = xhr.status >= 400 && xhr.status < 500 && xhr.status !== 408 && xhr.status !== 429;
      if (main && leads && ours && !find("#live")) location.assign(xhr.responseURL);
      rules.fail(xhr, why(xhr, event.type, leads), again, event.type !== "load");
    };
    xhr.addEventListener("load", (event) => {
      if (xhr.status >= 400 || (main && foreign(xhr))) return failed(event);
      rules.settle(xhr);
      setTimeout(() => rules.end(xhr, shown()), SETTLED);
    });
    xhr.addEventListener("error", failed);
    xhr.addEventListener("timeout", failed);
    xhr.addEventListener("abort", () => rules.end(xhr, shown()));
  };
  const repeat =
    ({ elt, target, requestConfig: { verb, path, parameters, triggeringEvent: event } }) =>
    () => {
      const from = event?.target?.isConnected ? event.target : elt;
      if (!from.isConnected) return;
      // The focus goes back there from the line, which is gone now.
      if (document.activeElement === document.body)
        from.closest("a, button, input, select, summary")?.focus({ preventScroll: true });
      if (event?.type === "submit" && event.submitter?.isConnected)
        event.submitter.click(); // htmx asks what was clicked
      else if (event?.type === "submit") elt.requestSubmit();
      else if (event)
        from.dispatchEvent(new event.constructor(event.type, { bubbles: true, cancelable: true }));
      else ask(verb, path, { source: elt, target, values: verb === "get" ? {} : { ...parameters } });
    };
  document.addEventListener("htmx:beforeSend", ({ detail }) => {
    const { xhr, elt, target, requestConfig } = detail;
    const main = Boolean(root()) && target === root();
    watch(xhr, {
      key: elt.id || requestConfig.path,
      main,
      again: repeat(detail),
      leads: requestConfig.verb === "get",
    });
  });
  // An answer to what is gone is no answer.
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { target, xhr } = detail;
    if (target && (!target.isConnected || (xhr && target === root() && foreign(xhr))))
      detail.shouldSwap = false;
  });
  // Whoever goes back waits for that page only.
  addEventListener("popstate", () => rules.drop(), true);
  document.addEventListener("htmx:historyCacheMiss", ({ detail }) => {
    detail.xhr.timeout = MOST;
    watch(detail.xhr, { key: detail.path, main: true, again: () => location.reload() });
  });
  addEventListener("online", () => rules.retry());

  // What is touched
  const plain = (event) =>
    !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.button);
  const click = (id) => {
    const there = document.getElementById(id);
    if (root()?.contains(there))
      there.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  };
  const touched = (event) => {
    const one = event.target.closest?.("a[href], button[type=submit]");
    if (!one || !plain(event) || !root()?.contains(one)) return null;
    if (one.localName === "button") {
      if (!root().contains(one.form)) return null; // it takes no board's place
      return { kind: "act", key: one.id, make: () => click(one.id) };
    }
    const there = new URL(one.getAttribute("href"), location.href);
    if (one.getAttribute("target") || one.closest("[data-hx-boost]")?.dataset.hxBoost === "false")
      return null;
    if (!one.id || there.pathname !== location.pathname) return { kind: "go", key: one.id || there.href };
    return {
      kind: "act",
      key: one.id,
      counts: Boolean(one.closest("[data-tools], #plan")),
      make: () => click(one.id),
    };
  };
  // A place that can be touched only once the board has come: there, it is what lies under the finger.
  const ahead = ({ target, clientX: x, clientY: y, detail }) => {
    if (!rules.busy || !detail || !target.closest?.("#screen .focus-board")) return null;
    const make = () => document.elementFromPoint(x, y)?.closest("#screen .focus-board a[href]")
      ?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    return { kind: "act", key: `${x} ${y}`, make };
  };
  const keep = (event, act) => {
    if (!act || !rules.take({ ...act, on: shown() })) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // A double click is one: the screen that comes between its halves has a Next of its own.
  const TWICE = 400;
  let pressed = 0;
  addEventListener("click", (event) => {
    if (event.detail && event.target.closest?.("#next, #go, [data-drive=next]")) {
      const again = event.timeStamp - pressed < TWICE && (event.detail > 1 || event.pointerType === "touch");
      pressed = event.timeStamp;
      if (again) {
        event.preventDefault();
        return event.stopImmediatePropagation();
      }
    }
    keep(event, touched(event) ?? ahead(event));
  }, true);
  // A form that opens another page is sent once; it may be sent again when one comes back to it.
  let sent = null;
  addEventListener("submit", (event) => {
    if (event.defaultPrevented || event.target.method !== "post" || event.target.matches("[data-hx-post]"))
      return;
    if (event.target.closest("[data-hx-boost]")?.dataset.hxBoost === "true") return;
    if (sent === event.target) return event.preventDefault();
    sent = event.target;
    setTimeout(() => { sent = null; }, MOST);
  });
  addEventListener("pageshow", () => { sent = null; });
  addEventListener("change", (event) => {
    if (!event.target.matches?.("[data-tools] select") || !rules.busy) return;
    const { id, value } = event.target;
    const make = () => {
      const menu = document.getElementById(id);
      if (!menu) return;
      menu.value = value;
      menu.form.requestSubmit();
    };
    keep(event, { kind: "act", key: `${id} ${value}`, make });
  }, true);

  const ask = (verb, path, options) => htmx.ajax(verb, path, options).then(
    () => new Promise((done) => { setTimeout(() => done(!rules.failure), SETTLED); }), () => false);
  globalThis.pending = {
    ask, tell, kept, Patience, MOST,
    way: (key, make) => rules.take({ kind: "way", key, make }) || make(),
    idle: (act) => rules.idle(act),
    drop: () => rules.drop(),
    lost: () => Boolean(rules.failure),
    retry: () => rules.retry(),
    resume: () => rules.resume(),
  };
})();
