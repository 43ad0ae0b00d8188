// Long pages: what does not match the typed words is hidden; a link to something folded opens it.
// Without this file all of the page is there, and the box is not.
(() => {
  const plain = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ł", "l");
  const anchor = () => document.getElementById(decodeURIComponent(location.hash.slice(1)));

  const form = document.querySelector("[data-filter]");
  const box = form.querySelector("input");
  const items = [...document.querySelectorAll(form.dataset.filter)].map((item) => [item, plain(item.textContent)]);
  const links = [...document.querySelectorAll(".toc ol ol a")].map((link) => [
    link.parentElement, document.getElementById(link.dataset.entry ?? link.hash.slice(1)),
  ]);
  const apply = () => {
    const typed = plain(box.value).split(/\s+/).filter(Boolean);
    const has = (text) => typed.every((word) => text.includes(word));
    for (const part of document.querySelectorAll(".part")) part.dataset.titled = has(plain(part.querySelector("h2").textContent)) ? "yes" : "";
    for (const [item, text] of items) item.hidden = !(has(text) || item.closest(".part")?.dataset.titled);
    // A part with nothing left goes, and so does its place in the contents.
    for (const part of document.querySelectorAll(".part")) part.hidden = !part.querySelector(`:is(${form.dataset.filter}):not([hidden])`);
    for (const [place, entry] of links) place.hidden = Boolean(entry?.closest("[hidden]"));
    for (const place of document.querySelectorAll(".toc > ol > li")) place.hidden = !place.querySelector("li:not([hidden])");
    document.querySelector("[data-nothing] > *").hidden = items.some(([item]) => !item.hidden);
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  if (box.value) apply(); // what a browser kept over a reload

  const arrive = () => {
    const there = anchor();
    if (!there) return;
    if (there.closest("[hidden]")) {
      box.value = "";
      apply();
      there.scrollIntoView();
    }
    if (there.matches(".fold")) there.querySelector("details").open = true;
    // Rulings stood on this page once; their old addresses lead on to their own pages.
    if (there.matches(".rules .question")) location.replace(there.querySelector("a").href);
  };
  addEventListener("hashchange", arrive);
  arrive();

  // The contents mark the rule that is being read: the last one that has passed the upper third of the window.
  const places = [...document.querySelectorAll(".toc a[href^='#']")].map((link) => [
    link, document.getElementById(link.hash.slice(1)),
  ]).filter(([, there]) => there);
  let reading = null;
  const mark = () => {
    const passed = places.filter(([, there]) => !there.closest("[hidden]") && there.getBoundingClientRect().top < innerHeight / 3);
    const now = passed.at(-1)?.[0] ?? null;
    if (now === reading) return;
    reading?.removeAttribute("aria-current");
    now?.setAttribute("aria-current", "true");
    const list = now?.closest(".toc");
    if (list) list.scrollTop += now.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
    reading = now;
  };
  addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
  mark();

  const contents = document.querySelector(".toc[popover]");
  contents?.addEventListener("click", (event) => event.target.closest("a") && contents.matches(":popover-open") && contents.hidePopover());
})();
