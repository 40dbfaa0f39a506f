// Ctrl+K goes to the search field of the desk; Ctrl+S presses the main button of the form.
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "k") {
    const field = document.querySelector("[data-search-key]");
    if (!field) return;
    field.focus();
    field.select();
  } else if (key === "s") {
    const button = document.querySelector("[data-main-button]");
    if (!button) return;
    button.click();
  } else return;
  event.preventDefault();
});
