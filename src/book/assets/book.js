// The pages work without this script. It adds the visitor's local time where it differs from that of the
// business, and keeps a form from being sent twice. In a frame, it tells the surrounding page that the visitor
// has pressed Escape.

for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) return event.preventDefault();
    form.dataset.sent = "true";
    form.querySelectorAll("button").forEach((button) => button.setAttribute("aria-disabled", "true"));
  });
}
// If the visitor goes back to this page, its form can be sent again.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) {
    delete form.dataset.sent;
    form.querySelectorAll("button").forEach((button) => button.removeAttribute("aria-disabled"));
  }
});

if (parent !== window) {
  addEventListener("keydown", (event) => {
    // Any site may receive the message, because it contains nothing about the visitor.
    if (event.key === "Escape") parent.postMessage("receptionist:close", "*");
  });
}

function addLocalTimes(main) {
  const { zone, yours } = main.dataset;
  const lang = document.documentElement.lang;
  const parts = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "2-digit" };
  const here = new Intl.DateTimeFormat(lang, parts);
  const there = new Intl.DateTimeFormat(lang, { ...parts, timeZone: zone });
  const day = (at, timeZone) => new Intl.DateTimeFormat("en", { dateStyle: "short", timeZone }).format(at);
  for (const time of main.querySelectorAll("time")) {
    const at = new Date(time.dateTime);
    if (here.format(at) === there.format(at)) continue;
    const weekday = day(at) === day(at, zone) ? {} : { weekday: "short" };
    const local = new Intl.DateTimeFormat(lang, { hour: "numeric", minute: "2-digit", ...weekday }).format(at);
    const note = document.createElement("span");
    note.className = "yours";
    note.textContent = yours.replace("{time}", local);
    time.after(note);
  }
}

const main = document.querySelector("main[data-zone]");
try {
  if (main) addLocalTimes(main);
} catch {
  // The browser does not know the time zone of the business, so the page shows only the times of the business.
}
