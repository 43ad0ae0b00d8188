// Live tables. A guest's page shows every beat that arrives; a presenter's screens send commands and follow
// what other presenters do. Without this file guests look again by a link, and commands are forms.
(() => {
  // The rules, without a page.
  // What news are to a guest who sees something: nothing, only what the presenter pushes, the same question
  // once more, or another beat. A lower version comes from a store that has lost its end.
  const newsOf = (own, seen) => {
    if (own.version === seen.version) return "nothing";
    if (own.number !== seen.number) return "beat";
    return own.round === seen.round ? "push" : "again";
  };
  // A presenter's link to another beat, or to a place, is a command; what only this screen shows is none.
  const commandOf = ({ pathname, searchParams: asked }) => {
    if (!/\/t\/[^/]+\/present$/.test(pathname) || asked.has("pick")) return null;
    if (!asked.has("point") && !asked.has("screen")) return null;
    const values = asked.has("point") ? { do: "point", point: asked.get("point") } : { do: "show" };
    for (const name of ["screen", "moves", "said", "check"])
      if (asked.has(name)) values[name] = asked.get(name);
    if (asked.has("choice")) values.choice = asked.getAll("choice");
    return values;
  };
  if (!globalThis.document) return Object.assign(globalThis, { newsOf, commandOf });

  const live = document.querySelector("#live");
  if (!live || !window.htmx || !window.pending) return;
  const { role } = live.dataset;
  const { Patience, kept, MOST } = pending;
  const find = (name) => document.querySelector(name);
  const panel = () => find("#screen, #notes-of");
  const tell = (text) => pending.tell("stream", text);
  const calm = () => tell("");
  const fetched = (address, options) =>
    fetch(address, { signal: AbortSignal.timeout(MOST), ...options }).catch(() => null);
  const refresh = find("#refresh");
  if (refresh) refresh.hidden = true;

  // One open stream, and one timer to open it again. A stream does not say why it failed; who asks for its
  // head is told.
  const patience = new Patience();
  let source = null;
  let heard = 0;
  let worry = 0;
  let closed = false;
  const hear = () => {
    heard = Date.now();
    clearTimeout(worry);
  };
  const listen = (handlers, address) => {
    source?.close();
    source = new EventSource(address());
    heard = Date.now();
    const on = (name, handle) =>
      source.addEventListener(name, (event) => {
        hear();
        patience.calm();
        handle(event.data);
        resume();
      });
    for (const [name, handle] of Object.entries(handlers)) on(name, (data) => { calm(); handle(data); });
    on("here", () => {});
    on("down", () => tell(live.dataset.down));
    on("up", calm);
    on("fault", (data) => tell(JSON.parse(data)));
    on("gone", end);
    source.onopen = () => {
      hear();
      calm();
    };
    source.onerror = () => {
      source.close();
      tell(live.dataset.lost);
      again(handlers, address);
    };
  };
  const end = () => {
    closed = true;
    source?.close();
    tell(live.dataset.gone);
  };
  const again = (handlers, address) =>
    patience.later(async () => {
      if (closed || asleep()) return;
      const answer = await fetched(address(), { method: "HEAD" });
      if (answer?.status === 404 || answer?.status === 410) end();
      else if (answer?.status === 403) location.assign(live.dataset.follow ?? location.pathname);
      else if (answer?.ok) listen(handlers, address);
      else again(handlers, address);
    });
  // A tab that nobody looks at leaves its connection to others; a shared screen may lie behind another
  // window.
  const asleep = () => role === "guest" && document.visibilityState !== "visible";
  // What the line has cut is sent again as soon as something is heard: then it is seen what really counts.
  const MOST_TRIES = 3;
  let tries = 0;
  const resume = () => {
    if (pending.lost() && tries++ < MOST_TRIES) pending.resume();
  };
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.successful) tries = 0;
  });
  // A server says something every 5 seconds. A phone that slept may hold a stream that is long dead, and
  // there are proxies that let none through: whoever hears nothing listens anew, not all at the same time,
  // and asks. If that is not answered soon, the line is dead.
  const SILENT = 10500;
  const SOON = 3500;
  const awake = (start, ask) => {
    const look = async () => {
      if (closed || asleep() || Date.now() - heard < SILENT) return;
      hear();
      worry = setTimeout(() => closed || tell(live.dataset.lost), SOON);
      patience.later(start);
      if (!(await ask())) return;
      hear();
      calm();
    };
    document.addEventListener("visibilitychange", () => {
      if (closed) return;
      if (asleep()) source?.close();
      else if (source?.readyState === EventSource.CLOSED) patience.now(start);
      look();
    });
    addEventListener("online", () => closed || patience.now(start));
    setInterval(look, 1000);
  };
  // Gone: what is shown was removed, and the page of that error has the ways on.
  document.addEventListener(
    "htmx:responseError",
    (event) => event.detail.xhr.status === 410 && location.reload(),
  );

  if (role === "guest") return guest();
  present();

  function guest() {
    let { version, round, number } = Object.fromEntries(
      ["version", "round", "number"].map((name) => [name, Number(live.dataset[name])]),
    );
    const remember = () => kept.set("table", JSON.stringify({ path: location.pathname, number }));
    document.cookie = "kept=1; SameSite=Lax; Path=/";
    if (!document.cookie.includes("kept=1")) pending.tell("cookies", find("#trouble").dataset.cookies);
    let folded = "";
    let fading;
    const note = (text) => {
      const box = find("#noted");
      if (text) box.textContent = text;
      box.hidden = false;
      clearTimeout(fading);
      fading = setTimeout(hush, 5000);
    };
    const hush = () => { find("#noted").hidden = true; };
    if (!find("#noted").hidden) note();
    // Whoever may present now sees it at once, wherever the page is scrolled to, and the board stays put.
    let presents = find("#chair").dataset.chair;
    find("#chair").classList.add("over-page");
    find("#chair-close").hidden = false;
    find("#chair-close").addEventListener("click", () => { find("#chair").hidden = true; });
    const seat = (chair) => {
      if (chair === presents) return;
      presents = chair;
      hush();
      find("#chair").hidden = find("#chair-ways").hidden = !chair;
      find("#chair span").textContent = find("#chair").dataset[chair] ?? "";
      const told = [...find("#chair").querySelectorAll("span, a")].map((one) => one.textContent);
      if (chair) find("#say").textContent = told.join(" ");
    };
    // While the beat is the same only what the presenter pushes is new: what this guest has touched stays.
    const push = (html) => {
      const fresh = new DOMParser().parseFromString(html, "text/html");
      find("#screen .pushed").replaceChildren(...fresh.querySelector(".pushed").childNodes);
      fold();
      const board = find("#screen .focus-board .board");
      board?.querySelector(".pointed")?.remove();
      const pointed = fresh.querySelector(".pointed");
      if (pointed) {
        board?.append(pointed);
        find("#say").textContent = find("#say").dataset.look.replace("…", pointed.getAttribute("aria-label"));
      }
      for (const one of [find("#screen .pointed"), find("#screen .cited")])
        one?.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    const choose = (values) => {
      for (const one of document.querySelectorAll("#screen .answer[value]"))
        one.setAttribute("aria-pressed", String(values.includes(one.value)));
    };
    // What is this guest's own, and the screen; the answer that was given stands in one of them.
    const take = (own, html) => {
      const news = newsOf(own, { version, round, number });
      if (news === "nothing") return;
      ({ version, round, number } = own);
      remember();
      find("#vote [name=round]").value = round;
      seat(own.chair);
      if (own.ended) return location.reload();
      calm();
      if (news === "push") return push(html);
      hush();
      folded = "";
      const typed = find("#lobby-name")?.value;
      if (typed) find("#name").value = typed; // not yet saved, perhaps
      // What was touched belongs to the screen before; an answer that could not be sent comes too late.
      if (pending.lost() && sent) settle(sent);
      pending.drop();
      htmx.trigger(find("#screen"), "htmx:beforeSwap", {});
      // Settled with what follows here.
      htmx.swap("#screen", html, { swapStyle: "outerHTML", settleDelay: 20 });
      if ("mine" in own) find("#mine").innerHTML = own.mine;
      if (own.ghost) find("#screen .focus-board .board")?.insertAdjacentHTML("beforeend", own.ghost);
      if ("chosen" in own) choose(own.chosen);
      if (news === "again") note(live.dataset.again);
      // What was picked before.
      if (location.search) history.replaceState(history.state, "", location.pathname);
      document.addEventListener("htmx:afterSettle", begin, { once: true }); // which first scrolls to the top
    };
    // On a low phone the page scrolls. It begins at its top if the question can be read there, too; where
    // the answer is a move, with the task and the board, as far as there is room for both. And it says
    // whether there is more, above or below.
    const edge = () => find("#screen .dock").getBoundingClientRect().top;
    const below = () =>
      (find("#screen .stage") ?? find("#screen .coach")).getBoundingClientRect().bottom - edge();
    const ANSWERS = ".answers[role=group], .choices + .actions";
    const begin = () => {
      scrollTo(0, 0);
      const tasks = [...document.querySelectorAll("#screen[data-open] .coach-text > :is(.say, .attempt)")];
      const task = tasks.at(-1)?.getBoundingClientRect();
      const answers = find(`#screen :is(${ANSWERS})`)?.getBoundingClientRect();
      if (task && find("#screen.screen-do")) scrollTo(0, Math.min(below(), task.top - 8));
      else if (task) scrollTo(0, task.bottom + 8 - Math.min(answers?.top ?? edge(), edge()));
      goesOn();
    };
    const goesOn = () => {
      find("#screen").toggleAttribute("data-below", below() > 12);
      find("#screen").toggleAttribute("data-above", scrollY > 12);
    };
    addEventListener("scroll", goesOn, { passive: true });
    addEventListener("resize", goesOn);
    document.addEventListener("click", ({ target }) => target.closest?.("#to-top") && scrollTo(0, 0));
    // A rule that the presenter shows can be folded, and stays so for as long as it is shown.
    const fold = () => {
      const rule = find("#screen .cited");
      if (rule && rule.dataset.entry === folded) rule.open = false;
    };
    document.addEventListener("toggle", ({ target }) => {
      if (!target.matches?.(".cited") || !target.isConnected) return;
      folded = target.open ? "" : target.dataset.entry;
      target.open ? goesOn() : begin();
    }, true);
    document.addEventListener("htmx:afterSwap", fold);
    document.addEventListener("htmx:afterSettle", goesOn);
    // The last vote without an answer. It may have been counted all the same; whoever says it again is told.
    let sent = null;
    document.addEventListener("htmx:beforeRequest", ({ detail: { requestConfig } }) => {
      if (requestConfig.verb === "post" && requestConfig.formData?.has("vote")) sent = requestConfig.formData;
    });
    const settle = async (form, tries = 8) => {
      sent = null;
      const answer = await fetched(location.pathname, {
        method: "POST",
        headers: { "HX-Request": "true" },
        body: new URLSearchParams(form),
      });
      if (answer?.headers.has("HX-Retarget")) note(live.dataset.late);
      if (!answer && tries) setTimeout(settle, SOON, form, tries - 1); // the line may still be cut
    };
    // A move on the board is the answer: it can be changed, so nobody is asked twice.
    document.addEventListener(
      "click",
      (event) => {
        const link = event.target.closest?.("#screen a[href]");
        const moves = link && new URL(link.getAttribute("href"), location.href).searchParams.get("moves");
        if (!moves || event.button) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        pending.ask("POST", location.pathname, {
          source: link,
          target: "#screen",
          swap: "outerHTML show:none",
          values: { round, vote: moves.split(";").pop() },
        });
      },
      true,
    );
    const show = (data) => take(...data.split("\n").map((line) => JSON.parse(line)));
    const again = async () => {
      const before = version;
      const answer = await fetched(location.pathname);
      if (!answer?.ok) return false;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (version !== before) return true; // what the stream has brought meanwhile is newer
      if (page.querySelector("[data-over]")) return location.reload();
      const now = page.querySelector("#live").dataset;
      const own = { version: Number(now.version), round: Number(now.round), number: Number(now.number) };
      const { chair } = page.querySelector("#chair").dataset;
      take({ ...own, chair }, page.querySelector("#screen").outerHTML);
      return true;
    };
    const start = () => {
      listen({ beat: show }, () => `${live.dataset.events}?after=${version}`);
      source.addEventListener("open", pending.retry); // an answer that could not be sent is sent now
    };
    // Where there is nothing to touch, it is said what there is.
    document.addEventListener("click", (event) => {
      const { touch } = find("#screen").dataset;
      if (!event.target.closest?.(".stage")) return;
      if (event.target.closest("a, button, label, input")) hush();
      else if (touch) note(touch);
    });
    document.addEventListener("htmx:afterRequest", (event) => {
      const { elt, successful, requestConfig } = event.detail;
      if (!successful) return;
      if (requestConfig.formData?.has("vote")) sent = null;
      // By now another question may be shown: its button is not ticked.
      const late = Number(requestConfig.formData?.get("round") ?? round) !== round;
      if (elt.id === "vote" && !late && event.detail.target.id !== "noted") {
        choose([...(requestConfig.formData?.getAll("vote") ?? [])]);
        for (const one of document.querySelectorAll("#screen :is(.answering, .attempt)")) one.remove();
        find("#mine").scrollIntoView({ block: "nearest" });
      }
      if (event.detail.target.id === "noted") {
        note();
        // Only what was said from there closes it: it may have been opened since.
        if (requestConfig.triggeringEvent?.submitter?.closest("#more")) find("#more").hidePopover();
      }
    });
    remember();
    start();
    awake(start, again);
    begin();
  }

  function present() {
    // Of the table as it is: what this page was opened with may be over.
    const address = () => panel().dataset.here;
    const swapped = { target: `#${panel().id}`, swap: "outerHTML show:none" };
    const refresh = () =>
      pending.idle(async () => {
        // First: whoever reloads sees the table, not what is over.
        history.replaceState(history.state, "", address());
        if (await pending.ask("GET", address(), { source: panel(), ...swapped })) hear();
      });
    const seen = (name) => Number(panel().dataset[name]);
    const ring = async (data) => {
      const now = JSON.parse(data);
      if (now.down) return tell(live.dataset.down);
      if (!now.chair) return location.assign(`${live.dataset.follow}?noted=left`);
      if (now.version !== seen("version")) return refresh();
      if (now.floor === seen("floor")) return;
      // Nothing moves under whoever is being asked something.
      if (find("#notes-of details[open]")) return;
      if (role === "notes" || find("#screen[data-votes]")) return refresh();
      // Only the counts are new: what is picked on the board stays.
      const answer = await fetched(address());
      if (!answer?.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const messages = () => find("#floor a")?.textContent ?? "";
      const before = messages();
      for (const name of ["#floor", "#here"]) {
        const fresh = page.querySelector(name);
        if (fresh) find(name)?.replaceWith(fresh);
      }
      if (messages() && messages() !== before) find("#say").textContent = messages();
      panel().dataset.floor = page.querySelector("#screen").dataset.floor;
    };
    const send = (values, from) =>
      pending.ask("POST", address(), {
        source: from,
        ...swapped,
        values: { version: panel().dataset.version, ...values },
      });
    document.addEventListener(
      "click",
      (event) => {
        const link = event.target.closest?.("a[href]");
        if (!link || !panel().contains(link)) return;
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
        const values = commandOf(new URL(link.getAttribute("href"), location.href));
        if (!values) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        send(values, link);
      },
      true,
    );
    document.addEventListener("submit", (event) => {
      const form = event.target;
      if (!panel().contains(form) || form.method !== "post") return;
      event.preventDefault();
      const values = Object.fromEntries(new FormData(form, event.submitter));
      if (event.submitter?.dataset.told) form.dataset.told = event.submitter.dataset.told;
      send(values, form);
    });
    // Before the table begins its code is all that is shown.
    const sheet = find("#code");
    if (sheet?.open) {
      sheet.close();
      sheet.showModal();
    }
    find("#begin")?.addEventListener("click", (event) => {
      event.preventDefault();
      sheet.close();
      send({ do: "show" }, panel());
    });
    sheet?.addEventListener("cancel", (event) => find("#begin") && !seen("number") && event.preventDefault());
    document.addEventListener("click", async (event) => {
      const button = event.target.closest("[data-cite]:not([aria-disabled])");
      if (!button) return;
      if (!(await send({ do: "cite", entry: button.dataset.cite }, panel()))) return;
      button.textContent = `${button.textContent} ✓`;
      button.setAttribute("aria-disabled", "true"); // it keeps the focus
    });
    const KEYS = {
      t: () => (!sheet.open ? sheet.showModal() : seen("number") && sheet.close()),
      v: () => find("#votes")?.click(),
      r: () => find("#vote-again")?.click(),
      p: () => find("#pointer")?.click(),
    };
    document.addEventListener("keydown", (event) => {
      if (role !== "screen" || event.altKey || event.ctrlKey || event.metaKey) return;
      if (sheet.open && ["ArrowRight", "PageDown", " "].includes(event.key))
        return seen("number") ? sheet.close() : find("#begin").click();
      if (
        event.target.closest?.("input, textarea, select") ||
        find("dialog[open]:not(#code)") ||
        !find("#curtain").hidden
      )
        return;
      KEYS[event.key.toLowerCase()]?.();
    });
    document.addEventListener("click", (event) => event.target.closest("#code-open") && sheet.showModal());
    const start = () => listen({ ring }, () => live.dataset.events);
    start();
    awake(start, refresh);
  }
})();
