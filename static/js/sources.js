// The list of sources is folded: open it for the number of one. Some browsers do this by themselves.
const openSources = (hash) => {
  const source = hash.startsWith("#source-") && document.getElementById(hash.slice(1));
  if (source) source.closest("details").open = true;
};
document.addEventListener("click", ({ target }) => openSources(target.closest("a.ref")?.hash || ""));
openSources(location.hash);
