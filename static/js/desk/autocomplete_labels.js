// Django's autocomplete widget hides the select element that it replaces. Once Django has created the
// widget, pass the label and the focus of the select element on to it.
function labelSearch(list) {
  const search = list.parentElement.querySelector(".select2-selection");
  const label = list.labels[0];
  if (!search || !label) return;
  const text = search.querySelector(".select2-selection__rendered");
  label.id = label.id || `${list.id}_label`;
  search.setAttribute("aria-labelledby", `${label.id} ${text.id}`);
  text.removeAttribute("role");
  text.removeAttribute("aria-readonly");
  list.addEventListener("focus", () => search.focus());
  if (list.autofocus || document.activeElement === list) search.focus();
}

if (window.django && window.django.jQuery) {
  window.django.jQuery(() => document.querySelectorAll("select.admin-autocomplete").forEach(labelSearch));
}
