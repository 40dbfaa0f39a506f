// Only a browser that voted or saved has the cookie `marks`, and only it asks for its own votes and
// bookmarks; they are put into the forms that stand in the page for everybody.
const marked = () => document.cookie.split("; ").includes("marks=1");

// After the back/forward cache restored a page, its marks may be old, or the visitor forgotten.
let markedBefore = false;
window.addEventListener("pagehide", () => { markedBefore = marked(); });
window.addEventListener("pageshow", () => {
  if (!marked() && !markedBefore) return;
  document.querySelectorAll("[data-marks]").forEach((link) => htmx.trigger(link, "marks"));
});

// What an answer says to a browser that has not kept its cookie.
document.addEventListener("htmx:afterSettle", () => {
  if (marked()) return;
  document.querySelectorAll("[data-not-remembered]").forEach((one) => { one.hidden = false; });
});
