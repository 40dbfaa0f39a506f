// When a vote or bookmark does not get through, say so where it was made and to screen readers.
const sentences = {
  403: "This page was open for too long. Reload it and try again; nothing was changed.",
  404: "This tool is no longer public.",
};

function tell(event, sentence) {
  const form = event.detail.elt.closest("form");
  const said = form && form.querySelector("[data-message]");
  if (!said) return;
  said.textContent = sentence;
  const announce = document.getElementById("announce");
  if (announce) announce.textContent = sentence;
}

const away = "We cannot tell whether that got through. Check the connection and try again: it counts once.";
document.addEventListener("htmx:sendError", (event) => tell(event, away));
document.addEventListener("htmx:timeout", (event) => tell(event, away));
document.addEventListener("htmx:responseError", (event) => {
  if (!event.detail.shouldSwap) tell(event, sentences[event.detail.xhr.status] || away);
});

// An answer brings the tally for every spot that any page has for it. HTMX would complain of those
// that this page has not.
document.addEventListener("htmx:beforeSwap", (event) => {
  const answer = document.createElement("template");
  answer.innerHTML = event.detail.serverResponse;
  const parts = [...answer.content.querySelectorAll("[hx-swap-oob]")];
  const homeless = parts.filter((part) => !document.getElementById(part.id));
  if (!homeless.length) return;
  homeless.forEach((part) => part.remove());
  event.detail.serverResponse = answer.innerHTML;
});

// A page that comes back from the browser's own memory asks again what has changed meanwhile.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) document.querySelectorAll("[data-me]").forEach((link) => htmx.trigger(link, "again"));
});
