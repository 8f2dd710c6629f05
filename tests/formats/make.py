#!/usr/bin/env python3
"""Makes a small store with a given version of the program, for `tests/crash/upgrade.rs`.

    unshare -rn sh -c 'ip link set lo up; tests/formats/make.py RECEPTIONIST tests/formats/format-2'

The script writes `format-2.tar.gz`, the data directory after the program has ended, and `format-2.json`, the data in both
APIs. The program is killed, so that from format 6 on the newest changes are only in the journal. The script runs in a
network namespace without a route, so that no request reaches the webhook's address. At the end the endpoint is disabled,
so that later versions send no events either.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from datetime import datetime, timedelta, timezone

TOKEN = "an-operator-token-for-tests-0123456789"
DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
SCOPES = [
    "business:read", "business:write", "calls:read", "contacts:read", "contacts:write", "appointments:read",
    "appointments:write", "messages:read", "knowledge:write", "webhooks:manage",
]


class Service:
    def __init__(self, program, directory):
        environment = {
            "PATH": os.environ["PATH"],
            "RECEPTIONIST_DATA_DIR": directory,
            "RECEPTIONIST_LISTEN": "127.0.0.1:0",
            "RECEPTIONIST_ADMIN_LISTEN": "127.0.0.1:0",
            "RECEPTIONIST_ADMIN_TOKEN": TOKEN,
            "RECEPTIONIST_LOG": "off",
        }
        self.process = subprocess.Popen([program, "serve"], env=environment, stdout=subprocess.PIPE, text=True)
        self.public = self.process.stdout.readline().split()[-1]
        self.operator = self.process.stdout.readline().split()[-1]
        self.key = None

    def ask(self, method, url, token, body=None, key=None):
        headers = {"authorization": f"Bearer {token}"}
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(body, ensure_ascii=False).encode()
        if key:
            headers["idempotency-key"] = key
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {url}: {error.code} {error.read()}")
        return json.loads(text) if text else None

    def team(self, method, path, body=None):
        return self.ask(method, self.operator + path, TOKEN, body)

    def client(self, method, path, body=None, key=None):
        return self.ask(method, self.public + path, self.key, body, key)

    def kill(self):
        """Kills the service, so that the newest changes are only in the journal."""
        self.process.kill()
        self.process.wait()


def enter(service, at, person):
    """Signs a person in with a link, like a browser, so that their membership becomes active."""
    link = service.team("POST", f"{at}/people/{person}/link", {"kind": "enter"})["data"]["link"]
    page = urllib.request.urlopen(link).read().decode()
    form = re.search(r'name="form" value="([^"]+)"', page).group(1)
    urllib.request.urlopen(link, urllib.parse.urlencode({"form": form}).encode()).read()


def fill(service):
    """Creates a business with records of every kind. Returns the ids of the business, its endpoint and a staff member."""
    hours = [{"day": day, "open": "08:00", "close": "20:00"} for day in DAYS]
    new = {"name": "Salon Lumière", "timezone": "Europe/Paris", "locale": "fr", "hours": hours, "phone_region": "FR"}
    business = service.team("POST", "/businesses", new)["data"]["id"]
    at = f"/businesses/{business}"
    add = lambda path, body: service.team("POST", at + path, body)["data"]

    cut = add("/services", {"name": "Coupe", "description": "Shampooing", "duration_minutes": 30})["id"]
    colour = add("/services", {"name": "Couleur", "duration_minutes": 90})["id"]
    service.team("PATCH", f"{at}/services/{colour}", {"active": False})
    camille = add("/staff", {"name": "Camille", "service_ids": [cut, colour]})["id"]
    add("/staff", {"name": "Sacha", "service_ids": [cut]})
    service.key = add("/keys", {"name": "tests", "scopes": SCOPES})["key"]
    revoked = add("/keys", {"name": "revoked", "scopes": ["business:read"]})["id"]
    service.team("DELETE", f"{at}/keys/{revoked}")

    for email, role in [("ada@example.com", "owner"), ("ben@example.com", "member"), ("zoe@example.com", "admin")]:
        person = add("/people", {"email": email, "role": role, "name": email[:3].title()})["id"]
        if role != "admin":
            enter(service, at, person)
    service.team("PATCH", f"{at}/people/{person}/notifications", {"call_missed": {"email": "daily"}})
    # The year is in the past, so that the tests never run on one of these days.
    year = datetime.now(timezone.utc).year - 1
    service.team("PUT", f"{at}/special-days/{year}-12-25", {"closed": True, "note": "Noël"})
    service.team("PUT", f"{at}/special-days/{year}-12-24", {"windows": [{"open": "08:00", "close": "12:00"}]})
    add(f"/staff/{camille}/time-off", {"from": f"{year}-08-01", "to": f"{year}-08-21", "note": "Congés"})
    service.team("PATCH", at, {"breaks": [{"day": "monday", "from": "12:00", "to": "13:00"}]})
    service.team("PATCH", f"{at}/retention", {"calls_days": 36_500})

    events = ["appointment.booked", "appointment.cancelled", "contact.created", "call.completed", "message.taken"]
    hook = service.client("POST", "/webhooks", {"url": "https://9.9.9.9/hook", "events": events})["data"]["id"]

    ada = service.client("POST", "/contacts", {"name": "Ada Lovelace", "phone": "+33612345678"}, "contact-1")["data"]["id"]
    service.client("PATCH", f"/contacts/{ada}", {"email": "ada@example.com"})
    service.client("POST", "/contacts", {"email": "nameless@example.com"})

    # The appointments start from 13:00 on, so they do not overlap the break on Mondays.
    day = (datetime.now(timezone.utc) + timedelta(days=3)).replace(hour=13, minute=0, second=0, microsecond=0)
    booked = []
    for number in range(12):
        body = {
            "service_id": cut,
            "starts_at": (day + timedelta(days=number // 4, minutes=30 * (number % 4))).isoformat(),
            "staff_id": camille,
        }
        if number == 0:
            body["contact_id"] = ada
        else:
            body["contact"] = {"name": f"Guest {number}", "phone": f"+3361234570{number % 5}"}
        booked.append(service.client("POST", "/appointments", body, f"booking-{number}")["data"]["id"])
    moved = {"starts_at": (day + timedelta(days=5)).isoformat()}
    service.client("POST", f"/appointments/{booked[1]}/reschedule", moved)
    service.client("POST", f"/appointments/{booked[2]}/cancel")

    now = datetime.now(timezone.utc).replace(microsecond=0)
    call = add("/calls", {
        "direction": "inbound", "status": "completed", "outcome": "message_taken", "from_number": "+33612345678",
        "started_at": (now - timedelta(minutes=5)).isoformat(), "ended_at": now.isoformat(), "summary": "é" * 3000,
    })["id"]
    add("/calls", {
        "direction": "inbound", "status": "missed", "outcome": "hangup", "from_number": "+33612345678",
        "started_at": (now - timedelta(hours=1)).isoformat(), "ended_at": (now - timedelta(minutes=59)).isoformat(),
    })
    message = add("/messages", {"call_id": call, "body": "Merci de rappeler."})["id"]
    service.team("PATCH", f"{at}/messages/{message}", {"status": "read"})
    add("/messages", {"body": "x" * 1900, "caller_name": "Paul", "urgency": "urgent"})
    for number, content in enumerate(["Fermé le lundi.", "é" * 20_000, "é" * 50_000]):
        service.client("POST", "/knowledge", {"title": f"Page {number}", "content": content}, f"knowledge-{number}")
    service.client("PATCH", f"/webhooks/{hook}", {"status": "disabled"})
    return business, hook, camille


def shown(service, business, hook, staff):
    """All data in both APIs: the list or record of each path."""
    at = f"/businesses/{business}"
    lists = {
        "public": [
            "/me", "/business", "/services", "/staff", "/appointments", "/appointments?updated_since=2000-01-01T00:00:00Z",
            "/contacts", "/contacts?q=guest", "/contacts?email=ada%40example.com", "/calls", "/messages",
            "/messages?status=read", f"/webhooks/{hook}", "/webhooks",
        ],
        "operator": ["/businesses", at, f"{at}/services", f"{at}/staff", f"{at}/keys", f"{at}/webhooks",
                     f"{at}/webhooks/{hook}/deliveries", f"{at}/audit", f"{at}/people", f"{at}/special-days",
                     f"{at}/staff/{staff}/time-off", f"{at}/retention"],
    }
    public = {}
    for path in lists["public"]:
        public[path] = service.client("GET", path)["data"]
        for row in public[path] if path in ("/appointments", "/contacts", "/calls") else []:
            public[f"{path}/{row['id']}"] = service.client("GET", f"{path}/{row['id']}")["data"]
    operator = {}
    for path in lists["operator"]:
        page = service.team("GET", path)
        operator[path] = page["data"]
        while page.get("next_cursor"):
            page = service.team("GET", f"{path}?cursor={page['next_cursor']}")
            operator[path] += page["data"]
    return {"business": business, "key": service.key, "public": public, "operator": operator}


def main(program, out):
    with tempfile.TemporaryDirectory() as home:
        directory = os.path.join(home, "data")
        service = Service(program, directory)
        business, hook, staff = fill(service)
        # The service writes these records last, shortly before it is killed.
        service.team("PATCH", f"/businesses/{business}/staff/{staff}", {"name": "Camille"})
        service.client("POST", "/contacts", {"name": "Grace Hopper", "phone": "+33612345679"})
        all_of_it = shown(service, business, hook, staff)
        service.kill()
        with open(f"{out}.json", "w") as file:
            json.dump(all_of_it, file, indent=1, ensure_ascii=False, sort_keys=True)
        left_out = [f"--exclude=./{name}" for name in ("lock", "ballast", "admin-token")]
        names = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]
        archive = subprocess.run(["tar", "-C", directory, "-c", *names, *left_out, "."], check=True, capture_output=True)
        with open(f"{out}.tar.gz", "wb") as file:
            file.write(subprocess.run(["gzip", "-9n"], input=archive.stdout, check=True, capture_output=True).stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
