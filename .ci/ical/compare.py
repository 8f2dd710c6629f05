"""Generates events by seed, expands them in three ways and lists the differences. See README.md."""

import random
import subprocess
import sys
import tempfile
from collections import Counter
from datetime import date, datetime, time, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events
from dateutil.rrule import rrulestr

BUSINESS = "Europe/Paris"
NOW = datetime(2026, 11, 27, 12, tzinfo=timezone.utc)
START, END = NOW - timedelta(days=1), NOW + timedelta(days=400)
ZONES = ["Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]
SHOWN_MAX = 40
DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
# The rules of the zones since 2020, for ical.js. The other two libraries know the zones by their names.
RULES = {
    "Europe/Paris": [("10", "-1SU", "030000", "+0200", "+0100"), ("3", "-1SU", "020000", "+0100", "+0200")],
    "America/New_York": [("11", "1SU", "020000", "-0400", "-0500"), ("3", "2SU", "020000", "-0500", "-0400")],
    "Australia/Lord_Howe": [("4", "1SU", "020000", "+1100", "+1030"), ("10", "1SU", "020000", "+1030", "+1100")],
    "Asia/Kolkata": [(None, None, "000000", "+0530", "+0530")],
}


def zone_file(name):
    lines = ["BEGIN:VTIMEZONE", f"TZID:{name}"]
    for month, day, at, before, after in RULES[name]:
        lines += ["BEGIN:STANDARD", f"TZOFFSETFROM:{before}", f"TZOFFSETTO:{after}"]
        lines += [f"DTSTART:2020{month or 1:0>2}01T{at}"] + [f"RRULE:FREQ=YEARLY;BYMONTH={month};BYDAY={day}"] * bool(month)
        lines += ["END:STANDARD"]
    return "".join(line + "\r\n" for line in [*lines, "END:VTIMEZONE"])


ZONE_FILES = {name: zone_file(name) for name in ZONES}


def some(rng, values, most=3):
    return sorted(rng.sample(values, rng.randint(1, min(most, len(values)))))


def listed(values):
    return ",".join(str(value) for value in values)


def rule(rng, start, all_day, zone):
    """Returns a rule that RFC 5545 permits."""
    often = not all_day and start > datetime(2026, 10, 15)
    frequency = rng.choice(["DAILY", "WEEKLY", "WEEKLY", "MONTHLY", "MONTHLY", "YEARLY"] + ["HOURLY", "MINUTELY"] * often)
    parts = [f"FREQ={frequency}"]
    long = {"MINUTELY": [30, 45, 240, 1440, 4000], "HOURLY": [1, 3, 5, 24, 36]}
    interval = rng.choice(long.get(frequency, [1, 1, 1, 2, 3, 5]))
    if interval > 1:
        parts.append(f"INTERVAL={interval}")
    if rng.random() < 0.2:
        parts.append(f"WKST={rng.choice(['SU', 'MO', 'SA'])}")
    signed = lambda most: [number for number in range(-most, most + 1) if number]
    choice = rng.random()
    if frequency == "WEEKLY" and choice < 0.6:
        parts.append(f"BYDAY={listed(some(rng, DAYS))}")
    elif frequency == "DAILY" and choice < 0.2:
        parts.append(f"BYDAY={listed(some(rng, DAYS, 5))}")
    elif frequency == "MONTHLY":
        if choice < 0.3:
            parts.append(f"BYMONTHDAY={listed(some(rng, signed(31)))}")
        elif choice < 0.6:
            parts.append(f"BYDAY={listed(some(rng, [f'{nth}{day}' for nth in (1, 2, 3, 4, 5, -1, -2) for day in DAYS]))}")
        elif choice < 0.75:
            parts.append(f"BYDAY={listed(some(rng, DAYS, 5))};BYSETPOS={listed(some(rng, [1, 2, 3, -1, -2], 2))}")
        elif choice < 0.85:
            parts.append(f"BYDAY={rng.choice(DAYS)};BYMONTHDAY={listed(range(8, 15))}")
    elif frequency == "YEARLY":
        if choice < 0.2:
            parts.append(f"BYMONTH={listed(some(rng, range(1, 13)))}")
        elif choice < 0.45:
            parts.append(f"BYMONTH={listed(some(rng, range(1, 13)))};BYDAY={rng.choice([1, 2, 3, 4, -1])}{rng.choice(DAYS)}")
        elif choice < 0.6:
            parts.append(f"BYMONTH={listed(some(rng, range(1, 13)))};BYMONTHDAY={listed(some(rng, signed(28)))}")
        elif choice < 0.7:
            parts.append(f"BYYEARDAY={listed(some(rng, signed(366)))}")
        elif choice < 0.8:
            parts.append(f"BYWEEKNO={listed(some(rng, range(1, 53)))};BYDAY={rng.choice(DAYS)}")
        elif choice < 0.9:
            parts.append(f"BYDAY={rng.choice([1, 20, 52, -1, -10])}{rng.choice(DAYS)}")
    if frequency in ("DAILY", "WEEKLY", "HOURLY") and rng.random() < 0.1:
        parts.append(f"BYMONTH={listed(some(rng, range(1, 13), 5))}")
    if frequency == "DAILY" and not all_day and rng.random() < 0.1:
        parts.append(f"BYHOUR={listed(some(rng, range(24)))}")
    ends = rng.random()
    if ends < 0.3 or often and frequency == "MINUTELY":
        parts.append(f"COUNT={rng.choice([1, 2, 5, 30, 400])}")
    elif ends < 0.6:
        last = max(start, datetime(2026, 11, 27)) + timedelta(days=rng.randint(0, 500))
        # A last instant is given in UTC, except for floating times.
        form = "%Y%m%d" if all_day else "%Y%m%dT%H%M%SZ" if zone != "floating" else "%Y%m%dT%H%M%S"
        parts.append(f"UNTIL={last:{form}}")
    return ";".join(parts)


def written(name, value, zone):
    if not isinstance(value, datetime):
        return f"{name};VALUE=DATE:{value:%Y%m%d}"
    if zone == "UTC":
        return f"{name}:{value:%Y%m%dT%H%M%SZ}"
    parameter = "" if zone == "floating" else f";TZID={zone}"
    return f"{name}{parameter}:{value:%Y%m%dT%H%M%S}"


def generate(rng, uid):
    all_day = rng.random() < 0.15
    zone = rng.choice(ZONES * 2 + ["UTC", "UTC", "floating"])
    recent = rng.random() < 0.9
    first = datetime(2026, 10, 1) if recent else datetime(1995, 1, 1)
    begin = first + timedelta(days=rng.randrange(0, 300 if recent else 11_500))
    begin += timedelta(minutes=rng.choice([0, 15, 150, 545, 600, 870, 1200, 1410]))
    recurrence = rule(rng, begin, all_day, zone) if rng.random() < 0.8 else None
    if recurrence and rng.random() < 0.95:
        # The start is an occurrence of the rule, as RFC 5545 requires. For other starts, the packages return different results.
        unending = ";".join(part for part in recurrence.split(";") if not part.startswith(("UNTIL", "COUNT")))
        begin = next(iter(rrulestr(unending, dtstart=begin)), begin)
    start = begin.date() if all_day else begin
    lines = [written("DTSTART", start, zone)]
    if all_day:
        days = rng.choice([1, 1, 2, 7])
        lines += rng.choice([[], [written("DTEND", start + timedelta(days=days), zone)], [f"DURATION:P{days}D"]])
    else:
        minutes = rng.choice([15, 30, 60, 60, 90, 600, 1440, 4000])
        plain = written("DTEND", start + timedelta(minutes=minutes), zone)
        lines += rng.choice([[plain], [plain], [f"DURATION:PT{minutes}M"], []] if rng.random() < 0.2 else [[plain]])
    if recurrence:
        lines.append("RRULE:" + recurrence)
    shift = lambda: timedelta(days=rng.randint(-2, 400), minutes=rng.choice([0, 0, 60]))
    move = (lambda value: value + timedelta(days=rng.randint(1, 300))) if all_day else (lambda value: value + shift())
    if rng.random() < 0.1:
        lines += [written("RDATE", move(start), zone) for _ in range(rng.randint(1, 3))]
    overrides = []
    if len(lines) > 2 and rng.random() < 0.5:
        # Excludes up to two occurrences, and replaces up to two others.
        starts = occurrence_starts(calendar([[f"UID:{uid}", *lines]], zone), all_day)
        rng.shuffle(starts)
        for original in starts[: rng.randint(0, 2)]:
            if zone not in ("UTC", "floating") and not all_day and rng.random() < 0.5:
                utc = original.replace(tzinfo=ZoneInfo(zone)).astimezone(timezone.utc)
                lines.append(f"EXDATE:{utc:%Y%m%dT%H%M%SZ}")
            else:
                lines.append(written("EXDATE", original, zone))
        for original in starts[2 : 2 + rng.choice([0, 1, 1, 2])]:
            moved = original + timedelta(days=rng.choice([0, 0, 1, -1]))
            if not all_day:
                moved += timedelta(minutes=rng.choice([0, 30, 120, -60]))
            name = "RECURRENCE-ID" + ";RANGE=THISANDFUTURE" * (rng.random() < 0.3)
            length = f"DURATION:P{rng.choice([1, 2])}D" if all_day else f"DURATION:PT{rng.choice([20, 45, 180])}M"
            overrides.append([f"UID:{uid}", written(name, original, zone), written("DTSTART", moved, zone), length])
    return calendar([[f"UID:{uid}", *lines], *overrides], zone)


def calendar(events, zone):
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//generated//EN"]
    text = "".join(line + "\r\n" for line in lines) + ZONE_FILES.get(zone, "")
    for event in events:
        text += "".join(line + "\r\n" for line in ["BEGIN:VEVENT", "DTSTAMP:20260101T000000Z", *event, "END:VEVENT"])
    return text + "END:VCALENDAR\r\n"


def parsed(text):
    for zone in ZONE_FILES.values():
        text = text.replace(zone, "")
    return recurring_ical_events.of(icalendar.Calendar.from_ical(text))


def occurrence_starts(text, all_day):
    found = parsed(text).between(START, END)
    starts = sorted({event["DTSTART"].dt if all_day else event["DTSTART"].dt.replace(tzinfo=None) for event in found})
    return starts[:60]


def instant(value, zone=None):
    """Returns the instant of a local time. Python uses the first of two repeated times, and moves a skipped time forward."""
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
        zone = BUSINESS
    if value.tzinfo is None:
        value = value.replace(tzinfo=ZoneInfo(zone or BUSINESS))
    return int(value.timestamp())


def merged(intervals):
    intervals = sorted(pair for pair in intervals if pair[0] < pair[1])
    result = []
    for start, end in intervals:
        if result and start <= result[-1][1]:
            result[-1][1] = max(end, result[-1][1])
        else:
            result.append([start, end])
    return result


def in_window(intervals):
    first, last = int(START.timestamp()), int(END.timestamp())
    return merged((start, end) for start, end in intervals if start < last and end > first)


def python(text):
    events = parsed(text).between(START - timedelta(days=4), END)
    return in_window((instant(event["DTSTART"].dt), instant(event["DTEND"].dt)) for event in events)


def javascript(line):
    if line.startswith("error"):
        return line

    def of(text):
        local, zone = text.split("@")
        if zone == "DATE":
            return instant(datetime.strptime(local, "%Y%m%d").date())
        return instant(datetime.strptime(local, "%Y%m%dT%H%M%S"), None if zone == "floating" else zone)

    pairs = (pair.split("|") for pair in line.split())
    return in_window((of(start), of(end)) for start, end in pairs)


def own(line):
    if line and not line[0].isdigit():
        return line
    return [[int(part) for part in pair.split("-")] for pair in line.split()]


def after_gap(start):
    """Returns whether the service may have moved an occurrence from a time that clocks skip to this instant."""
    for zone in map(ZoneInfo, ZONES):
        local = datetime.fromtimestamp(start, zone).replace(tzinfo=None)
        for gap in (timedelta(minutes=30), timedelta(hours=1)):
            skipped = (local - gap).replace(tzinfo=zone)
            # Python gives a skipped time the instant of the time after the gap.
            if skipped.timestamp() == start:
                return True
    return False


def shown(result, other):
    """Returns the intervals that only this result contains."""
    if isinstance(result, str):
        return result
    show = lambda at: datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%MZ")
    return [f"{show(start)}/{show(end)}" for start, end in result if [start, end] not in other][:3]


def main():
    count, seed, tools, program = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    texts = [generate(random.Random(f"{seed}-{number}"), number) for number in range(count)]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "events.ics"
        path.write_text("".join(texts), newline="")
        form = "%Y-%m-%dT%H:%M:%SZ"
        run = lambda *command: subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")
        ours = run(program, path, BUSINESS, f"{START:{form}}", f"{END:{form}}")
        last = (END + timedelta(days=40)).strftime("%Y%m%dT%H%M%S")
        theirs = run("node", Path(__file__).parent / "expand.mjs", tools, path, last)
    totals, differences = Counter(), 0
    for number, text in enumerate(texts):
        try:
            first = python(text)
        except Exception as error:  # the package raises many kinds of errors
            first = f"error {type(error).__name__}: {error}"[:100]
        second, result = javascript(theirs[number]), own(ours[number])
        agree = first == second and not isinstance(first, str)
        kind = {(True, True): "all equal", (True, False): "DIFFERENT from both"}.get((agree, result == first))
        if isinstance(result, str) and result.startswith("cut"):
            kind = "cut above 5,000 occurrences, a rule of the service"
        elif kind == "DIFFERENT from both" and all(
            after_gap(start) for start, end in result if [start, end] not in first
        ) and all(interval in result for interval in first):
            kind = "moved out of a gap with its length, a rule of the service"
        elif kind is None:
            kind = "the packages disagree; ours is " + (
                "recurring-ical-events" if result == first else "ical.js" if result == second else "another"
            )
            if isinstance(second, str):
                kind += " (ical.js fails)"
        totals[kind] += 1
        if kind == "DIFFERENT from both" or "another" in kind and "-v" in sys.argv or kind in sys.argv:
            differences += 1
            if differences <= SHOWN_MAX:
                events = text[text.index("BEGIN:VEVENT") :].replace("\r\n", "\n  ")
                print(f"#{number} {kind}\n  {events}")
                print(f"  ours only: {shown(result, first)}\n  python only: {shown(first, result)}\n  ical.js: {shown(second, first)}\n")
    for kind, total in sorted(totals.items()):
        print(f"{total:6} {kind}")
    sys.exit(totals["DIFFERENT from both"] > 0)


main()
