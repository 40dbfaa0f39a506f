// Drag a tool to another place of the picker by its handle; the buttons do the same without a script.
// The texts move between the fields, which stay in place.
document.addEventListener("pointerdown", (event) => {
  const handle = event.target.closest("[data-drag]");
  if (!handle || event.button) return;
  event.preventDefault();
  const fields = [...handle.closest("form").querySelectorAll("input[name=tools]")];
  let at = fields.indexOf(handle.closest("div").querySelector("input"));
  const move = ({ clientY }) => {
    const to = fields.findIndex((field) => clientY < field.getBoundingClientRect().bottom);
    const target = to < 0 ? fields.length - 1 : to;
    for (; at !== target; at += Math.sign(target - at)) {
      const next = fields[at + Math.sign(target - at)];
      [fields[at].value, next.value] = [next.value, fields[at].value];
    }
    fields.forEach((field, place) => field.toggleAttribute("data-dragged", place === at));
  };
  const end = () => {
    fields.forEach((field) => field.removeAttribute("data-dragged"));
    handle.removeEventListener("pointermove", move);
  };
  handle.setPointerCapture(event.pointerId);
  handle.addEventListener("pointermove", move);
  ["pointerup", "pointercancel"].forEach((name) => handle.addEventListener(name, end, { once: true }));
});
