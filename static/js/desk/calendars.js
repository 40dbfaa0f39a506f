// A calendar beside each field for a date, or for a date and time, for who would rather choose than
// type. The field stays a text, because it also takes what no calendar has: a zone, "not stated".
function addCalendar(field) {
  const calendar = document.createElement("input");
  calendar.type = field.dataset.calendar;
  calendar.className = "calendar__input";
  calendar.tabIndex = -1;
  calendar.ariaHidden = "true";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.textContent = "Calendar";
  const of = field.getAttribute("aria-label");
  button.setAttribute("aria-label", of ? `${of}, from a calendar` : "Choose the date in a calendar");
  button.addEventListener("click", () => {
    calendar.value = field.value.replace(" ", "T");
    calendar.showPicker();
  });
  calendar.addEventListener("input", () => {
    if (!calendar.value) return;
    field.value = calendar.value.replace("T", " ");
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
  const place = document.createElement("span");
  place.className = "calendar";
  place.append(button, calendar);
  field.after(place);
}

if ("showPicker" in HTMLInputElement.prototype) {
  for (const field of document.querySelectorAll("input[data-calendar]")) addCalendar(field);
}
