// The desk shows times in the editor's own time zone, whose name the server reads from a cookie. A date
// field shows the same moment in UTC beside it, also while the editor types.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const desk = document.querySelector("meta[name=desk]");
const cookie = `desk_zone=${zone}`;
if (zone && desk && !document.cookie.split("; ").includes(cookie)) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${cookie}; Path=${desk.content}; Max-Age=31536000; SameSite=Lax${secure}`;
}

const calendarsWork = "showPicker" in HTMLInputElement.prototype;

function inUtc(text) {
  const parts = text.trim().match(/^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(:\d\d)?))?$/);
  const moment = parts && new Date(`${parts[1]}T${parts[2] || "00:00"}`);
  if (!moment || Number.isNaN(moment.getTime())) return "";
  const [, day, month, year, time] = moment.toUTCString().split(" ");
  return ` = ${Number(day)} ${month} ${year} ${time.slice(0, 5)} UTC`;
}

// A calendar beside each date field, for who would rather choose than type.
function addCalendar(field) {
  const calendar = document.createElement("input");
  calendar.type = "datetime-local";
  calendar.className = "moment__calendar";
  calendar.tabIndex = -1;
  calendar.ariaHidden = "true";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button moment__button";
  button.textContent = "Calendar";
  button.setAttribute("aria-label", "Choose the date in a calendar");
  button.addEventListener("click", () => {
    calendar.value = field.value.replace(" ", "T");
    calendar.showPicker();
  });
  calendar.addEventListener("input", () => {
    if (!calendar.value) return;
    field.value = calendar.value.replace("T", " ");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  field.after(button, calendar);
}

for (const place of document.querySelectorAll("[data-moment]")) {
  const isOwn = place.dataset.moment === zone && zone !== "UTC";
  const field = place.querySelector("input");
  field.addEventListener("input", () => {
    place.querySelector("[data-moment-utc]").textContent = isOwn ? inUtc(field.value) : "";
  });
  if (calendarsWork) addCalendar(field);
}
