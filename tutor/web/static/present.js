// Presenting: keys and clickers, the blank screen, questions in between, and notes in a second window.
// Without this file all of it is links.
(() => {
  // The rules, without a page.
  const WAYS = { ArrowRight: "next", PageDown: "next", " ": "next", ArrowLeft: "back", PageUp: "back" };
  const clockOf = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  // Any key but a modifier lifts the curtain.
  const lifts = (key) => key.length === 1 || key === "Escape" || key === "Enter" || key in WAYS;
  if (!globalThis.document) return Object.assign(globalThis, { WAYS, clockOf, lifts });

  if (!window.pending) return;
  const { kept } = pending;
  const find = (name) => document.querySelector(name);
  // At a live table the notes hear from the server what is shown, and send it their commands.
  const table = find("#live")?.dataset.code;
  const channel = new BroadcastChannel(table ? `presenter-${table}` : "presenter");
  const typing = (event) => event.target.closest?.("input, textarea, select");

  // A clicker may be faster than the answers.
  const press = (way) => find(`#screen #${way}, #notes-of [data-drive=${way}]`)?.click();
  const go = (way) => pending.way(way, () => press(way));

  // The notes follow the shared screen, and can drive it.
  const notes = find("#notes-of");
  if (notes) {
    const began = Number(kept.get("began")) || Date.now();
    kept.set("began", began);
    const clock = () => {
      const seconds = Math.floor((Date.now() - began) / 1000);
      for (const one of document.querySelectorAll("[data-clock]")) one.textContent = clockOf(seconds);
    };
    setInterval(clock, 1000);
    channel.onmessage = async ({ data }) => {
      if (!data.notes || table) return;
      const answer = await fetch(data.notes, { headers: { "HX-Request": "true" } });
      if (!answer.ok) return;
      history.replaceState(null, "", data.notes);
      find("#notes-of").outerHTML = await answer.text();
      clock();
    };
    const drive = (way) => (table ? go(way) : channel.postMessage({ drive: way }));
    const FORWARDED = /^[bl1-9]$/i;
    document.addEventListener("click", (event) => {
      const link = event.target.closest("[data-drive]");
      if (!link || table) return;
      event.preventDefault();
      drive(link.dataset.drive);
    });
    document.addEventListener("keydown", (event) => {
      if (FORWARDED.test(event.key)) channel.postMessage({ key: event.key });
      const way = WAYS[event.key];
      // The focus may be on a button, for it stays where it was; only Space presses that one.
      if (!way || typing(event) || (event.key === " " && event.target.closest("a, button, summary"))) return;
      event.preventDefault();
      drive(way);
    });
    channel.postMessage({ hello: true });
    return;
  }

  const tell = () => channel.postMessage({ notes: find("#screen").dataset.notes });
  channel.onmessage = ({ data }) => {
    if (data.drive) go(data.drive);
    if (data.key) document.body.dispatchEvent(new KeyboardEvent("keydown", { key: data.key, bubbles: true }));
    if (data.hello) tell();
  };
  document.addEventListener("htmx:afterSettle", tell);
  addEventListener("popstate", () => setTimeout(tell, 500));
  tell();

  const curtain = find("#curtain");
  const ask = find("#ask");
  // In a search box the first Escape would only empty it.
  find("#q").addEventListener("keydown", (event) => event.key === "Escape" && ask.close());
  ask.addEventListener("close", () => {
    if (document.activeElement === document.body) find("#ask-open")?.focus({ preventScroll: true });
  });
  const open = () => {
    ask.showModal();
    find("#q").select();
  };
  let byKeys = false;
  document.addEventListener("pointerdown", () => { byKeys = false; });
  document.addEventListener("keydown", (event) => { byKeys ||= event.key === "Tab"; }, true);
  // Whoever speaks to the computer, or has a cat, does without keys that are single letters.
  const letters = find("#letters");
  letters.checked = kept.get("letters") !== "no";
  letters.addEventListener("change", () => kept.set("letters", letters.checked ? "yes" : "no"));
  const ACTS = {
    b: () => {
      curtain.hidden = !curtain.hidden;
    },
    f: () =>
      document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.(),
    l: () => {
      const shown = find("#screen [data-second][aria-current]");
      if (shown) kept.set("second", shown.dataset.second);
      const before = find(`#screen [data-second="${kept.get("second")}"]`);
      (shown ?? before ?? find("#screen [data-second]"))?.click();
    },
    n: () => find("#screen #notes")?.click(),
  };
  document.addEventListener(
    "keydown",
    (event) => {
      if (typing(event) || event.altKey || event.ctrlKey || event.metaKey || find("dialog[open]")) return;
      if (!letters.checked && /^[\p{L}\d/?]$/u.test(event.key)) return event.stopImmediatePropagation();
      const act = ACTS[event.key.toLowerCase()];
      const way = WAYS[event.key];
      // Who has come to the board, or to a button, by keyboard stays there: arrows and Space are theirs.
      const theirs = byKeys && !event.key.startsWith("Page") && find("#screen :is(a, button):focus");
      if (!curtain.hidden) {
        // It does nothing else.
        if (!lifts(event.key)) return;
        curtain.hidden = true;
        event.preventDefault();
        event.stopImmediatePropagation();
      } else if (event.key === "/") {
        open();
        event.preventDefault();
        event.stopImmediatePropagation();
      } else if (act) {
        act();
        event.preventDefault();
      } else if (way && !theirs) {
        go(way);
        event.preventDefault();
        event.stopImmediatePropagation();
      } else if (/^[1-9]$/.test(event.key)) find(`#screen [data-key="${event.key}"]`)?.click();
    },
    true,
  );
  document.addEventListener("click", (event) => {
    if (event.target.closest("#ask-open")) {
      event.preventDefault();
      open();
    }
    if (event.target.closest("[data-close]")) ask.close();
    if (event.target.closest("#keys-open")) find("#keys").showModal();
    if (event.target.closest("#curtain")) curtain.hidden = true;
  });
})();
