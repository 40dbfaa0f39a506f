// Only a browser that voted or saved a tool has the cookie `marks`, and only such a browser requests its
// own votes and bookmarks, which are put into the forms of the public page.
const marked = () => document.cookie.split("; ").includes("marks=1");

// They are requested before anybody can vote: after a vote, they would replace its message.
function requestMarks() {
  document.querySelectorAll("[data-marks]").forEach((link) => htmx.trigger(link, "marks"));
}
document.addEventListener("DOMContentLoaded", () => { if (marked()) requestMarks(); });

// After the back/forward cache restored a page, its marks may be old, or the visitor forgotten.
let markedBefore = false;
window.addEventListener("pagehide", () => { markedBefore = marked(); });
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted && (marked() || markedBefore)) requestMarks();
});

// If the marks replace a button while the mouse holds it down, the browser sends no click to the new one.
let held = null;
document.addEventListener("pointerdown", ({ target, button }) => { held = button === 0 ? target.closest("button[id]") : null; });
document.addEventListener("pointerup", ({ target, pointerType }) => {
  if (pointerType !== "mouse" || !held || held.isConnected) return;
  const replacement = target.closest("button");
  if (replacement?.id === held.id) replacement.click();
});

// Show the note in a response to a browser that did not store its cookie.
document.addEventListener("htmx:afterSettle", () => {
  if (marked()) return;
  document.querySelectorAll("[data-not-remembered]").forEach((one) => { one.hidden = false; });
});
