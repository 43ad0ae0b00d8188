// The stage: clicks on boards, the keyboard, where the focus goes. Without this file all is links and forms.
(() => {
  const step = () => document.querySelector("#step");
  const plain = (event) => !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);

  // A finger may be faster than the answers: what is touched meanwhile is touched again on the new board. A second
  // touch of the same thing is no other one, unless it counts up.
  const touched = [];
  let asking = "";
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("#step :is(.stage, [data-tools]) a[id][href]");
    if (!link || !asking || !plain(event) || event.button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (link.closest("[data-tools]") || link.id !== (touched.at(-1) ?? asking)) touched.push(link.id);
  }, true);
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.target?.id === "step") asking = detail.elt.id || "step";
  });
  const answered = () => {
    asking = "";
    const id = touched.shift();
    const click = () => new MouseEvent("click", { bubbles: true, cancelable: true });
    if (id) document.getElementById(id)?.dispatchEvent(click()) ?? answered();
  };

  // htmx boosts the links of HTML, not those inside an SVG.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("#step svg a[href]");
    if (!link || !plain(event) || event.button || !window.htmx) return;
    event.preventDefault();
    htmx.ajax("GET", link.getAttribute("href"), { source: link, target: "#step", swap: "outerHTML show:none" });
  });

  // A board, or a row of pieces, is one Tab stop; arrows move inside it.
  const ONE_STOP = "[data-board], [data-row]";
  const spaces = (board) => [...board.querySelectorAll("a[href]")];
  const enter = (board, chosen) => {
    for (const space of spaces(board)) space.setAttribute("tabindex", space === chosen ? "0" : "-1");
  };
  const boards = () => {
    for (const board of step()?.querySelectorAll(ONE_STOP) ?? []) {
      const all = spaces(board);
      const focused = all.find((space) => space === document.activeElement);
      enter(board, focused ?? all.find((space) => space.classList.contains("picked")) ?? all[0]);
    }
  };
  // On a phone a board may be larger than its window, which then begins where something is to be seen. It is
  // left where the reader has moved it, and shows the whole board, or not, for as long as that is wanted.
  const seen = { left: 0, top: 0, whole: false, wanted: false };
  const frame = () => step()?.querySelector(".focus-board");
  const whole = () => step()?.querySelector(".whole input");
  const size = (again) => {
    if (whole() && (again || seen.wanted)) whole().checked = seen.whole;
  };
  // A choice in a menu of the set-up counts at once: a button beside it would make a second one.
  const menus = () => {
    for (const button of step()?.querySelectorAll("[data-tools] select + button") ?? []) button.hidden = true;
  };
  const look = (again) => {
    const board = frame();
    if (!board) return;
    const [x, y] = (board.dataset.look ?? "0 0").split(" ").map(Number);
    const { scrollWidth, scrollHeight, clientWidth, clientHeight } = board;
    if (again) board.scrollTo(seen.left, seen.top);
    else board.scrollTo(x * scrollWidth - clientWidth / 2, y * scrollHeight - clientHeight / 2);
    // What is announced settles on its own, after the board.
    [seen.left, seen.top] = [board.scrollLeft, board.scrollTop];
  };
  // A place that is newly pointed at comes into the window, unless it is there already.
  const pointed = () => step()?.querySelector(".pointed");
  let place = pointed()?.dataset.place;
  const follow = () => {
    const before = place;
    place = pointed()?.dataset.place;
    if (!place || place === before) return;
    const [ring, view] = [pointed(), frame()].map((one) => one.getBoundingClientRect());
    const out = ring.left < view.left || ring.right > view.right || ring.top < view.top || ring.bottom > view.bottom;
    if (out) look(false);
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
  const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  // The nearest space in that direction. On hexagons the next row lies half a space aside: it must not be
  // farther than the row after it, or every other row could not be reached.
  const neighbour = (board, from, [dx, dy]) => {
    const [x, y] = middle(from);
    let best = null;
    let least = Infinity;
    for (const space of spaces(board)) {
      const [u, v] = middle(space);
      const ahead = (u - x) * dx + (v - y) * dy;
      const aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (ahead > 1 && ahead + aside < least) [best, least] = [space, ahead + aside];
    }
    return best;
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
    if (event.key === "Escape") return step()?.querySelector("#unpick, #leave")?.click();
    const arrow = ARROWS[event.key];
    if (!arrow || !step()) return;
    const board = event.target.closest(ONE_STOP);
    if (board) {
      event.preventDefault();
      const next = neighbour(board, event.target.closest("a"), arrow);
      if (next) {
        enter(board, next);
        next.focus();
      }
    } else if (arrow[0]) {
      event.preventDefault();
      step().querySelector(arrow[0] > 0 ? "#next" : "#back")?.click();
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
      link.textContent = link.dataset.shared;
      document.querySelector("#say").textContent = link.dataset.shared;
    } catch (error) {
      if (error.name !== "AbortError") location.assign(link.href);
    }
  });

  // What stands behind the focus or the pointer, in words, below the board.
  const caption = (event) => {
    const space = event.target.closest?.("#step [data-board] a[href]");
    const shown = step()?.querySelector(".caption");
    if (space && shown) shown.textContent = space.getAttribute("aria-label");
  };
  document.addEventListener("focusin", caption);
  document.addEventListener("pointerover", caption);

  // After an answer the focus stays where it was. If that is gone it goes on: to the next step, or to the title.
  let before = step()?.dataset.step;
  // Tools that were scrolled to stay under the thumb.
  const tools = () => step()?.querySelector("[data-tools]");
  let scrolled = 0;
  document.addEventListener("htmx:beforeSwap", () => {
    scrolled = tools()?.scrollTop ?? 0;
    [seen.left, seen.top] = [frame()?.scrollLeft ?? 0, frame()?.scrollTop ?? 0];
    seen.whole = whole()?.checked ?? seen.whole;
  });
  // At once, so that a board does not jump to and fro.
  document.addEventListener("htmx:afterSwap", () => {
    size(step()?.dataset.step === before);
    menus();
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    boards();
    look(step()?.dataset.step === before);
    follow();
    if (tools()) tools().scrollTop = scrolled;
    const now = step()?.dataset.step;
    if (now !== before) {
      window.scrollTo(0, 0);
      step()?.querySelector("h1")?.focus({ preventScroll: true });
    } else if (!document.activeElement || document.activeElement === document.body) {
      const won = step()?.querySelector(".verdict-yes");
      step()?.querySelector(won ? "#next" : "h1")?.focus({ preventScroll: true });
    }
    before = now;
    // The last of what was said is seen, with its button.
    const said = step()?.querySelector(".help ~ .actions, .help, .verdict");
    said?.scrollIntoView({ block: "nearest" });
    if (event.target.id === "step") answered();
  });
  document.addEventListener("htmx:sendError", answered);
  // The page of an error says what is wrong. What was asked is in its address.
  document.addEventListener("htmx:responseError", ({ detail }) => {
    const page = detail.target.id === "step" && detail.requestConfig.verb === "get" && !document.querySelector("#live");
    if (page) location.assign(detail.pathInfo.finalRequestPath);
    else answered();
  });
  // Whoever has left a live table to look something up finds the way back, and sees how far it has gone on.
  if (document.querySelector("[data-over]")) sessionStorage.removeItem("table");
  const table = JSON.parse(sessionStorage.getItem("table"));
  if (table && !document.querySelector("#live")) {
    const bar = document.createElement("aside");
    bar.className = "back-bar";
    const path = table.path.replace(/\w\w(?=\/t\/)/, document.documentElement.lang);
    const leave = () => {
      sessionStorage.removeItem("table");
      clearInterval(again);
      bar.remove();
    };
    const ask = async () => {
      const answer = await fetch(`${path}/behind?seen=${table.number}`).catch(() => null);
      if (answer?.status === 404) leave();
      else if (answer?.ok) {
        bar.innerHTML = await answer.text();
        if (!bar.isConnected) document.body.append(bar);
      }
    };
    const again = setInterval(ask, 10000);
    bar.addEventListener("click", (event) => event.target.closest("[data-leave]") && leave());
    ask();
  }

  // Whoever has searched by Enter goes on by Enter: the first result has the focus. A finger needs none.
  const SEARCHED = "form[role=search][action] input";
  const keys = matchMedia("(hover: hover)").matches;
  // The results are there while one types. On a phone Enter is how one gets rid of the keyboard, and who clicks the
  // button wants to see them, too; a click has a count, and the one that Enter makes has none.
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("#search button") || !window.htmx || (keys && !event.detail)) return;
    event.preventDefault();
    document.activeElement.blur();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches?.(SEARCHED) && keys) sessionStorage.setItem("entered", "yes");
  });
  if (sessionStorage.getItem("entered")) document.querySelector(".results a")?.focus();
  sessionStorage.removeItem("entered");

  boards();
  menus();
  look(false);
})();
