// Keeps in this browser what an editor types until it is saved, offers it on return, and warns before it is lost.
const PREFIX = "unsaved:"; // then the account and the copy; one copy for each form and tab
const SAVED = "saved."; // a cookie: the server saved this copy
const LOGGED_OUT = "logged-out:"; // then the account, and when
const LIFETIME = 7 * 24 * 3600 * 1000;
const PAUSE = 300; // milliseconds after a key
const SECONDS_BETWEEN = 3;
const SECONDS_BEFORE_AGAIN = 10;
const STORED = "Not saved yet; a copy is stored in this browser.";
const REFUSED = "Not saved yet, and this browser stores no copy: save it.";
const TOKEN = "csrfmiddlewaretoken";
const { content: deskPath, dataset: { account } } = document.querySelector("meta[name=desk]");

const copyAt = (key) => {
  try {
    const copy = JSON.parse(localStorage.getItem(key));
    return copy?.fields && Date.now() - copy.at < LIFETIME ? copy : null;
  } catch {
    return null; // of another program
  }
};
const keysOf = (start) => Object.keys(localStorage).filter((key) => key.startsWith(start));

// Deletes copies that are too old, those whose text was saved, and those of an account that logged out here.
function tidy() {
  const saved = [];
  for (const [name] of document.cookie.split("; ").map((each) => each.split("="))) {
    if (!name.startsWith(SAVED)) continue;
    saved.push(name.slice(SAVED.length));
    document.cookie = `${name}=; path=${deskPath}; max-age=0`;
  }
  const out = sessionStorage.getItem(LOGGED_OUT);
  sessionStorage.removeItem(LOGGED_OUT);
  const isOut = out && out !== account;
  if (isOut) localStorage.setItem(LOGGED_OUT + out, Date.now());
  for (const key of keysOf(PREFIX)) {
    const [, whose, id] = key.split(":");
    if (!copyAt(key) || saved.includes(id) || (isOut && whose === out)) localStorage.removeItem(key);
  }
}

