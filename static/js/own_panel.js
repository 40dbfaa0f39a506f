// A reader's own panel. HTMX replaces the content around the sliders, which stay, and the links elsewhere
// on the page that contain the weights; without a script, a button submits the form.
const isWeight = (key) => key.startsWith("weigh");

document.addEventListener("input", ({ target }) => {
  if (target.closest("#own-panel")) target.nextElementSibling.value = target.value;
});

// Sliders and filters of a list are two forms: each also submits the other's values from the address.
document.addEventListener("htmx:configRequest", ({ detail }) => {
  const weighs = Boolean(detail.elt.closest("#own-panel"));
  if (!weighs && !detail.elt.closest("[data-facets]")) return;
  const others = (key) => isWeight(key) !== weighs;
  [...detail.formData.keys()].filter(others).forEach((key) => detail.formData.delete(key));
  new URLSearchParams(location.search).forEach((value, key) => {
    if (others(key) && key !== "page") detail.formData.append(key, value);
  });
});

let weighed = null;
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  weighed = detail.requestConfig.elt.closest("#own-panel") && document.activeElement;
});
document.addEventListener("htmx:afterSettle", () => {
  if (!weighed) return;
  if (document.activeElement !== weighed) weighed.focus({ preventScroll: true });
  weighed = null;
  const said = [...document.querySelectorAll("[data-announce]")].map((one) => one.innerText);
  document.getElementById("announce").textContent = said.join(" ");
  document.querySelectorAll(".many-tools").forEach(keepNamesInSight);
  if (marked()) document.querySelectorAll("[data-marks]").forEach((link) => htmx.trigger(link, "marks"));
});
