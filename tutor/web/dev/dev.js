// Loads the page again when what it shows has changed. A server that is being started anew just takes longer.
(() => {
  "use strict";
  const seen = document.currentScript.dataset.seen;
  const wait = async () => {
    try {
      const answer = await fetch(`/-dev/news?seen=${encodeURIComponent(seen)}`);
      if ((await answer.text()) !== seen) return location.reload();
    } catch {
      await new Promise((done) => setTimeout(done, 200));
    }
    return wait();
  };
  wait();
})();
