// A harness in small: speaks to a running `landfall serve` over its socket. Usage: node over_socket.ts WORKSPACE
import { execFileSync } from "node:child_process";
import { connect } from "node:net";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

type Result = { text: string; is_error: boolean; structured: { file?: string } };

const [daemon] = JSON.parse(execFileSync("landfall", ["status", "--json"], { encoding: "utf8" })).daemons;
const socket = connect(daemon.socket);
const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
async function exchange(message: object): Promise<any> {
  socket.write(JSON.stringify(message) + "\n");
  const { value, done } = await lines.next();
  if (done) throw new Error("landfall has ended");
  return JSON.parse(value);
}
const call = (tool: string, args: object): Promise<Result> => exchange({ tool, arguments: args });

const ask = { ask: "calls", workspaces: [resolve(process.argv[2])] }; // one session, with a ledger of its own
const welcome = await exchange({ landfall: daemon.version, ...ask });
if (welcome.refused) throw new Error(`landfall refused: ${welcome.refused}`);
const result = await call("edit", { file_path: "hello.txt", old_string: "world", new_string: "moon" });
console.log(result.text); // for the model: the first line is the state of the disk
console.log(result.is_error ? "refused" : "landed", result.structured.file);
socket.end();
