// After a refused save the focus goes to the first fault. Wait for "load": the admin's own script
// may focus the first field before.
addEventListener("load", () => {
  const fault = document.querySelector("#content :is(.errorlist.nonfield, [aria-invalid='true'])");
  if (!fault) return;
  if (fault.matches(".errorlist")) fault.tabIndex = -1;
  fault.focus({ preventScroll: true });
  document.activeElement.scrollIntoView({ block: "center" });
});
