// Stores on the server what an editor types until it is saved, and warns before it is lost.
const SECONDS_BETWEEN = 3;
const KEEPALIVE_BYTES = 60_000; // browsers send no more than 64 KiB for a page that is left
const STORED = "Not saved yet; a copy is stored for you.";
const WAITS = "Not stored: first restore or discard the text that you left here before.";
const TOO_LONG = "Too long to be stored before it is saved: save it.";
const OFFLINE = "No connection: your text is only in this window. Storing it is tried again.";
const REFUSED = "Not stored: your text is only in this window. Save it; if you have to log in, it comes back.";

function watchUnsaved(place) {
  const form = document.getElementById(place.dataset.unsavedForm);
  if (!form) return;
  const state = place.querySelector("[data-unsaved-state]");
  const offer = place.querySelector("[data-unsaved-offer]");
  // Compare the whole form, because autocomplete widgets change their select without an event.
  const text = () => {
    const fields = [...new FormData(form)].filter(
      ([name, value]) => typeof value === "string" && !name.startsWith("_"),
    );
    return new URLSearchParams(fields).toString();
  };
  const opened = "unsavedBound" in place.dataset ? "" : text();
  let stored = opened;
  let sending = null;
  let isSubmitted = false;

  const say = (words) => {
    if (state.textContent !== words) state.textContent = words;
  };

  // Send fields to the server, none of them to delete the copy; returns what failed.
  async function post(fields) {
    sending = new AbortController();
    try {
      const response = await fetch(place.dataset.unsaved, {
        method: "POST",
        body: new URLSearchParams(fields),
        redirect: "manual",
        keepalive: fields.length < KEEPALIVE_BYTES,
        signal: AbortSignal.any([sending.signal, AbortSignal.timeout(10_000)]),
      });
      if (response.ok) return "";
      return response.status === 413 ? TOO_LONG : REFUSED;
    } catch {
      return OFFLINE;
    } finally {
      sending = null;
    }
  }

  const nothing = () => `csrfmiddlewaretoken=${form.elements.csrfmiddlewaretoken.value}`;

  async function store() {
    const now = text();
    if (sending || isSubmitted || now === stored) return;
    if (offer?.isConnected) return say(now === opened ? "" : WAITS);
    const fault = await post(now === opened ? nothing() : now);
    if (!fault) stored = now;
    say(fault || (now === opened ? "" : STORED));
  }

  setInterval(store, SECONDS_BETWEEN * 1000);
  document.addEventListener("visibilitychange", () => document.hidden && store());
  offer?.addEventListener("submit", async (event) => {
    event.preventDefault(); // the page stays, with what was typed since
    const fault = await post(nothing());
    say(fault);
    if (!fault) offer.remove();
  });
  form.addEventListener("submit", (event) => {
    isSubmitted = !event.defaultPrevented && event.submitter?.formTarget !== "_blank";
    if (isSubmitted) sending?.abort(); // a copy stored after the save would be offered as unsaved
  });
  addEventListener("pageshow", () => {
    isSubmitted = false;
  });
  addEventListener("beforeunload", (event) => {
    if (!isSubmitted && text() !== opened) event.preventDefault();
  });
}

document.querySelectorAll("[data-unsaved]").forEach(watchUnsaved);
