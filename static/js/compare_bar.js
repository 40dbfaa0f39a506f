// The hint beside the button that compares what is ticked: it says how many ticks are missing, and goes when
// there are two. Without this script the first hint stays.
const showHint = () => document.querySelectorAll(".compare-bar").forEach((bar) => {
  const ticks = bar.previousElementSibling.querySelectorAll("input[name=tools]:checked").length;
  bar.querySelectorAll("[data-ticked]").forEach((hint) => { hint.hidden = hint.dataset.ticked !== String(ticks); });
});

showHint();
document.addEventListener("change", showHint);
document.addEventListener("htmx:afterSettle", showHint);
