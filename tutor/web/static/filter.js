// Long pages: what does not match the typed words is hidden; a link to something folded opens it.
// Without this file all of the page is there, and the box is not.
(() => {
  const plain = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ł", "l");
  const wordsOf = (typed) => plain(typed).split(/\s+/).filter(Boolean);
  const hasAll = (text, words) => words.every((word) => text.includes(word));
  // Where words stand in a text, whatever their accents: beginnings and ends. None are known if the letters
  // do not stand where they did.
  const found = (data, words) => {
    const text = plain(data);
    const places = [];
    if (text.length !== data.length) return places;
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        places.push([at, at + word.length]);
      }
    }
    return places;
  };
  if (!globalThis.document) return Object.assign(globalThis, { plain, wordsOf, hasAll, found });

  const anchor = () => document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const ranges = (element, words) => {
    const all = [];
    const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      for (const [start, end] of found(walk.currentNode.data, words)) {
        const range = new Range();
        range.setStart(walk.currentNode, start);
        range.setEnd(walk.currentNode, end);
        all.push(range);
      }
    }
    return all;
  };
  const mark = (elements, words) => {
    if (!CSS.highlights) return;
    CSS.highlights.delete("found");
    if (words.length)
      CSS.highlights.set("found", new Highlight(...elements.flatMap((one) => ranges(one, words))));
  };

  // A form begins to filter its page; the answer forgets what was typed.
  const filter = (form) => {
    const box = form.querySelector("input");
    const count = form.querySelector("output");
    const plural = new Intl.PluralRules(document.documentElement.lang);
    const items = [...document.querySelectorAll(form.dataset.filter)].map((item) => [
      item,
      plain(item.textContent),
    ]);
    const parts = [...document.querySelectorAll(".part")].map((part) => [part, part.querySelector("h2")]);
    const links = [...document.querySelectorAll(".toc ol a")].map((link) => [
      link.parentElement, document.getElementById(link.dataset.entry ?? link.hash.slice(1)),
    ]);
    const apply = () => {
      const words = wordsOf(box.value);
      const has = (text) => hasAll(text, words);
      for (const [part, title] of parts) part.dataset.titled = has(plain(title.textContent)) ? "yes" : "";
      for (const [item, text] of items) item.hidden = !(has(text) || item.closest(".part")?.dataset.titled);
      const left = items.filter(([item]) => !item.hidden).map(([item]) => item);
      // A part with nothing left goes, and so does its place in the contents.
      for (const [part] of parts)
        part.hidden = Boolean(words.length) && !left.some((item) => part.contains(item));
      for (const [place, entry] of links) place.hidden = Boolean(entry?.closest("[hidden]"));
      document.querySelector("[data-nothing] > *").hidden = left.length > 0;
      document.body.toggleAttribute("data-filtering", words.length > 0);
      count.textContent = words.length
        ? count.dataset[plural.select(left.length)].replace(/\d+/, left.length)
        : "";
      mark([...left, ...parts.map(([, title]) => title)], words);
    };
    form.hidden = false;
    form.addEventListener("input", () => {
      apply();
      (form.closest(".coach-text") ?? window).scrollTo(0, 0); // what is left begins there
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    apply(); // a browser keeps what was typed over a reload
    return () => {
      box.value = "";
      apply();
    };
  };

  let forget = () => {};
  const begin = () => {
    const form = document.querySelector("[data-filter][hidden]");
    if (form) forget = filter(form);
  };
  begin();
  // The referee's first page comes and goes in place.
  document.addEventListener("htmx:afterSettle", begin);

  const arrive = () => {
    const there = anchor();
    if (!there) return;
    if (there.closest("[hidden]")) {
      forget();
      there.scrollIntoView();
    }
    if (there.matches(".fold")) there.querySelector("details").open = true;
    // Rulings stood on this page once; their old addresses lead on to their own pages.
    if (there.matches(".rules .question")) location.replace(there.querySelector("a").href);
  };
  addEventListener("hashchange", arrive);
  // What opens is fetched by htmx, which listens from then on, however late the last script comes.
  document.addEventListener("DOMContentLoaded", arrive);

  // The contents mark the rule that is being read: the last one that has passed the upper third of the
  // window.
  const entries = [...document.querySelectorAll(".toc a[href^='#']")]
    .map((link) => [link, document.getElementById(link.hash.slice(1))])
    .filter(([, there]) => there);
  let reading = null;
  const follow = () => {
    const passed = entries.filter(
      ([, there]) => !there.closest("[hidden]") && there.getBoundingClientRect().top < innerHeight / 3,
    );
    const now = passed.at(-1)?.[0] ?? null;
    if (now === reading) return;
    reading?.removeAttribute("aria-current");
    now?.setAttribute("aria-current", "true");
    const list = now?.closest(".toc");
    if (list)
      list.scrollTop +=
        now.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
    reading = now;
  };
  addEventListener("scroll", () => requestAnimationFrame(follow), { passive: true });
  follow();

  // A change of language stays at the rule of the address or, from beside the text, at the one that is being
  // read.
  const stay = (event) => {
    const link = event.target.closest?.(".top .langs a, .toc-langs a");
    if (!link) return;
    const box = anchor()?.getBoundingClientRect();
    const here = link.closest(".top") ? box : box && box.bottom > 0 && box.top < innerHeight;
    link.hash = here ? location.hash : (reading?.hash ?? "");
  };
  for (const name of ["click", "auxclick", "contextmenu"]) document.addEventListener(name, stay, true);

  const contents = document.querySelector(".toc[popover]");
  contents?.addEventListener(
    "click",
    (event) => event.target.closest("a") && contents.matches(":popover-open") && contents.hidePopover(),
  );
})();
