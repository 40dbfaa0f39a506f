// Open the folded list of sources when a link goes to one of them. Some browsers do this by themselves.
const openSources = (hash) => {
  const source = hash.startsWith("#source-") && document.getElementById(hash.slice(1));
  if (source) source.closest("details").open = true;
};
document.addEventListener("click", ({ target }) => openSources(target.closest("a.source-number")?.hash || ""));
openSources(location.hash);
