// A harness in small: speaks MCP over HTTP to `landfall serve --http`. Usage: node over_http.ts URL TOKEN_FILE WORKSPACE
import { readFileSync } from "node:fs";

type Result = { content: { text: string }[]; isError: boolean; structuredContent: { file?: string } };

const [url, tokenFile, workspace] = process.argv.slice(2);
const headers: Record<string, string> = {
  Authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  "Landfall-Workspace": workspace,
  "Landfall-Structured": "true",
};
async function post(message: object): Promise<any[]> {
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  headers["Mcp-Session-Id"] ??= answer.headers.get("Mcp-Session-Id") ?? "";
  const lines = (await answer.text()).split("\n").map((line) => line.replace(/^data:/, "").trim());
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
}
let last = 0;
async function request(method: string, params: object): Promise<any> {
  const id = ++last;
  return (await post({ id, method, params })).find((message) => message.id === id).result;
}
const call = (name: string, args: object): Promise<Result> => request("tools/call", { name, arguments: args });

const clientInfo = { name: "my-harness", version: "1" };
const opening = await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
await post({ method: "notifications/initialized" });
const system: string = opening.instructions; // belongs into the system prompt
const result = await call("edit", { file_path: "hello.txt", old_string: "world", new_string: "moon" });
console.log(result.content[0].text); // for the model: the first line is the state of the disk
console.log(result.isError ? "refused" : "landed", result.structuredContent.file);
