// A term of the glossary explains itself where it stands: on a small card beside the pointer or the focus, on
// a sheet under the finger. Without this file it is a link to the glossary.
(() => {
  const TERM = "a.term[data-card]";
  let card = null;
  let touched = false; // by a finger, which has no way of only pointing
  let again = false;

  const hide = () => {
    if (!card?.popover) card?.remove(); // a sheet is closed by its reader
    document.querySelector("a[aria-describedby=term-means]")?.removeAttribute("aria-describedby");
    card = null;
  };
  // What it means, to be described by.
  const meaning = (id) => Object.assign(card.querySelector(".term-means"), { id });
  const made = async (link) => {
    const answer = await fetch(link.dataset.card, { headers: { "HX-Request": "true" } });
    if (!answer.ok) throw new Error(answer.status);
    const html = await answer.text();
    hide();
    card = document.createElement("div");
    card.innerHTML = html;
  };
  const beside = (link) => {
    card.className = "term-card";
    card.setAttribute("role", "tooltip");
    link.setAttribute("aria-describedby", meaning("term-means").id);
    document.body.append(card);
    // A description that comes after the focus is not read.
    if (link.matches(":focus-visible"))
      document.querySelector("#say").textContent = card.querySelector(".term-means").textContent;
    const box = link.getBoundingClientRect();
    card.style.left = `${Math.max(8, Math.min(box.left, innerWidth - card.offsetWidth - 8))}px`;
    const below = box.bottom + 6 + card.offsetHeight < innerHeight;
    card.style.top = `${scrollY + (below ? box.bottom + 6 : box.top - 6 - card.offsetHeight)}px`;
  };
  const point = async (link) => {
    hide();
    await made(link).catch(() => null);
    if (card && link.matches(":hover, :focus")) beside(link);
    else hide();
  };
  // The browser closes it: by Esc, or by a touch elsewhere.
  const sheet = async (link) => {
    try {
      await made(link);
    } catch {
      return location.assign(link.href);
    }
    const own = card;
    own.className = "more-sheet";
    own.popover = "auto";
    own.autofocus = true;
    own.tabIndex = -1;
    own.setAttribute("role", "dialog");
    own.setAttribute("aria-label", link.textContent);
    own.setAttribute("aria-describedby", meaning("term-sheet-means").id);
    // The term that has the focus again was just read.
    own.addEventListener("beforetoggle", (event) => {
      again = event.newState === "closed";
      setTimeout(() => (again = false));
    });
    own.addEventListener("toggle", (event) => event.newState === "closed" && own.remove());
    document.body.append(own);
    own.showPopover();
  };

  addEventListener("pointerdown", (event) => (touched = event.pointerType !== "mouse"), true);
  addEventListener(
    "keydown",
    (event) => {
      touched = false;
      if (event.key !== "Escape" || !card || card.popover) return;
      hide();
      event.stopPropagation(); // it has closed something
    },
    true,
  );
  for (const [name, act] of [
    ["pointerover", point],
    ["focusin", point],
    ["pointerout", hide],
    ["focusout", hide],
  ]) {
    document.addEventListener(name, (event) => {
      const link = event.target.closest?.(TERM);
      if (link && !touched && !again && event.pointerType !== "touch") act(link);
    });
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(TERM);
    if (
      !link ||
      !(touched || !event.detail) ||
      event.ctrlKey ||
      event.metaKey ||
      !HTMLElement.prototype.showPopover
    )
      return;
    event.preventDefault();
    sheet(link);
  });
})();
