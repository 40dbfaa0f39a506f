// The slug of a new row follows its name until an editor types one.
function follow(slug) {
  const name = slug.form.elements.name;
  let proposed = "";
  let wait;
  async function propose() {
    const asked = name.value;
    const address = `${slug.dataset.proposal}&name=${encodeURIComponent(asked)}`;
    const answer = await fetch(address).catch(() => null);
    if (name.value !== asked) return; // a late answer about an earlier name
    if (!answer || !answer.ok || slug.value !== proposed) return;
    proposed = slug.value = await answer.text();
  }
  name.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(propose, 250);
  });
}

document.querySelectorAll("[data-proposal]").forEach((slug) => slug.value || follow(slug));
