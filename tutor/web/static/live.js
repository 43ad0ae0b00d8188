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

  // One open stream. A browser comes back by itself after most faults; after the others we do.
  const PATIENCE = 3000;
  const POLL = 20000;
  let source = null;
  let heard = Date.now();
  const listen = (handlers, address) => {
    source?.close();
    source = new EventSource(address());
    const on = (name, handle) =>
      source.addEventListener(name, (event) => {
        heard = Date.now();
        tell("");
        handle(event.data);
      });
    for (const [name, handle] of Object.entries(handlers)) on(name, handle);
    on("down", () => tell(live.dataset.down));
    on("up", () => {});
    on("gone", () => {
      source.close();
      source = null;
      tell(live.dataset.gone);
    });
    source.onopen = () => {
      heard = Date.now();
      tell("");
    };
    source.onerror = () => {
      tell(live.dataset.lost);
      if (source?.readyState === EventSource.CLOSED) setTimeout(() => listen(handlers, address), PATIENCE);
    };
  };
  // A phone that slept may hold a stream that is long dead: it looks when it wakes, and now and then.
  const awake = (look) => {
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && look());
    addEventListener("online", look);
    setInterval(() => Date.now() - heard > POLL && document.visibilityState === "visible" && look(), POLL);
  };
  // What a refused request has to say stands in its page.
  document.addEventListener("htmx:responseError", (event) => {
    const page = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
    tell(page.querySelector("main p")?.textContent.trim() || page.querySelector("h1")?.textContent || live.dataset.lost);
  });
  document.addEventListener("htmx:sendError", () => tell(live.dataset.lost));

  if (role === "guest") return guest();
  present();

  function guest() {
    let { version, round, number } = Object.fromEntries(["version", "round", "number"].map((name) => [name, Number(live.dataset[name])]));
    const remember = () => sessionStorage.setItem("table", JSON.stringify({ path: location.pathname, number }));
    const picking = () => Boolean(find("#step .picked, #step .answering"));
    const choose = (values) => {
      for (const one of document.querySelectorAll("#step .answer[value]")) one.setAttribute("aria-pressed", String(values.includes(one.value)));
    };
    const show = (data) => {
      const [own, shared] = data.split("\n").map((line) => JSON.parse(line));
      if (own.version <= version) return;
      const same = own.number === number && own.round === round;
      ({ version, round, number } = own);
      remember();
      find("#vote [name=round]").value = round;
      find("#chair").hidden = !own.chair;
      if (own.ended) tell(live.dataset.ended);
      // Somebody points while this guest is choosing: the choice is worth more.
      if (same && picking()) return;
      htmx.swap("#step", shared, { swapStyle: "outerHTML" });
      find("#mine").innerHTML = own.mine;
      choose(own.chosen);
      find("#noted").hidden = true;
    };
    const again = async () => {
      const answer = await fetch(location.pathname, { headers: { "HX-Request": "true", "HX-Target": "step", "HX-Boosted": "true" } }).catch(() => null);
      if (answer?.ok && source?.readyState !== EventSource.OPEN) start();
    };
    const start = () => listen({ beat: show }, () => `${live.dataset.events}?after=${version}`);
    document.addEventListener("htmx:afterRequest", (event) => {
      const { elt, successful, requestConfig } = event.detail;
      if (!successful) return;
      if (elt.id === "vote") {
        choose([...(requestConfig.formData?.getAll("vote") ?? [])]);
        find("#step .answering")?.remove();
        find("#mine").scrollIntoView({ block: "nearest" });
      }
      if (event.detail.target.id === "noted") {
        find("#noted").hidden = false;
        find("#more").hidePopover();
        setTimeout(() => { find("#noted").hidden = true; }, 5000);
      }
    });
    remember();
    start();
    awake(() => (source?.readyState === EventSource.OPEN ? again() : start()));
  }

  function present() {
    const address = () => location.pathname + location.search;
    const refresh = () => htmx.ajax("GET", address(), { source: step(), target: `#${step().id}`, swap: "outerHTML show:none" });
    const seen = (name) => Number(step().dataset[name]);
    const ring = async (data) => {
      const now = JSON.parse(data);
      if (now.down) return tell(live.dataset.down);
      if (!now.chair) return location.assign(live.dataset.follow);
      if (now.version > seen("version")) return refresh();
      if (now.floor <= seen("floor")) return;
      if (role === "notes" || find("#step[data-votes]")) return refresh();
      // Only the counts are new: what is picked on the board stays.
      const answer = await fetch(address(), { headers: { "HX-Request": "true", "HX-Boosted": "true", "HX-Target": "step" } });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("#floor");
      if (fresh) find("#floor")?.replaceWith(fresh);
      step().dataset.floor = page.querySelector("#step").dataset.floor;
    };
    const send = (values, from) =>
      htmx.ajax("POST", address(), { source: from, target: `#${step().id}`, swap: "outerHTML show:none", values: { version: step().dataset.version, ...values } });
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
    const sheet = find("#code");
    if (sheet?.matches("[data-open-first]")) sheet.showModal();
    const KEYS = {
      t: () => (sheet.open ? sheet.close() : sheet.showModal()),
      v: () => find("#votes")?.click(),
      r: () => find("#vote-again")?.click(),
      p: () => find("#pointer")?.click(),
    };
    document.addEventListener("keydown", (event) => {
      if (role !== "screen" || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.target.closest?.("input, textarea, select") || find("dialog[open]:not(#code)") || !find("#curtain").hidden) return;
      KEYS[event.key.toLowerCase()]?.();
    });
    document.addEventListener("click", (event) => event.target.closest("#code-open") && sheet.showModal());
    listen({ ring }, () => live.dataset.events);
    awake(() => (source?.readyState === EventSource.OPEN ? refresh() : listen({ ring }, () => live.dataset.events)));
  }
})();
