// Forwards requests to the service and adds an API key, because the conformance suite cannot send one. The
// headers Host and Origin stay unchanged.
import http from "node:http";

const { BASE, KEY } = process.env;
const { hostname, port } = new URL(BASE);
const server = http.createServer((request, response) => {
  const headers = { ...request.headers, authorization: `Bearer ${KEY}` };
  const onward = http.request({ hostname, port, path: request.url, method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  onward.on("error", () => response.destroy());
  request.pipe(onward);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
