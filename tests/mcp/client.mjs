// A client with the official JavaScript library, major version 2. It uses both transports of the protocol.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { deal } from "./deal.mjs";

const { BASE, KEY, BINARY } = process.env;
const headers = { Authorization: `Bearer ${KEY}` };
const env = { RECEPTIONIST_URL: BASE, RECEPTIONIST_API_KEY: KEY };
let later = 3;
for (const mode of ["legacy", "auto"]) {
  const open = async (transport) => {
    const client = new Client({ name: "client", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(transport);
    console.log(`${mode}: ${client.getNegotiatedProtocolVersion?.() ?? "?"}`);
    return client;
  };
  const http = new StreamableHTTPClientTransport(new URL(`${BASE}/mcp`), { requestInit: { headers } });
  await deal(await open(http), `client-${mode}-http`, later++);
  const stdio = new StdioClientTransport({ command: BINARY, args: ["mcp"], env });
  await deal(await open(stdio), `client-${mode}-stdio`, later++);
}
