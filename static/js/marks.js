// Only a browser that voted or saved a tool has the cookie `marks`, and only such a browser requests its
// own votes and bookmarks, which are put into the forms of the public page.
const marked = () => document.cookie.split("; ").includes("marks=1");

// After the back/forward cache restored a page, its marks may be old, or the visitor forgotten.
let markedBefore = false;
window.addEventListener("pagehide", () => { markedBefore = marked(); });
window.addEventListener("pageshow", () => {
  if (!marked() && !markedBefore) return;
  document.querySelectorAll("[data-marks]").forEach((link) => htmx.trigger(link, "marks"));
});

// Show the note in a response to a browser that did not store its cookie.
document.addEventListener("htmx:afterSettle", () => {
  if (marked()) return;
  document.querySelectorAll("[data-not-remembered]").forEach((one) => { one.hidden = false; });
});
