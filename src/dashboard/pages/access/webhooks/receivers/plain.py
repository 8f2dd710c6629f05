import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def verified(headers, body):
    try:
        at = int(headers["webhook-timestamp"])
        if abs(time.time() - at) > 300:
            return False
        signed = f"{headers['webhook-id']}.{at}.".encode() + body
        wanted = base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256)).decode()
        given = [part.split(",", 1)[1] for part in headers["webhook-signature"].split() if part.startswith("v1,")]
        return any(hmac.compare_digest(one, wanted) for one in given)
    except (TypeError, ValueError, AttributeError):  # a header is missing, or none of ours
        return False

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))  # the bytes as they came
        good = verified(self.headers, body)
        if good:
            print(json.loads(body)["type"], self.headers["webhook-id"])
        self.send_response(204 if good else 400)
        self.end_headers()

ThreadingHTTPServer(("", 8000), Receiver).serve_forever()
