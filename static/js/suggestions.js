// Under a picker's field: ask for suggestions only while the reader is still typing a name,
// not once they have chosen one of those offered.
document.addEventListener("htmx:configRequest", (event) => {
  const field = event.detail.elt;
  if (!(field instanceof HTMLInputElement) || !field.list) return;
  const typed = field.value.trim();
  const chosen = [...field.list.options].some((option) => option.value === typed);
  if (chosen || typed.length < 2) event.preventDefault();
});
