// A reader's own panel. The sliders stay as they are while HTMX exchanges the rest of the page, and
// with it what its links carry; without a script, a button sends the form.
const ofOwnPanel = ({ target }) => target.closest?.("#own-panel");

document.addEventListener("input", (event) => {
  if (ofOwnPanel(event)) event.target.nextElementSibling.value = event.target.value;
});

let weighed = null;
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  weighed = detail.requestConfig.elt.closest("#own-panel") && document.activeElement;
});
document.addEventListener("htmx:afterSettle", () => {
  if (!weighed) return;
  if (document.activeElement !== weighed) weighed.focus({ preventScroll: true });
  weighed = null;
  const said = document.querySelectorAll(".own__said b, [data-announce]");
  document.getElementById("announce").textContent = [...said].map((one) => one.textContent).join(" ");
  const own = new URLSearchParams(location.search);
  [...own.keys()].filter((key) => !key.startsWith("weigh-")).forEach((key) => own.delete(key));
  document.querySelectorAll(".masthead nav a, .footer a").forEach((link) => {
    if (["/compare/", "/tools/", "/categories/"].includes(link.pathname)) link.search = own;
  });
  document.querySelectorAll(".wide").forEach(followWide);
  if (marked()) document.querySelectorAll("[data-marks]").forEach((link) => htmx.trigger(link, "marks"));
});
