// Django's autocomplete widget hides the select element that it replaces. Once Django has created the
// widget, pass the label and the focus of the select element on to it.
function hiddenLabel(list) {
  const label = document.createElement("span");
  label.hidden = true;
  label.textContent = list.getAttribute("aria-label");
  list.after(label);
  return label;
}

function labelSearch(list) {
  const search = list.parentElement.querySelector(".select2-selection");
  const label = list.hasAttribute("aria-label") ? hiddenLabel(list) : list.labels[0];
  if (!search || !label) return;
  const text = search.querySelector(".select2-selection__rendered");
  label.id = label.id || `${list.id}_label`;
  search.setAttribute("aria-labelledby", `${label.id} ${text.id}`);
  text.removeAttribute("role");
  text.removeAttribute("aria-readonly");
  list.addEventListener("focus", () => search.focus());
  if (document.activeElement === list) search.focus();
  // The admin's own script focuses the first field before.
  if (list.autofocus) addEventListener("load", () => search.focus());
}

if (window.django && window.django.jQuery) {
  window.django.jQuery(() => document.querySelectorAll("select.admin-autocomplete").forEach(labelSearch));
}
