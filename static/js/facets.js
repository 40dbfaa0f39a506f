// The filters of a list apply at once: HTMX replaces the list, and this script updates the counts beside
// the choices in place, so that the focus, open groups and typed text stay.
const facets = document.querySelector("[data-facets]");

// Fields of facts differ from category to category.
const show = (fresh) => {
  fresh.querySelectorAll("[data-part]").forEach((part) => {
    const own = facets.querySelector(`[data-part="${part.dataset.part}"]`);
    const fields = (one) => [...one.querySelectorAll("input, option")].map((field) => `${field.name} ${field.type === "checkbox" || field.text ? field.value : ""}`).join();
    if (fields(own) === fields(part)) return;
    const open = own.querySelector("details[open]");
    own.replaceChildren(...part.childNodes);
    own.querySelectorAll("details").forEach((one) => { one.open ||= Boolean(open); });
  });
  const counts = fresh.querySelectorAll("[data-count]");
  facets.querySelectorAll("[data-count]").forEach((one, at) => {
    one.dataset.count = counts[at].dataset.count;
    one.textContent = counts[at].textContent;
  });
  ["[data-total]", "[data-show]"].forEach((name) => {
    facets.querySelector(name).textContent = fresh.querySelector(name).textContent;
  });
  document.getElementById("announce").textContent = fresh.querySelector("[data-total]").textContent;
};

const ticks = () => [...document.querySelectorAll("#listed input[name=tools]")];

if (facets) {
  let ticked = [];
  facets.querySelector("[data-submit]").hidden = true;
  facets.querySelector("[data-show]").hidden = false;
  facets.addEventListener("htmx:configRequest", ({ detail }) => {
    [...detail.formData].forEach(([name, value]) => { if (!value) detail.formData.delete(name); });
  });
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (detail.elt.id !== "listed" || detail.isError) return;
    facets.parentElement.classList.add("filtered-list--live");
    ticked = ticks().filter((one) => one.checked).map((one) => one.value);
    show(new DOMParser().parseFromString(detail.serverResponse, "text/html").querySelector("[data-facets]"));
  });
  document.addEventListener("htmx:afterSwap", () => {
    ticks().forEach((one) => { one.checked ||= ticked.includes(one.value); });
    ticked = [];
  });
}
