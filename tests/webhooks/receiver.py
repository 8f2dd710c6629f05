"""A receiver of webhooks in Python, with the official Standard Webhooks library: pip install standardwebhooks.

Usage: receiver.py PORT CERT.pem KEY.pem SECRET-FILE
Prints `verified TYPE ID` for each delivery with a valid signature. The response is 204, or 400 for an invalid signature.
"""

import http.server
import json
import ssl
import sys

from standardwebhooks.webhooks import Webhook

port, cert, key, secret_file = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            Webhook(open(secret_file).read().strip()).verify(body, dict(self.headers))
            print("verified", json.loads(body)["type"], self.headers["webhook-id"], flush=True)
            self.send_response(204)
        except Exception as error:
            print("refused", error, flush=True)
            self.send_response(400)
            self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("", port), Receiver)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(cert, key)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
