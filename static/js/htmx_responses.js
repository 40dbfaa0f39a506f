// When a vote or bookmark fails, show a message beside its button and announce it to screen readers.
const messages = {
  403: "Nothing was changed: your browser did not say that this form is on a page of this site. Reload the page and try again, without extensions or a proxy that hide this.",
  404: "This tool is no longer public.",
};

function showMessage(event, message) {
  const form = event.detail.elt.closest("form");
  const output = form && form.querySelector("[data-message]");
  if (!output) return;
  output.textContent = message;
  const announce = document.getElementById("announce");
  if (announce) announce.textContent = message;
}

const unknown = "We cannot tell whether that got through. Check the connection and try again: it counts once.";
document.addEventListener("htmx:sendError", (event) => showMessage(event, unknown));
document.addEventListener("htmx:timeout", (event) => showMessage(event, unknown));
document.addEventListener("htmx:responseError", (event) => {
  if (!event.detail.shouldSwap) showMessage(event, messages[event.detail.xhr.status] || unknown);
});

// A response contains the tally for every place that any page shows it in. HTMX logs an error for
// out-of-band elements without a target on this page, so remove them.
document.addEventListener("htmx:beforeSwap", (event) => {
  const answer = document.createElement("template");
  answer.innerHTML = event.detail.serverResponse;
  const parts = [...answer.content.querySelectorAll("[hx-swap-oob]")];
  const unused = parts.filter((part) => !document.getElementById(part.id));
  if (!unused.length) return;
  unused.forEach((part) => part.remove());
  event.detail.serverResponse = answer.innerHTML;
});

// A page restored from the browser's back/forward cache reloads the visitor's own marks.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) document.querySelectorAll("[data-me]").forEach((link) => htmx.trigger(link, "again"));
});
