// `landfall serve --http` with folders of its own, and agents that work through it.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const FIXTURE = new URL("../../fixtures/workspaces/go", import.meta.url).pathname;

export class Service {
  constructor(program) {
    // Short, because a socket's path may not be long.
    this.folder = mkdtempSync(join(tmpdir(), "lf-"));
    this.root = join(this.folder, "shop");
    cpSync(FIXTURE, this.root, { recursive: true });
    this.program = program;
    this.environment = { ...process.env };
    for (const [name, short] of [["RUNTIME_DIR", "r"], ["STATE_HOME", "s"], ["CACHE_HOME", "c"], ["CONFIG_HOME", "o"]]) {
      const folder = join(this.folder, short);
      mkdirSync(folder, { mode: 0o700 });
      this.environment[`XDG_${name}`] = folder;
    }
    this.port = 0;
  }

  /** Starts it, where it was before. */
  async start() {
    const command = ["serve", "--http", `127.0.0.1:${this.port}`, "--token-file", join(this.folder, "token"), "--root", this.root];
    const options = { env: this.environment, cwd: this.folder, stdio: ["ignore", "pipe", "inherit"] };
    this.process = spawn(this.program, command, options);
    for await (const line of createInterface({ input: this.process.stdout })) {
      const said = /^serving http on (http:\/\/[^:]+:(\d+))\/mcp$/.exec(line);
      if (!said) continue;
      [this.url, this.port] = [said[1], Number(said[2])];
      this.token = readFileSync(join(this.folder, "token"), "utf8").trim();
      return;
    }
    throw new Error("it ended before it served");
  }

  async stop() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "exit");
    this.process.kill("SIGTERM");
    await ended;
  }

  /** Another subcommand beside it; what it prints. */
  run(...command) {
    const { status, stdout, stderr } = spawnSync(this.program, command, { env: this.environment, cwd: this.folder, encoding: "utf8" });
    if (status !== 0) throw new Error(`landfall ${command.join(" ")}: ${stderr}`);
    return stdout;
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class Agent {
  static async begin(service) {
    const agent = new Agent();
    agent.url = `${service.url}/mcp`;
    agent.headers = {
      Authorization: `Bearer ${service.token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    };
    const clientInfo = { name: "browser-test", version: "1" };
    const opening = await agent.post({ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
    agent.headers["Mcp-Session-Id"] = opening.headers.get("Mcp-Session-Id");
    await agent.post({ method: "notifications/initialized" });
    return agent;
  }

  async post(message) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    const answer = await fetch(this.url, { method: "POST", headers: this.headers, body });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return { headers: answer.headers, text: await answer.text() };
  }

  /** The text of a tool's result. */
  async call(name, args) {
    const { text } = await this.post({ id: 1, method: "tools/call", params: { name, arguments: args } });
    const messages = text.split("\n").map((line) => line.replace(/^data:/, "").trim()).filter((line) => line.startsWith("{"));
    return JSON.parse(messages.at(-1)).result.content[0].text;
  }

  /** What is in `file` is exchanged; the text of the result. */
  edit(file, old, fresh) {
    return this.call("edit", { file_path: file, old_string: old, new_string: fresh });
  }
}
