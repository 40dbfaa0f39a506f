// Copy what a link leads to. Without JavaScript, or without the right to copy, it opens instead.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-copy]");
  if (!link || !navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  try {
    const response = await fetch(link.href);
    if (!response.ok) throw new Error(response.status);
    await navigator.clipboard.writeText(await response.text());
    document.getElementById("announce").textContent = link.textContent = "Copied";
  } catch {
    window.location.assign(link.href);
  }
});
