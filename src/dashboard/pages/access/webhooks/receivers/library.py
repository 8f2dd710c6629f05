# pip install standardwebhooks
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))  # the bytes as they came
        try:
            event = Webhook(os.environ["WEBHOOK_SECRET"]).verify(body, dict(self.headers))
            print(event["type"], self.headers["webhook-id"])
            self.send_response(204)
        except WebhookVerificationError:
            self.send_response(400)
        self.end_headers()

ThreadingHTTPServer(("", 8000), Receiver).serve_forever()
