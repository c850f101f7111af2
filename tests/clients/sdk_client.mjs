// Carries calls out by the official TypeScript SDK.
//
// The argument is a folder whose node_modules hold the SDK. Standard input is one JSON object: `calls`, and either
// `command` or `url` with `token`. Standard output is one JSON line for what the server says of itself, then one for
// each result.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const sdk = createRequire(`${process.argv[2]}/package.json`);
const { Client } = sdk("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = sdk("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = sdk("@modelcontextprotocol/sdk/client/streamableHttp.js");

const DEADLINE_MS = 120_000;

function transport(wanted) {
  if (wanted.command) {
    const [command, ...args] = wanted.command;
    return new StdioClientTransport({ command, args });
  }
  const headers = { Authorization: `Bearer ${wanted.token}` };
  return new StreamableHTTPClientTransport(new URL(wanted.url), { requestInit: { headers } });
}

const say = (message) => console.log(JSON.stringify(message));

const wanted = JSON.parse(readFileSync(0, "utf8"));
const client = new Client({ name: "typescript-sdk", version: "1" });
await client.connect(transport(wanted));
const { tools } = await client.listTools();
say({ instructions: client.getInstructions() ?? "", tools: tools.map((tool) => tool.name) });
for (const [name, args] of wanted.calls) {
  say(await client.callTool({ name, arguments: args }, undefined, { timeout: DEADLINE_MS }));
}
await client.close();
