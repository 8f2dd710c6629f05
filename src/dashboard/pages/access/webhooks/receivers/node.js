// npm install standardwebhooks
const { Webhook } = require("standardwebhooks");
const webhook = new Webhook(process.env.WEBHOOK_SECRET);

require("http").createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = webhook.verify(Buffer.concat(chunks), request.headers); // the bytes as they came
    console.log(event.type, request.headers["webhook-id"]);
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end();
  }
}).listen(8000);
