// Nothing on a table is silent: what is touched and does nothing says what it is and what to do first, and
// what has `data-drag` can be dragged to its place. Without this file a touch of such things does nothing.
(() => {
  // The rules, without a page: what a thing is, and what to do first.
  const said = (name, first) =>
    [name && !/[.!?…]$/.test(name) ? `${name}.` : name, first].filter(Boolean).join(" ");
  if (!globalThis.document) return Object.assign(globalThis, { said });

  const stage = () => document.querySelector("#screen .stage");
  const ACTS = "a[href], button, input, label, select, summary";
  const THING = "[data-name], [aria-label], :has(> title)";

  // Beside the finger, until the next touch; those who do not see it hear it.
  const tell = (words, x, y) => {
    hush();
    if (!words || !stage()) return;
    const note = document.createElement("p");
    note.className = "told";
    note.textContent = words;
    stage().append(note);
    const { width, height } = note.getBoundingClientRect();
    note.style.left = `${Math.max(8, Math.min(x - width / 2, innerWidth - width - 8))}px`;
    note.style.top = `${y - height - 24 > 8 ? y - height - 24 : y + 24}px`;
    // After what the new board has to say.
    setTimeout(() => { document.querySelector("#say").textContent = words; }, 100);
  };
  const hush = () => document.querySelector(".told")?.remove();
  const nameOf = (thing) =>
    thing?.dataset.name ??
    thing?.querySelector(":scope > title")?.textContent ??
    thing?.getAttribute("aria-label");

  document.addEventListener("click", (event) => {
    hush();
    const table = event.target.closest?.("#screen .stage .table");
    if (!table || event.target.closest(ACTS)) return;
    const thing = event.target.closest(THING);
    const name = table.contains(thing) ? nameOf(thing) : "";
    tell(said(name, stage().dataset.first), event.clientX, event.clientY);
  });
  document.addEventListener("keydown", hush);

  // A piece that is dragged is picked on the way, and laid where it is let go.
  const FAR = 10;
  let held = null;
  document.addEventListener("dragstart", (event) => {
    if (event.target.closest?.("#screen .stage .table")) event.preventDefault();
  });
  document.addEventListener("pointerdown", (event) => {
    const piece = event.target.closest?.("#screen [data-drag]");
    held =
      piece && event.isPrimary
        ? { piece, x: event.clientX, y: event.clientY, moved: false, ready: false }
        : null;
  });
  document.addEventListener("pointermove", (event) => {
    if (!held || held.moved || Math.hypot(event.clientX - held.x, event.clientY - held.y) < FAR) return;
    held.moved = true;
    held.ready = held.piece.classList.contains("picked");
    if (!held.ready) held.piece.click();
  });
  const lay = () => {
    if (!held?.ready || !held.over) return;
    const [x, y] = held.over;
    held = null;
    const cell = document.elementFromPoint(x, y)?.closest("#screen [data-board] a[href]");
    if (cell) cell.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    else tell(stage()?.dataset.first, x, y);
  };
  document.addEventListener("pointerup", (event) => {
    if (!held?.moved) return (held = null);
    held.over = [event.clientX, event.clientY];
    lay();
  });
  document.addEventListener("pointercancel", () => (held = null));
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!held?.moved || event.target.id !== "screen") return;
    held.ready = true;
    lay();
  });
})();
