// The slug of a new row follows its name until an editor types one.
function follow(slug) {
  const name = slug.form.elements.name;
  let proposed = "";
  let wait;
  async function propose() {
    const address = `${slug.dataset.proposal}&name=${encodeURIComponent(name.value)}`;
    const answer = await fetch(address).catch(() => null);
    if (!answer || !answer.ok || slug.value !== proposed) return;
    proposed = slug.value = await answer.text();
  }
  name.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(propose, 250);
  });
}

document.querySelectorAll("[data-proposal]").forEach((slug) => slug.value || follow(slug));
