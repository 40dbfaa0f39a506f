// When a form fails, show a message beside its button and announce it to screen readers.
const messages = {
  403: "Nothing was changed: your browser did not say that this form is on a page of this site. Reload the page and try again, without extensions or a proxy that hide this.",
  404: "This tool is no longer public.",
};

function showMessage(event, message) {
  const form = event.detail.elt.closest("form");
  const output = form && form.querySelector("[data-message]");
  if (!output) return;
  output.textContent = message;
  output.dataset.message = "refused";
  const announce = document.getElementById("announce");
  if (announce) announce.textContent = message;
}

const unknown = ({ detail }) => (detail.requestConfig.verb === "get"
  ? "Not applied: no answer came. Check the connection and try again."
  : "We do not know whether this arrived. Check the connection and try again: it counts only once.");
document.addEventListener("htmx:sendError", (event) => showMessage(event, unknown(event)));
document.addEventListener("htmx:timeout", (event) => showMessage(event, unknown(event)));

// An error response is a sentence in plain text, the form again, or a whole page, for example from
// nginx. Only the form is put into the page.
const isText = (xhr) => (xhr.getResponseHeader("Content-Type") || "").startsWith("text/plain");
document.addEventListener("htmx:beforeSwap", (event) => {
  const { isError, xhr } = event.detail;
  if (isError && (isText(xhr) || /^\s*<!doctype/i.test(xhr.responseText))) event.detail.shouldSwap = false;
  xhr.isShown = event.detail.shouldSwap;
});
document.addEventListener("htmx:responseError", (event) => {
  const { xhr, requestConfig } = event.detail;
  const known = isText(xhr) ? xhr.responseText : requestConfig.verb === "post" && messages[xhr.status];
  if (!xhr.isShown) showMessage(event, known || unknown(event));
});

// A response contains the tally for every place that any page shows it in. HTMX logs an error for
// out-of-band elements without a target on this page, so remove them.
document.addEventListener("htmx:beforeSwap", (event) => {
  const answer = document.createElement("template");
  answer.innerHTML = event.detail.serverResponse;
  const parts = [...answer.content.querySelectorAll("[data-hx-swap-oob]")];
  const unused = parts.filter((part) => !document.getElementById(part.id));
  if (!unused.length) return;
  unused.forEach((part) => part.remove());
  event.detail.serverResponse = answer.innerHTML;
});

// HTMX determines the pressed button only when it sends a queued form, and loses it if the focus has
// moved meanwhile. So remember the button.
const pressedIn = new WeakMap();
document.addEventListener("submit", ({ target, submitter }) => pressedIn.set(target, submitter), true);
document.addEventListener("htmx:configRequest", ({ detail }) => {
  const by = pressedIn.get(detail.elt);
  if (by?.name && !detail.formData.has(by.name)) detail.formData.append(by.name, by.value);
});
