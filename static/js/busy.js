// A vote or a bookmark that takes longer than half a second shows that it is under way.
const SENDING = "Sending …";
const busyTimers = new WeakMap();

document.addEventListener("htmx:beforeSend", ({ detail }) => {
  const form = detail.elt.closest("form[method=post]");
  const message = form?.querySelector("[data-message]");
  if (!message) return;
  busyTimers.set(detail.xhr, setTimeout(() => {
    form.setAttribute("aria-busy", "true");
    message.textContent = SENDING;
    document.getElementById("announce").textContent = SENDING;
  }, 500));
});
document.addEventListener("htmx:beforeOnLoad", ({ detail }) => finish(detail));
["htmx:sendError", "htmx:timeout", "htmx:sendAbort"].forEach((name) => document.addEventListener(name, ({ detail }) => finish(detail)));

function finish({ elt, xhr }) {
  clearTimeout(busyTimers.get(xhr));
  const form = elt.closest("form[aria-busy]");
  if (!form) return;
  form.removeAttribute("aria-busy");
  const message = form.querySelector("[data-message]");
  if (message.textContent === SENDING) message.textContent = "";
}
