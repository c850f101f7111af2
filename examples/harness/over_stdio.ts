// A harness in small: attaches landfall over stdio and makes one edit. Usage: node over_stdio.ts WORKSPACE
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

type Result = { content: { text: string }[]; isError: boolean; structuredContent: { file?: string } };

const landfall = spawn("landfall", ["mcp", "--structured", "--workspace", process.argv[2]], {
  stdio: ["pipe", "pipe", "inherit"],
});
const waiting = new Map<number, (result: any) => void>();
createInterface({ input: landfall.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  waiting.get(message.id)?.(message.result); // answers come in any order: calls may run side by side
});
const send = (message: object) => landfall.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
let last = 0;
function request(method: string, params: object): Promise<any> {
  const id = ++last;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}
const call = (name: string, args: object): Promise<Result> => request("tools/call", { name, arguments: args });

const clientInfo = { name: "my-harness", version: "1" };
const opening = await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
send({ method: "notifications/initialized" });
const system: string = opening.instructions; // belongs into the system prompt
const { tools } = await request("tools/list", {}); // name, description, inputSchema: what a model is given
const result = await call("edit", { file_path: "hello.txt", old_string: "world", new_string: "moon" });
console.log(result.content[0].text); // for the model: the first line is the state of the disk
console.log(tools.length, `tools; ${result.isError ? "refused" : "landed"}`, result.structuredContent.file);
landfall.stdin.end();
