// Live tables. A guest's page shows every beat that arrives; a presenter's screens send commands and follow what
// other presenters do. Without this file guests look again by a link, and commands are forms.
(() => {
  const live = document.querySelector("#live");
  if (!live) return;
  const { role } = live.dataset;
  const find = (name) => document.querySelector(name);
  const step = () => find("#step, #notes-of");
  const state = find("#link");
  const tell = (text) => {
    state.hidden = !text;
    state.textContent = text ?? "";
  };

  const calm = () => tell("");

  // One open stream. A browser comes back by itself after most faults; after the others we do.
  const PATIENCE = 3000;
  let source = null;
  let heard = 0;
  const listen = (handlers, address) => {
    source?.close();
    source = new EventSource(address());
    heard = Date.now();
    const on = (name, handle) =>
      source.addEventListener(name, (event) => {
        heard = Date.now();
        handle(event.data);
      });
    for (const [name, handle] of Object.entries(handlers)) on(name, (data) => { calm(); handle(data); });
    on("here", () => {});
    on("down", () => tell(live.dataset.down));
    on("up", calm);
    on("gone", () => {
      source.close();
      source = null;
      tell(live.dataset.gone);
    });
    source.onopen = () => {
      heard = Date.now();
      calm();
    };
    source.onerror = () => {
      tell(live.dataset.lost);
      if (source?.readyState === EventSource.CLOSED) setTimeout(() => listen(handlers, address), PATIENCE);
    };
  };
  // A server says something every 15 seconds. A phone that slept may hold a stream that is long dead, and there
  // are proxies that let none through: whoever hears nothing listens anew, and asks.
  const SILENT = 35000;
  const awake = (start, ask) => {
    const look = () => {
      if (!source || document.visibilityState !== "visible") return;
      const silent = Date.now() - heard > SILENT;
      if (silent || source.readyState === EventSource.CLOSED) start();
      if (silent) ask();
    };
    document.addEventListener("visibilitychange", look);
    addEventListener("online", () => source && start());
    setInterval(look, PATIENCE);
  };
  // What a refused request has to say stands in its page.
  document.addEventListener("htmx:responseError", (event) => {
    const page = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
    tell(page.querySelector("main p")?.textContent.trim() || page.querySelector("h1")?.textContent || live.dataset.lost);
  });
  document.addEventListener("htmx:sendError", () => tell(live.dataset.lost));
  document.addEventListener("htmx:afterRequest", (event) => event.detail.successful && calm());

  if (role === "guest") return guest();
  present();

  function guest() {
    let { version, round, number } = Object.fromEntries(["version", "round", "number"].map((name) => [name, Number(live.dataset[name])]));
    const remember = () => sessionStorage.setItem("table", JSON.stringify({ path: location.pathname, number }));
    const picking = () => Boolean(find("#step .picked, #step .answering"));
    const choose = (values) => {
      for (const one of document.querySelectorAll("#step .answer[value]")) one.setAttribute("aria-pressed", String(values.includes(one.value)));
    };
    // What is this guest's own, and the step; the answer that was given stands in one of them.
    const take = (own, step) => {
      if (own.version <= version) return;
      const same = own.number === number && own.round === round;
      const again = own.number === number && own.round !== round;
      ({ version, round, number } = own);
      remember();
      find("#vote [name=round]").value = round;
      find("#chair").hidden = !own.chair;
      if (own.ended) return location.reload();
      calm();
      // Somebody points while this guest is choosing: the choice is worth more.
      if (same && picking()) return;
      htmx.trigger(find("#step"), "htmx:beforeSwap", {});
      htmx.swap("#step", step, { swapStyle: "outerHTML" });
      if ("mine" in own) find("#mine").innerHTML = own.mine;
      if ("chosen" in own) choose(own.chosen);
      find("#noted").hidden = !again;
      if (again) find("#noted").textContent = live.dataset.again;
    };
    // A move on the board is the answer: it can be changed, so nobody is asked twice.
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("#step a[href]");
      const moves = link && new URL(link.getAttribute("href"), location.href).searchParams.get("moves");
      if (!moves || event.button) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      htmx.ajax("POST", location.pathname, { source: link, target: "#step", swap: "outerHTML show:none", values: { round, vote: moves.split(";").pop() } });
    }, true);
    const show = (data) => take(...data.split("\n").map((line) => JSON.parse(line)));
    const again = async () => {
      const answer = await fetch(location.pathname).catch(() => null);
      if (!answer?.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (page.querySelector("[data-over]")) return location.reload();
      const now = page.querySelector("#live").dataset;
      const own = { version: Number(now.version), round: Number(now.round), number: Number(now.number) };
      take({ ...own, chair: !page.querySelector("#chair").hidden }, page.querySelector("#step").outerHTML);
    };
    const start = () => listen({ beat: show }, () => `${live.dataset.events}?after=${version}`);
    let noted;
    document.addEventListener("htmx:afterRequest", (event) => {
      const { elt, successful, requestConfig } = event.detail;
      if (!successful) return;
      if (elt.id === "vote") {
        choose([...(requestConfig.formData?.getAll("vote") ?? [])]);
        for (const one of document.querySelectorAll("#step :is(.answering, .attempt)")) one.remove();
        find("#mine").scrollIntoView({ block: "nearest" });
      }
      if (event.detail.target.id === "noted") {
        find("#noted").hidden = false;
        clearTimeout(noted);
        noted = setTimeout(() => { find("#noted").hidden = true; }, 5000);
        // Only what was said from there closes it: it may have been opened since.
        if (requestConfig.triggeringEvent?.submitter?.closest("#more")) find("#more").hidePopover();
      }
    });
    remember();
    start();
    awake(start, again);
  }

  function present() {
    const address = () => location.pathname + location.search;
    const refresh = () => htmx.ajax("GET", address(), { source: step(), target: `#${step().id}`, swap: "outerHTML show:none" });
    const seen = (name) => Number(step().dataset[name]);
    const ring = async (data) => {
      const now = JSON.parse(data);
      if (now.down) return tell(live.dataset.down);
      if (!now.chair) return location.assign(`${live.dataset.follow}?noted=left`);
      if (now.version > seen("version")) return refresh();
      if (now.floor <= seen("floor")) return;
      if (role === "notes" || find("#step[data-votes]")) return refresh();
      // Only the counts are new: what is picked on the board stays.
      const answer = await fetch(address());
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const name of ["#floor", "#here"]) {
        const fresh = page.querySelector(name);
        if (fresh) find(name)?.replaceWith(fresh);
      }
      step().dataset.floor = page.querySelector("#step").dataset.floor;
    };
    // A command at a time: a second one would name a version that the first is about to change.
    let sending = false;
    const send = async (values, from) => {
      if (sending) return;
      sending = true;
      await htmx.ajax("POST", address(), { source: from, target: `#${step().id}`, swap: "outerHTML show:none", values: { version: step().dataset.version, ...values } }).catch(() => {});
      sending = false;
    };
    // A link to another beat, or to a place, is a command. What only this screen shows stays a link.
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[href]");
      if (!link || !step().contains(link) || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      const url = new URL(link.getAttribute("href"), location.href);
      const asked = url.searchParams;
      if (!/\/t\/[^/]+\/present$/.test(url.pathname) || asked.has("pick")) return;
      const what = asked.has("point") ? { do: "point", point: asked.get("point") } : asked.has("step") ? { do: "show" } : null;
      if (!what) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const values = { ...what };
      for (const name of ["step", "moves", "said", "check"]) if (asked.has(name)) values[name] = asked.get(name);
      if (asked.has("choice")) values.choice = asked.getAll("choice");
      send(values, link);
    }, true);
    document.addEventListener("submit", (event) => {
      const form = event.target;
      if (!step().contains(form) || form.method !== "post") return;
      event.preventDefault();
      const values = Object.fromEntries(new FormData(form, event.submitter));
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
      send({ do: "show" }, step());
    });
    sheet?.addEventListener("cancel", (event) => find("#begin") && !seen("number") && event.preventDefault());
    document.addEventListener("click", async (event) => {
      const button = event.target.closest("[data-cite]");
      if (!button) return;
      await send({ do: "cite", entry: button.dataset.cite }, step());
      button.textContent = `${button.textContent} ✓`;
      button.disabled = true;
    });
    const KEYS = {
      t: () => (!sheet.open ? sheet.showModal() : seen("number") && sheet.close()),
      v: () => find("#votes")?.click(),
      r: () => find("#vote-again")?.click(),
      p: () => find("#pointer")?.click(),
    };
    document.addEventListener("keydown", (event) => {
      if (role !== "screen" || event.altKey || event.ctrlKey || event.metaKey) return;
      if (sheet.open && ["ArrowRight", "PageDown", " "].includes(event.key)) return seen("number") ? sheet.close() : find("#begin").click();
      if (event.target.closest?.("input, textarea, select") || find("dialog[open]:not(#code)") || !find("#curtain").hidden) return;
      KEYS[event.key.toLowerCase()]?.();
    });
    document.addEventListener("click", (event) => event.target.closest("#code-open") && sheet.showModal());
    const start = () => listen({ ring }, () => live.dataset.events);
    start();
    awake(start, refresh);
  }
})();
