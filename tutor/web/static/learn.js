// Arrow keys turn the pages of a lesson. Everything else is links and forms.
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const link = { ArrowRight: "#next", ArrowLeft: "#back" }[event.key];
  const found = link && document.querySelector(`#step ${link}`);
  if (!found) return;
  event.preventDefault();
  found.click();
});
// A new step starts at its top; a move within a step leaves the page where it is.
document.addEventListener("htmx:afterSettle", (event) => {
  const path = event.detail.pathInfo?.requestPath ?? "";
  if (event.target.id === "step" && !/[?&](moves|pick|help|check)=/.test(path)) {
    window.scrollTo(0, 0);
    document.querySelector("#step h1")?.focus({ preventScroll: true });
  }
});