function watchUnsaved(place) {
  const form = document.getElementById(place.dataset.unsavedForm);
  if (!form) return;
  const isShared = "unsavedShared" in place.dataset;
  const isBound = "unsavedBound" in place.dataset;
  const openedAt = Date.now();
  const state = place.querySelector("[data-unsaved-state]");
  // Compare the whole form, because autocomplete widgets change their select without an event.
  const fields = () =>
    [...new FormData(form)].filter(
      ([name, value]) => typeof value === "string" && !name.startsWith("_") && name !== TOKEN,
    );
  const first = JSON.stringify(fields());
  const opened = isBound ? "" : first;
  // Values in the query string that fill in fields tell two new takes apart.
  const given = [...new URLSearchParams(location.search)].filter(([name]) => form.elements[name]);
  const address = `${location.pathname}?${new URLSearchParams(given)}`;
  const key = takeOver() ?? newKey();
  let stored = opened;
  let waiting = 0;
  let isSubmitted = false;
  let sentAt = 0;

  const say = (words) => {
    if (state.textContent !== words) state.textContent = words;
  };

  function newKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return `${PREFIX}${account}:${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  }

  // The copy of this tab's last page, if that page sent it and got it back: refused or restored.
  function takeOver() {
    const last = sessionStorage.getItem(PREFIX);
    sessionStorage.removeItem(PREFIX);
    return isBound && last?.startsWith(`${PREFIX}${account}:`) && copyAt(last)?.address === address ? last : null;
  }

  function store() {
    clearTimeout(waiting);
    waiting = 0;
    const now = JSON.stringify(fields());
    if (isSubmitted || now === stored) return;
    const isLoggedOut = Number(localStorage.getItem(LOGGED_OUT + account)) > openedAt;
    try {
      if (now === opened) localStorage.removeItem(key);
      else if (isShared || isLoggedOut) return say(REFUSED);
      else localStorage.setItem(key, JSON.stringify({ address, at: Date.now(), words: words(), fields: fields() }));
    } catch {
      return say(REFUSED); // no room, or forbidden
    }
    stored = now;
    say(now === opened ? "" : STORED);
  }

  // The beginning of the longest text that was changed, to tell copies apart.
  function words() {
    const typed = [...form.elements].filter(
      (each) => each.matches("textarea, input[type=text]") && (isBound || each.value.trim() !== each.defaultValue.trim()),
    );
    const longest = typed.map((each) => each.value.trim()).sort((one, two) => two.length - one.length)[0] ?? "";
    return longest.length > 60 ? `${longest.slice(0, 60)}…` : longest;
  }

  function send(copy, of) {
    const post = document.createElement("form");
    Object.assign(post, { method: "post", hidden: true });
    const token = [TOKEN, form.elements[TOKEN].value];
    for (const [name, value] of [...copy.fields, token, ["_restore", "yes"]]) {
      post.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
    document.body.append(post);
    sessionStorage.setItem(PREFIX, of);
    post.submit();
  }

  function offer(left) {
    const copy = copyAt(left);
    if (!copy) return;
    const node = place.querySelector("[data-unsaved-offer]").content.firstElementChild.cloneNode(true);
    const date = new Date(copy.at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    const about = copy.words && `: “${copy.words}”`;
    node.querySelector("[data-unsaved-about]").textContent = `You left text here on ${date}, not saved${about}`;
    node.querySelector("[data-unsaved-restore]").addEventListener("click", () => send(copyAt(left) ?? copy, left));
    node.querySelector("[data-unsaved-discard]").addEventListener("click", () => {
      localStorage.removeItem(left);
      node.remove();
    });
    addEventListener("storage", (event) => event.key === left && !event.newValue && node.remove());
    place.prepend(node);
  }

  // A page holds the lock of its copy, so that the text of a tab that is open is not offered in another.
  const whenFree = (name, then) => (navigator.locks ? navigator.locks.request(name, then) : then());
  if (isShared) {
    keysOf(`${PREFIX}${account}:`).forEach((each) => localStorage.removeItem(each));
  } else {
    const left = keysOf(`${PREFIX}${account}:`).filter((each) => each !== key && copyAt(each)?.address === address);
    left.sort((one, two) => copyAt(one).at - copyAt(two).at);
    left.forEach((each) => whenFree(each, () => offer(each)));
    navigator.locks?.request(key, () => new Promise(() => {}));
  }
  if (isBound) store();

  form.addEventListener("input", () => {
    waiting ||= setTimeout(store, PAUSE);
  });
  setInterval(store, SECONDS_BETWEEN * 1000);
  document.addEventListener("visibilitychange", () => document.hidden && store());
  addEventListener("pagehide", store);
  form.addEventListener("submit", (event) => {
    const isSave = !event.defaultPrevented && event.submitter?.formTarget !== "_blank";
    if (!isSave) return;
    // Pressed again while the first save still runs; after ten seconds it may have been stopped.
    if (isSubmitted && Date.now() - sentAt < SECONDS_BEFORE_AGAIN * 1000) return event.preventDefault();
    store();
    [isSubmitted, sentAt] = [true, Date.now()];
    sessionStorage.setItem(PREFIX, key);
    let sent = form.elements._copy;
    if (!sent) {
      sent = Object.assign(document.createElement("input"), { type: "hidden", name: "_copy" });
      form.append(sent);
    }
    sent.value = key.split(":").at(-1);
  });
  addEventListener("pageshow", () => {
    isSubmitted = false;
  });
  addEventListener("beforeunload", (event) => {
    if (!isSubmitted && JSON.stringify(fields()) !== opened) event.preventDefault();
  });
}

tidy();
document.querySelectorAll("[data-unsaved]").forEach(watchUnsaved);
document.getElementById("logout-form")?.addEventListener("submit", () => sessionStorage.setItem(LOGGED_OUT, account));
