// Motion that explains: on the same screen a piece goes from where it was to where it lies now. Without this
// file, or for those who want less motion, it just lies there. Nothing is measured by it, so nothing shifts.
// A drawing says what is the same piece as before (`data-piece`). One that now lies on a board flies there;
// one beside it that is new, or has another `data-face`, moves as its `data-motion` says.
(() => {
  const TIME = { duration: 320, easing: "ease-out" };
  const panel = () => document.querySelector("#screen");
  const wanted = matchMedia("(prefers-reduced-motion: no-preference)");
  const pieces = () => [...(panel()?.querySelectorAll(".stage [data-piece]") ?? [])];
  let before = null;

  document.addEventListener("htmx:beforeSwap", () => {
    before = panel() && {
      screen: panel().dataset.screen,
      pieces: new Map(
        pieces().map((one) => [one.dataset.piece, [one.dataset.face, one.getBoundingClientRect()]]),
      ),
    };
  });

  // Inside an SVG a pixel is a unit of the drawing.
  const scale = (element) => element.ownerSVGElement?.getScreenCTM()?.a ?? 1;
  const fly = (element, from) => {
    const to = element.getBoundingClientRect();
    const [x, y] = [
      from.x + from.width / 2 - to.x - to.width / 2,
      from.y + from.height / 2 - to.y - to.height / 2,
    ];
    if (Math.abs(x) + Math.abs(y) < 2) return;
    const unit = scale(element);
    element.animate({ translate: [`${x / unit}px ${y / unit}px`, "0px 0px"] }, TIME);
  };
  const MOTIONS = {
    turn: { transform: ["perspective(40rem) rotateY(90deg)", "none"] },
    drop: { translate: ["0 -.6rem", "0 0"], opacity: [1, 1] },
    tumble: { rotate: ["-180deg", "0deg"], opacity: [0, 1] },
  };

  // A ring that has moved draws the eye.
  const ring = () => panel()?.querySelector(".pointed");
  let place = null;
  const pulse = () => {
    const shown = ring();
    if (shown && shown.dataset.place !== place && wanted.matches) {
      shown.animate({ scale: [2.2, 1], opacity: [0, 1] }, { ...TIME, iterations: 3 });
    }
    place = shown?.dataset.place;
  };
  pulse();
  document.addEventListener("htmx:afterSettle", pulse);

  document.addEventListener("htmx:afterSettle", () => {
    if (!before || !wanted.matches || panel()?.dataset.screen !== before.screen) return;
    for (const one of pieces()) {
      const [face, place] = before.pieces.get(one.dataset.piece) ?? [];
      const motion = MOTIONS[one.dataset.motion];
      if (place && one.ownerSVGElement) fly(one, place);
      else if (motion && (!place || face !== one.dataset.face)) one.animate(motion, TIME);
    }
  });
})();
