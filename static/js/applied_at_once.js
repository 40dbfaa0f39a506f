// The controls of a form that HTMX applies at once, as filters and sliders. If that fails, they go back to
// what the page shows, and the message stands beside the one that was changed. Typed text stays.
const shownState = new WeakMap();
const changedControl = new WeakMap();
const formOf = (element) => element.closest?.("[data-applied-at-once]");

const keepState = (form) => shownState.set(form, [...form.elements].map(({ checked, value }) => ({ checked, value })));

function goBack(form) {
  const state = shownState.get(form);
  [...form.elements].forEach((field, index) => {
    if (field.type === "checkbox") field.checked = state[index].checked;
    if (field.type === "range") field.nextElementSibling.value = state[index].value;
    if (field.matches("select, [type=range], [type=number], [type=date]")) field.value = state[index].value;
  });
  const control = changedControl.get(form);
  if (control) control.closest("label.facet, .facet-limit, .facets__field, .own-panel__row, div").after(form.querySelector("[data-message]"));
}

document.querySelectorAll("[data-applied-at-once]").forEach(keepState);
document.addEventListener("change", ({ target }) => {
  const form = formOf(target);
  if (form) changedControl.set(form, target);
}, true);
document.addEventListener("htmx:configRequest", ({ detail }) => {
  const form = formOf(detail.elt);
  if (!form) return;
  const message = form.querySelector("[data-message]");
  message.textContent = "";
  form.append(message); // HTMX may replace what it stood in
});
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  const form = formOf(detail.elt);
  if (form && detail.successful) keepState(form);
});
["htmx:sendError", "htmx:timeout", "htmx:responseError"].forEach((name) => document.addEventListener(name, ({ detail }) => {
  const form = formOf(detail.elt);
  if (form) goBack(form);
}));
