// Request tool options for a picker’s field only while the reader types, not after a choice.
document.addEventListener("htmx:configRequest", (event) => {
  const field = event.detail.elt;
  if (!(field instanceof HTMLInputElement) || !field.list) return;
  const typed = field.value.trim();
  const chosen = [...field.list.options].some((option) => option.value === typed);
  if (chosen || typed.length < 2) event.preventDefault();
});
