// The desk shows times in the editor's own time zone, whose name the server reads from a cookie. A date
// field shows the same moment in UTC beside it, also while the editor types.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const desk = document.querySelector("meta[name=desk]");
const cookie = `desk_zone=${zone}`;
if (zone && desk && !document.cookie.split("; ").includes(cookie)) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${cookie}; Path=${desk.content}; Max-Age=31536000; SameSite=Lax${secure}`;
}

function inUtc(text) {
  const parts = text.trim().match(/^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(:\d\d)?))?$/);
  const moment = parts && new Date(`${parts[1]}T${parts[2] || "00:00"}`);
  if (!moment || Number.isNaN(moment.getTime())) return "";
  const [, day, month, year, time] = moment.toUTCString().split(" ");
  return ` = ${Number(day)} ${month} ${year} ${time.slice(0, 5)} UTC`;
}

for (const place of document.querySelectorAll("[data-moment]")) {
  const isOwn = place.dataset.moment === zone && zone !== "UTC";
  const field = place.querySelector("input");
  field.addEventListener("input", () => {
    place.querySelector("[data-moment-utc]").textContent = isOwn ? inUtc(field.value) : "";
  });
}
