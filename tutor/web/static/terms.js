// A term of the glossary explains itself where it stands: on a small card beside the pointer or the focus, on a
// sheet under the finger. Without this file it is a link to the glossary.
(() => {
  const TERM = "a.term[data-card]";
  let card = null;
  let touched = false; // by a finger, which has no way of only pointing

  const hide = () => {
    card?.remove();
    card = null;
  };
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
    document.body.append(card);
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
    own.addEventListener("toggle", (event) => event.newState === "closed" && own.remove());
    document.body.append(own);
    own.showPopover();
  };

  addEventListener("pointerdown", (event) => (touched = event.pointerType !== "mouse"), true);
  addEventListener("keydown", (event) => {
    touched = false;
    if (event.key === "Escape" && !card?.popover) hide();
  }, true);
  for (const [name, act] of [["pointerover", point], ["focusin", point], ["pointerout", hide], ["focusout", hide]]) {
    document.addEventListener(name, (event) => {
      const link = event.target.closest?.(TERM);
      if (link && !touched && event.pointerType !== "touch") act(link);
    });
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(TERM);
    if (!link || !touched || !HTMLElement.prototype.showPopover) return;
    event.preventDefault();
    sheet(link);
  });
})();
