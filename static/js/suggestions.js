// Suggestions under a field, as an ARIA combobox. A suggestion opens its page, or fills in its value.
// Without this script the form still works.
const PAUSE = 150;

const suggest = (field) => {
  const box = document.createElement("div");
  const list = document.createElement("ul");
  const say = (text) => { document.getElementById("announce").textContent = text; };
  let timer, request, chosen = -1, shownFor = "";

  const choose = (index) => {
    const rows = list.children;
    chosen = rows.length ? (index + rows.length + 1) % (rows.length + 1) : -1;
    if (chosen === rows.length) chosen = -1;
    [...rows].forEach((row, at) => row.setAttribute("aria-selected", at === chosen));
    if (chosen < 0) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", rows[chosen].id);
    rows[chosen].scrollIntoView({ block: "nearest" });
  };

  const close = () => {
    clearTimeout(timer);
    request?.abort();
    list.hidden = true;
    choose(-1);
    field.setAttribute("aria-expanded", "false");
  };

  const show = (html, text) => {
    shownFor = text;
    list.innerHTML = html;
    [...list.children].forEach((row) => { row.id = `${list.id}-${row.id}`; });
    const count = list.children.length;
    list.hidden = !count;
    field.setAttribute("aria-expanded", count > 0);
    choose(-1);
    say(count ? `${count} suggestion${count > 1 ? "s" : ""}` : "No suggestions");
  };

  const take = (row) => {
    if (!("value" in row.dataset)) return row.querySelector("a").click();
    field.value = row.dataset.value;
    close();
  };

  const ask = async () => {
    const text = field.value.trim();
    if (text.length < 2) return close();
    if (text === shownFor && !list.hidden) return;
    request?.abort();
    request = new AbortController();
    try {
      const address = field.dataset.suggestions + encodeURIComponent(text.slice(0, 200));
      const answer = await fetch(address, { signal: request.signal, credentials: "omit" });
      if (answer.ok && document.activeElement === field) show(await answer.text(), text);
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  };

  field.before(box);
  box.className = "search-suggestions";
  box.append(field, list);
  list.id = `suggestions-${document.querySelectorAll(".search-suggestions").length}`;
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  for (const [name, value] of Object.entries({
    role: "combobox", autocomplete: "off", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id,
  })) field.setAttribute(name, value);

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      take(list.children[chosen]);
    } else if (["ArrowDown", "ArrowUp"].includes(event.key) && !list.hidden) {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "ArrowDown") {
      ask();
    }
  });
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const row = event.target.closest("[data-value]");
    if (row) take(row);
  });
  field.addEventListener("blur", close);
};

document.querySelectorAll("[data-suggestions]").forEach(suggest);
