// Three to ten tools: while the page scrolls, a copy of the names stays visible and scrolls sideways with
// its table. Without a script the table scrolls in a box of its own, where its names stay visible.
const keepNamesInSight = (part) => {
  const head = part.querySelector(".decision thead tr, .scorecard__names");
  if (!head) return;
  const bar = document.createElement("div");
  const names = document.createElement("div");
  bar.className = "many-tools__bar";
  bar.setAttribute("aria-hidden", "true");
  bar.append(names);
  const cells = [...head.children].map((cell) => {
    const copy = document.createElement("span");
    copy.innerHTML = (cell.querySelector("[id]") || cell).innerHTML;
    names.append(copy);
    return [cell, copy];
  });
  part.before(bar);
  const follow = () => {
    const shown = head.getBoundingClientRect().top < 0
      && part.getBoundingClientRect().bottom > 2 * names.offsetHeight;
    bar.classList.toggle("many-tools__bar--shown", shown);
    if (!shown) return;
    names.style.columnGap = getComputedStyle(head).columnGap;
    cells.forEach(([cell, copy]) => { copy.style.width = `${cell.getBoundingClientRect().width}px`; });
    names.scrollLeft = part.scrollLeft;
  };
  [window, part].forEach((one) => one.addEventListener("scroll", follow, { passive: true }));
  window.addEventListener("resize", follow);
};
document.querySelectorAll(".many-tools").forEach(keepNamesInSight);

// What scrolls sideways says which of the tools are in view: "1–2 of 4".
const countInView = (part) => {
  const says = part.parentElement.querySelector(`.side-count[data-of="${part.dataset.counted}"]`);
  const tools = [...part.querySelectorAll(".decision > thead th[scope=col], .scorecard__names > p, :scope > .card")];
  const label = part.querySelector(".decision thead td");
  const count = () => {
    const box = part.getBoundingClientRect();
    const start = box.left + (label ? label.offsetWidth : 0) - 2;
    const seen = tools.flatMap((tool, at) => {
      const { left, right } = tool.getBoundingClientRect();
      return left >= start && right <= box.right + 2 ? [at + 1] : [];
    });
    says.hidden = part.scrollWidth <= part.clientWidth + 1;
    const [first, last] = [seen[0], seen.at(-1)];
    if (first) says.textContent = `${first === last ? first : `${first}–${last}`} of ${tools.length}`;
  };
  part.addEventListener("scroll", count, { passive: true });
  window.addEventListener("resize", count);
  count();
};
document.querySelectorAll(".many-tools, .cards--many").forEach(countInView);
