// A receiver of webhooks in JavaScript. It uses the official Standard Webhooks library: npm install
// standardwebhooks.
//
// Usage: node receiver.js PORT CERT.pem KEY.pem SECRET-FILE
// It prints `verified TYPE ID` for each delivery with a valid signature. The response is 204, or 400 for an
// invalid signature.
const fs = require("fs");
const https = require("https");
const { Webhook } = require("standardwebhooks");

const [port, cert, key, secretFile] = process.argv.slice(2);

https
  .createServer({ cert: fs.readFileSync(cert), key: fs.readFileSync(key) }, async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("utf8");
    try {
      const event = new Webhook(fs.readFileSync(secretFile, "utf8").trim()).verify(body, request.headers);
      console.log("verified", event.type, request.headers["webhook-id"]);
      response.writeHead(204).end();
    } catch (error) {
      console.log("refused", error.message);
      response.writeHead(400).end();
    }
  })
  .listen(Number(port));
