// The drawer lists every tool that this browser saved: update all forms of the page from it.
const showBookmarks = () => {
  const drawer = document.getElementById("drawer");
  if (!drawer || drawer.dataset.saved === undefined) return;
  const slugs = drawer.dataset.saved.split(" ");
  document.querySelectorAll("[data-save]").forEach((button) => {
    const saved = slugs.includes(button.dataset.save);
    button.value = saved ? "no" : "yes";
    button.setAttribute("aria-pressed", saved);
    button.firstChild.data = saved ? "Saved" : "Save";
  });
};
["htmx:oobAfterSwap", "htmx:afterSwap"].forEach((name) => document.addEventListener(name, showBookmarks));

// The second click of a double click would undo the first.
document.addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("[data-save]")) event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && document.querySelector(".bookmark-drawer__box[open]");
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
});
