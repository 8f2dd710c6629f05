// A client with the official JavaScript library, major version 1.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { deal } from "./deal.mjs";

const { BASE, KEY, BINARY } = process.env;
const open = async (transport) => {
  const client = new Client({ name: "sdk", version: "1" });
  await client.connect(transport);
  return client;
};
const headers = { Authorization: `Bearer ${KEY}` };
await deal(await open(new StreamableHTTPClientTransport(new URL(`${BASE}/mcp`), { requestInit: { headers } })), "sdk-http", 1);
const env = { RECEPTIONIST_URL: BASE, RECEPTIONIST_API_KEY: KEY };
await deal(await open(new StdioClientTransport({ command: BINARY, args: ["mcp"], env })), "sdk-stdio", 2);
