// Prints the occurrences of each calendar in a file, as ical.js expands them. Arguments: the directory with node_modules,
// the file, and the local time at which expansion ends. An occurrence is two local times with their zones.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [tools, file, end] = process.argv.slice(2);
const loaded = createRequire(tools + "/")("ical.js");
const ICAL = loaded.default ?? loaded;
const OCCURRENCES_MAX = 50000;

const zone = (time) => (time.isDate ? "DATE" : time.zone === ICAL.Timezone.utcTimezone ? "UTC" : time.zone.tzid);
const show = (time) => `${time.toICALString().replace("Z", "").slice(0, 15)}@${zone(time)}`;

const expand = (text) => {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const found = [];
  for (const component of calendar.getAllSubcomponents("vevent")) {
    if (component.hasProperty("recurrence-id")) continue;
    const event = new ICAL.Event(component);
    const iterator = event.iterator();
    for (let count = 0, next; (next = iterator.next()); count++) {
      const { startDate, endDate } = event.getOccurrenceDetails(next);
      if (count > OCCURRENCES_MAX || next.toICALString() > end) break;
      found.push(`${show(startDate)}|${show(endDate)}`);
    }
  }
  return found.join(" ");
};

const lines = readFileSync(file, "utf8").split("END:VCALENDAR\r\n").slice(0, -1).map((text) => {
  try {
    return expand(text + "END:VCALENDAR\r\n");
  } catch (error) {
    return `error ${String(error.message).split("\n")[0]}`;
  }
});
process.stdout.write(lines.join("\n") + "\n");
