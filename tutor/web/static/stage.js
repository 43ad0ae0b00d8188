// The stage: clicks on boards, the keyboard, where the focus goes. Without this file all is links and forms.
(() => {
  // The rules, without a page.
  const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  // Which place is the nearest in a direction; -1 if there is none. On hexagons the next row lies half a
  // space aside: it must not be farther than the row after it, or every other row could not be reached.
  const nearest = (places, [x, y], [dx, dy]) => {
    let best = -1;
    let least = Infinity;
    for (const [i, [u, v]] of places.entries()) {
      const ahead = (u - x) * dx + (v - y) * dy;
      const aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (ahead > 1 && ahead + aside < least) [best, least] = [i, ahead + aside];
    }
    return best;
  };
  const inRow = (count, at, key) => {
    if (key === "Home") return 0;
    if (key === "End") return count - 1;
    return at + (key === "ArrowRight" || key === "ArrowDown" ? 1 : -1);
  };
  const sentences = (all) =>
    all
      .filter(Boolean)
      .map((text) => (/[.!?…:]$/.test(text) ? text : `${text}.`))
      .join(" ");
  if (!globalThis.document) return Object.assign(globalThis, { ARROWS, nearest, inRow, sentences });

  if (!window.pending) return;
  const { kept } = pending;
  const panel = () => document.querySelector("#screen");
  const plain = (event) => !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);

  // htmx boosts the links of HTML, not those inside an SVG.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("#screen svg a[href]");
    if (!link || !plain(event) || event.button || !window.htmx) return;
    event.preventDefault();
    // In a played game a second touch on the move that is asked about makes it.
    const form = panel().querySelector("#form-play");
    const asked = new URLSearchParams(link.getAttribute("href").split("?")[1]).get("try");
    if (form && asked && form.elements.move.value === asked) return form.requestSubmit();
    pending.ask("GET", link.getAttribute("href"), {
      source: link,
      target: "#screen",
      swap: "outerHTML show:none",
    });
  });

  // A board, or a row of pieces, is one Tab stop; arrows move inside it.
  const ONE_STOP = "[data-board], [data-row]";
  const spaces = (board) => [...board.querySelectorAll("a[href]")];
  const enter = (board, chosen) => {
    for (const space of spaces(board)) space.setAttribute("tabindex", space === chosen ? "0" : "-1");
  };
  // It is entered where it was left: at the last of these that is there. What is touched has the focus, too.
  let visited = [];
  document.addEventListener("focusin", ({ target }) => {
    const { id } = target.closest(`#screen :is(${ONE_STOP}) a[href]`) ?? {};
    if (id) visited = [...visited.filter((other) => other !== id), id];
  });
  const latest = (all) => {
    const last = visited.findLast((other) => all.some((space) => space.id === other));
    return all.find(({ id }) => id === last);
  };
  const boards = () => {
    for (const board of panel()?.querySelectorAll(ONE_STOP) ?? []) {
      const all = spaces(board);
      enter(board, latest(all) ?? all.find((space) => space.classList.contains("picked")) ?? all[0]);
      if (all.length > 1) board.setAttribute("aria-describedby", "arrows");
    }
  };
  // On a phone a board may be larger than its window, which then begins where something is to be seen. It is
  // left where the reader has moved it, and shows the whole board, or not, for as long as that is wanted.
  const seen = { left: 0, top: 0, whole: false, wanted: false };
  const frame = () => panel()?.querySelector(".focus-board");
  const whole = () => panel()?.querySelector(".whole input");
  const size = (again) => {
    if (whole() && (again || seen.wanted)) whole().checked = seen.whole;
  };
  // A choice in a menu of the set-up counts at once: a button beside it would make a second one.
  const menus = () => {
    const plain = panel()?.querySelectorAll("[data-tools] select + button") ?? [];
    for (const button of plain) button.hidden = true;
  };
  const look = (again) => {
    const board = frame();
    if (!board) return;
    const [x, y] = (board.dataset.look ?? ".5 .5").split(" ").map(Number);
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = board;
    if (again) board.scrollTo(seen.left, seen.top);
    else board.scrollTo(x * scrollWidth - clientWidth / 2, y * scrollHeight - clientHeight / 2);
    // What is announced settles on its own, after the board.
    [seen.left, seen.top] = [board.scrollLeft, board.scrollTop];
  };
  // A place that is newly pointed at comes into the window, unless it is there already.
  const pointed = () => panel()?.querySelector(".pointed");
  let place = pointed()?.dataset.place;
  const follow = () => {
    const before = place;
    place = pointed()?.dataset.place;
    if (!place || place === before) return;
    const [ring, view] = [pointed(), frame()].map((one) => one.getBoundingClientRect());
    const out =
      ring.left < view.left || ring.right > view.right || ring.top < view.top || ring.bottom > view.bottom;
    if (out) look(false);
  };
  // And so does what a refusal marks, on the whole board if it lies far apart.
  const point = () => {
    const marks = [...(panel()?.querySelectorAll(".focus-board .marks.refused > *") ?? [])];
    const view = frame()?.getBoundingClientRect();
    const out = ({ left, right, top, bottom }) =>
      left < view.left - 1 || right > view.right + 1 || top < view.top - 1 || bottom > view.bottom + 1;
    if (!marks.some((mark) => out(mark.getBoundingClientRect()))) return;
    if (whole() && !frame().dataset.look) whole().checked = true;
    look(false);
  };
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-tools] select")) event.target.form.requestSubmit();
    if (event.target !== whole()) return;
    [seen.whole, seen.wanted] = [event.target.checked, true];
    look(false);
  });
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  // The opposite arrow leads back the way one came, though another space may be nearer in that direction.
  const OPPOSITE = {
    ArrowRight: "ArrowLeft", ArrowLeft: "ArrowRight", ArrowDown: "ArrowUp", ArrowUp: "ArrowDown",
  };
  let trail = [];
  const move = (board, from, key) => {
    if (trail.at(-1)?.to !== from.id) trail = []; // one has come here by other means
    const all = spaces(board);
    if (trail.at(-1)?.key === OPPOSITE[key]) {
      const { id } = trail.pop();
      const before = all.find((space) => space.id === id);
      if (before) return before;
    }
    const next = all[nearest(all.map(middle), middle(from), ARROWS[key])];
    if (next) trail.push({ id: from.id, key, to: next.id });
    return next;
  };
  // In a row of pieces one goes from one to the next, whatever line they stand in.
  const beside = (board, from, key) => {
    const all = spaces(board);
    if (board.matches("[data-board]") && ARROWS[key]) return move(board, from, key);
    return all[inRow(all.length, all.indexOf(from), key)];
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && !event.target.closest("input, textarea")) {
      document.querySelector("#keys")?.showModal();
      return;
    }
    if (!plain(event) || event.target.closest("input, textarea, select, dialog")) return;
    if (event.key === "/") {
      event.preventDefault();
      (document.querySelector("#q") ?? document.querySelector("#find"))?.focus();
      return;
    }
    // What lies over the page is closed by it, and nothing else.
    if (event.key === "Escape")
      return document.querySelector(":popover-open") ?? panel()?.querySelector("#unpick, #leave")?.click();
    const arrow = ARROWS[event.key];
    const board = event.target.closest(ONE_STOP);
    if (!panel() || !(arrow || (board && ["Home", "End"].includes(event.key)))) return;
    if (board) {
      event.preventDefault();
      const next = beside(board, event.target.closest("a"), event.key);
      if (next) {
        enter(board, next);
        next.focus();
      }
    } else if (arrow[0]) {
      event.preventDefault();
      // What is still to be done is not skipped by a key that was meant for the board.
      if (arrow[0] > 0 && panel().matches("[data-open]:not([data-kind=watch], [data-kind=read])")) return;
      panel().querySelector(arrow[0] > 0 ? "#next" : "#back")?.click();
    }
  });

  // A link to give away is handed to the phone's own sharing, or copied; without either it is a link.
  document.addEventListener("click", async (event) => {
    const link = event.target.closest?.("[data-share]");
    if (!link || !plain(event) || !(navigator.share || navigator.clipboard)) return;
    event.preventDefault();
    try {
      if (navigator.share) return await navigator.share({ url: link.href, title: document.title });
      await navigator.clipboard.writeText(link.href);
      const sign = link.textContent;
      link.textContent = link.dataset.shared;
      document.querySelector("#say").textContent = link.dataset.shared;
      if (link.matches(".permalink")) setTimeout(() => (link.textContent = sign), 4000);
    } catch (error) {
      if (error.name !== "AbortError") location.assign(link.href);
    }
  });

  // What stands behind the focus or the pointer, in words, below the board; where it lies is seen.
  const brief = (one) => (one.getAttribute("aria-label") ?? one.textContent.trim()).split(";")[0];
  const caption = (event) => {
    const space = event.target.closest?.("#screen [data-board] a[href]");
    const shown = panel()?.querySelector(".caption");
    if (space && shown) shown.textContent = brief(space);
  };
  document.addEventListener("focusin", caption);
  document.addEventListener("pointerover", caption);
  // A space that a key has come to is seen as a whole: browsers are content with a corner of it. A finger
  // sees what it touches.
  document.addEventListener("focusin", ({ target }) => {
    if (target.closest("#screen [data-board]") && target.matches(":focus-visible"))
      target.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  // What is new is told, whoever has brought it; of another screen its title has the focus, unless somebody
  // else has brought it: then all that it says is told.
  const TOLD = [
    ":not(.cited) > .kind, .task, .question, .verdict, .verdict-word, .help p, .deeds li, .groups li",
    ".coach .attempt, .cited, .noted, .mine-said p, li.answer.right, .options .right, .votes li",
    ".legal h2, .wishes li, .plan-size, .actions > #take-back",
  ].join(", ");
  const words = (one) => {
    const copy = one.cloneNode(true);
    for (const unheard of copy.querySelectorAll("[aria-hidden=true]")) unheard.remove();
    for (const end of copy.querySelectorAll("br, li")) end.after("\f");
    const lines = copy.textContent.split("\f").map((text) => text.replace(/\s+/g, " ").trim());
    return lines.length > 1 ? sentences(lines) : lines[0];
  };
  const texts = (names) =>
    [...document.querySelectorAll(`:is(#screen, #notes-of, #plan) :is(${names}):not(.verdict *)`)]
      .map((one) => (one.querySelector(":scope > p") ? sentences([...one.children].map(words)) : words(one)))
      .filter(Boolean);
  const looked = () =>
    pointed() ? [document.querySelector("#say").dataset.look.replace("…", brief(pointed()))] : [];
  const picks = () => [...(panel()?.querySelectorAll(".picked:not([id^=spot-])") ?? [])].map(brief);
  const others = Boolean(document.querySelector("#live")) || document.body.matches(".teach");
  // In a set-up that is what a tool or a place of the board says now; all places say something else for
  // another seat.
  const FEW = 3;
  const setUp = () => {
    if (!panel()?.matches(".screen-edit")) return new Map();
    const rows = [...panel().querySelectorAll("[data-tools] dt")].map((row) => {
      const on = [
        ...row.parentElement.querySelectorAll("[aria-current=true], .chip-count, .used, option:checked"),
      ];
      return [row.id, [row, ...on].map((one) => one.textContent.trim()).join(", ")];
    });
    return new Map([
      ...rows,
      ...[...panel().querySelectorAll("[data-board] a[href]")].map((one) => [one.id, brief(one)]),
    ]);
  };
  const changes = (before, now) => {
    const rows = Boolean(document.activeElement?.closest("[data-tools]"));
    const news = [...now].filter(
      ([id, text]) => before.size && before.get(id) !== text && (!rows || id.startsWith("set-")),
    );
    const touched = news.filter(([id]) => id === document.activeElement?.id);
    // A tool that was in hand already says so.
    const row = document.activeElement?.closest("[data-tools] div")?.querySelector("dt").id;
    if (!news.length && now.has(row)) return [now.get(row)];
    return (news.length > FEW && touched.length ? touched : news.slice(0, FEW)).map(([, text]) => text);
  };
  // What the server says to an act is told once, with the rest.
  let said = "";
  document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
    if (detail.target.id !== "say") return;
    said = detail.fragment.textContent.replace(/\s+/g, " ").trim();
    detail.shouldSwap = false;
  });
  let set = new Map();
  let told = [];
  let chosen = [];
  const known = () =>
    ([told, chosen] = [[...looked(), ...texts(others ? `h1, .line, .say, ${TOLD}` : TOLD)], picks()]);
  // Help that was heard on this screen is not told again when a refusal has hidden it for a while.
  let helped = [];
  const tell = (moved, act, own, alone) => {
    const box = document.querySelector("#say");
    const [old, was, had] = [moved ? [] : told, moved ? [] : chosen, set];
    known();
    set = setUp();
    if (!box) return;
    if (moved) helped = [];
    // What is told alone leaves the rest for the next act.
    if (alone) told = told.filter((text) => old.includes(text) || helped.includes(text));
    // The same verdict on another move is news.
    const verdicts = said ? texts(".verdict") : [];
    const unheard = (text) => !old.includes(text) && !helped.includes(text);
    const fresh = (text) => !act?.includes(text) && (unheard(text) || verdicts.includes(text));
    let news = [act, ...(moved || act || said ? [] : changes(had, set)), ...told.filter(fresh)].filter(
      Boolean,
    );
    helped.push(...texts(".help p").filter((text) => told.includes(text)));
    const picked = !moved && !act && String(was) !== String(chosen);
    if (picked && chosen.length && !texts(".verdict, .verdict-word").length)
      news.unshift(`${box.dataset.chosen} ${chosen.join("; ")}`);
    if (!news.length && picked) news = [box.dataset.none];
    if (!news.length && own && !moved && !set.size && old.length > told.length) news = [box.dataset.back];
    if (!news.length) news = [said || (own && box.textContent.trim())].filter(Boolean);
    said = "";
    const text = sentences(news).slice(0, 900);
    if (!text) return;
    box.textContent = "";
    setTimeout(() => { box.textContent = text; }, 50); // the same words are heard again
  };

  // After an answer the focus stays where it was. If that is gone it goes on: to the next screen, or to the
  // title.
  const title = () => panel()?.querySelector("h1")?.textContent;
  const screen = () =>
    panel() && `${panel().dataset.screen} ${panel().dataset.kind === "recap" ? title() : ""}`;
  const held = () => document.activeElement?.closest("#screen") ?? document.activeElement;
  let before = screen();
  // The tab says what is shown.
  const titled = () => {
    const now = title()?.trim();
    if (now && document.body.matches(".lesson:not(.referee), .teach"))
      document.title = [now, ...document.title.split(" · ").slice(1)].join(" · ");
  };
  // Tools that were scrolled to stay under the thumb.
  const tools = () => panel()?.querySelector("[data-tools]");
  let scrolled = 0;
  // What was opened stays open, if it has a name. A link may say what is told once it is followed.
  let opened = [];
  let link = null;
  let focused = null;
  let own = false; // whether somebody here has asked for it, and not the page itself
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { triggeringEvent, elt } = detail.requestConfig ?? {};
    link = (triggeringEvent?.target ?? elt)?.closest?.("[data-told]")?.dataset;
    focused = document.activeElement;
    own = Boolean(elt) && !elt.matches("#screen, #notes-of");
    opened = [...document.querySelectorAll("details[id][open]")].map((one) => one.id);
    scrolled = tools()?.scrollTop ?? 0;
    [seen.left, seen.top] = [frame()?.scrollLeft ?? 0, frame()?.scrollTop ?? 0];
    seen.whole = whole()?.checked ?? seen.whole;
  });
  // At once, so that a board does not jump to and fro.
  document.addEventListener("htmx:afterSwap", () => {
    size(screen() === before);
    menus();
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
  });
  // What a link tells; a verdict that is there after it is not new.
  const toldBy = ({ told, stands, none }) => {
    const [verdict] = texts(".verdict");
    return [told, ...(stands ? (verdict ? [stands, verdict] : [none]) : [])].join(" ");
  };
  // Where a link that is gone has left the focus: at the first of those it names.
  const goOn = ({ then }) => {
    if (!then) return;
    if (!document.activeElement || document.activeElement === document.body) {
      then.split(" ").map((id) => document.getElementById(id)).find(Boolean)?.focus({ preventScroll: true });
    }
    document.activeElement.scrollIntoView({ block: "nearest" });
  };
  const cleared = () => Boolean(link) && "alone" in link;
  // Where it goes on: what was judged is played, as the button that asked would only ask again; dice are
  // rolled, and whoever has cleared the choice chooses anew. Else at the title, if the focus is lost.
  const onward = (lost) => {
    const find = (names) => panel()?.querySelector(names);
    const play = find(".verdict-yes") && find("#next, #play");
    if (play || !lost) return play;
    const again = cleared() && latest([...panel().querySelectorAll(`:is(${ONE_STOP}) a[href]`)]);
    const title = find("h1, h2[tabindex]") ?? document.querySelector("#notes-of [data-drive=next]");
    return again || find("#roll") || title;
  };
  document.addEventListener("htmx:afterSettle", ({ target }) => {
    if (target.id === "langs") return; // they come with the rest
    if (link) goOn(link);
    boards();
    titled();
    look(screen() === before);
    follow();
    point();
    if (tools()) tools().scrollTop = scrolled;
    const now = screen();
    const nothing = (one) => !one || one === document.body;
    // Guests are moved by somebody else: who had no focus, or reads without one, is not given it.
    const lost = nothing(document.activeElement) && !(document.body.matches(".follow") && nothing(focused));
    titled();
    if (now !== before) {
      window.scrollTo(0, 0);
      // Whoever types, or reads elsewhere on the page, is left alone; so is a guest whose button is still
      // there.
      if (lost || (held().id === "screen" && !document.body.matches(".follow")))
        panel()?.querySelector("h1")?.focus({ preventScroll: true });
    } else if (lost || (own && document.activeElement.closest(".buttons"))) {
      onward(lost)?.focus({ preventScroll: true });
    }
    tell(now !== before && !others, link && toldBy(link), own && target.id !== "noted", cleared());
    link = null;
    before = now;
    // The last of what was said is seen, with its button.
    const last = panel()?.querySelector(".help ~ .actions, .help, .verdict");
    last?.scrollIntoView({ block: "nearest" });
  });
  // Whoever has left a live table to look something up finds the way back, and sees how far it has gone on.
  if (document.querySelector("[data-over]")) kept.remove("table");
  const table = JSON.parse(kept.get("table"));
  if (table && !document.querySelector("#live")) {
    const bar = document.createElement("aside");
    bar.className = "back-bar";
    const path = table.path.replace(/\w\w(?=\/t\/)/, document.documentElement.lang);
    const leave = () => {
      kept.remove("table");
      clearInterval(again);
      bar.remove();
    };
    const ask = async () => {
      const answer = await fetch(`${path}/behind?seen=${table.number}`).catch(() => null);
      if (answer?.status === 404) leave();
      else if (answer?.ok) {
        bar.innerHTML = await answer.text();
        if (!bar.isConnected) document.querySelector("#main").before(bar);
      }
    };
    const again = setInterval(ask, 10000);
    bar.addEventListener("click", (event) => event.target.closest("[data-leave]") && leave());
    ask();
  }

  // Whoever has searched by Enter goes on by Enter: the first result has the focus. A finger needs none.
  const search = document.querySelector("form#search");
  const keys = matchMedia("(hover: hover)").matches;
  const asked = (form) => `${form.get("game")} ${form.get("q").trim()}`;
  // The results are there while one types. On a phone Enter is how one gets rid of the keyboard, and who
  // clicks the button wants to see them, too; a click has a count, and the one that Enter makes has none.
  // Results of other words are asked for first.
  const results = document.querySelector("#results");
  let shown = search && asked(new FormData(search));
  const stale = () => asked(new FormData(search)) !== shown;
  search?.addEventListener("input", () => results.toggleAttribute("data-stale", stale()));
  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target?.id !== "results") return;
    shown = asked(detail.requestConfig.formData);
    results.toggleAttribute("data-stale", stale());
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("#search button") || !window.htmx || (keys && !event.detail)) return;
    event.preventDefault();
    document.activeElement.blur();
    if (stale()) htmx.trigger(search, "ask");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches?.("form[role=search][action] input") && keys)
      kept.set("entered", "yes");
  });
  if (kept.get("entered")) document.querySelector(".results a")?.focus();
  kept.remove("entered");

  boards();
  menus();
  look(false);
  point();
  if (!document.querySelector("[data-lobby]")) known(); // nothing is known yet of what lies behind it
  helped = texts(".help p");
  set = setUp();
})();
