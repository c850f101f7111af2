// The page for people in a real browser: Debian's chromium, driven by playwright-core.
//
//   PLAYWRIGHT=DIR LANDFALL=PROGRAM [SHOTS=DIR] node --test tests/browser/page.test.mjs
//
// PLAYWRIGHT is a folder whose node_modules hold playwright-core, LANDFALL the program. Pictures of the page are put into
// SHOTS. What is missing (a browser, gopls) is named and the tests are skipped, unless BROWSER_REQUIRED is set.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { Agent, Service } from "./service.mjs";

const { PLAYWRIGHT = ".", LANDFALL = "landfall", SHOTS, BROWSER_REQUIRED } = process.env;
// A machine that others use as well may stand still for seconds.
const DEADLINE_MS = 60_000;
// Without these a browser looks up addresses of its maker's.
const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

function missing() {
  if (!existsSync("/usr/bin/chromium")) return "chromium is not installed";
  if (!existsSync(join(PLAYWRIGHT, "node_modules/playwright-core"))) return `no playwright-core below ${PLAYWRIGHT}`;
  if (spawnSync("gopls", ["version"]).status !== 0) return "gopls is not on PATH";
  return false;
}

const skip = BROWSER_REQUIRED ? false : missing();
let browser, service, agent;

before(async () => {
  if (skip) return;
  assert.equal(missing(), false);
  const { chromium } = createRequire(join(PLAYWRIGHT, "package.json"))("playwright-core");
  service = new Service(LANDFALL);
  await service.start();
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: QUIET });
  agent = await Agent.begin(service);
});

after(async () => {
  await browser?.close();
  await service?.stop();
  service?.remove();
});

/** A page of a browser without cookies; `complaints` are its errors, and what it fetched from elsewhere. */
async function visit(options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(DEADLINE_MS);
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => request.url().startsWith(service.url) || complaints.push(`fetched ${request.url()}`));
  return { page, context, complaints };
}

async function logIn(page, token = service.token) {
  await page.goto(service.url);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
}

async function logInAndWatch(options) {
  const visited = await visit(options);
  await logIn(visited.page);
  await visited.page.getByText("live", { exact: true }).waitFor();
  return visited;
}

/** The line of what happens that says all of `words`. */
function happened(page, ...words) {
  return words.reduce((rows, hasText) => rows.filter({ hasText }), page.locator("#log > li")).first();
}

test("the token lets in, and nothing else does", { skip }, async () => {
  const { page, context } = await visit();
  await logIn(page, "not-the-token");
  await page.getByRole("alert").getByText("That is not the token").waitFor();
  assert.deepEqual(await context.cookies(), []);
  assert.equal((await page.request.get(`${service.url}/events`)).status(), 401);

  await logIn(page);
  await page.getByText("live", { exact: true }).waitFor();
  const [cookie, ...others] = await context.cookies();
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path, others], [true, "Strict", "/", []]);
  assert.ok(!cookie.value.includes(service.token), "the token itself is not kept in the browser");
  assert.equal((await page.request.post(`${service.url}/mcp`, { data: {} })).status(), 401, "a cookie is not for agents");

  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByLabel("Token").waitFor();
  await context.addCookies([cookie]);
  assert.equal((await page.request.get(`${service.url}/events`)).status(), 401, "a cookie that was given back is dead");
  await context.close();
});

test("what an agent does appears by itself", { skip }, async () => {
  const { page, context, complaints } = await logInAndWatch();

  const landed = await agent.edit("account/account.go", "    a.balance += amount\n    return nil", "\ta.balance += fee(amount)\n\treturn nil");
  assert.match(landed, /^edited account\/account\.go/);
  const row = happened(page, "edited", "account/account.go");
  await row.getByText("undefined: fee").waitFor();
  await row.getByText("matched by").waitFor();
  await page.getByRole("heading", { name: "1 change landed, none refused" }).waitFor();

  const mistyped = join(service.folder, "shpo", "account/account.go");
  assert.match(await agent.edit(mistyped, "fee(amount)", "amount"), /^edited account\/account\.go/);
  await happened(page, "edited", "clean").getByText("path put right: you typed …/shpo").waitFor();

  assert.match(await agent.edit("ledger/ledgr.txt", "one", "two"), /^Nothing was written/);
  const open = page.getByRole("region", { name: "Refused, and not made good" });
  await open.getByText("ledger/ledgr.txt", { exact: true }).waitFor();
  await open.getByText("path_not_found").waitFor();
  await open.getByText("not made good: the tree lacks it").waitFor();
  await page.getByRole("heading", { name: "Language servers" }).waitFor();
  await page.locator("#servers").getByText("gopls").first().waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("what agents write stays text", { skip }, async () => {
  const { page, context, complaints } = await logInAndWatch();
  const hostile = `account/"><img src=x onerror=alert(1)><script>alert(2)</script>\u202Eog.txt`;
  assert.match(await agent.edit(hostile, "<b>one</b>", "</template><script>alert(3)</script>"), /^Nothing was written/);
  const row = happened(page, "<img src=x onerror=alert(1)>");
  await row.waitFor();
  assert.equal(await page.locator("img, #log script, #open script").count(), 0);
  assert.ok(!(await row.innerText()).includes("\u202E"), "what turns the direction of writing is shown as what it is");
  await page.reload();
  await happened(page, "<img src=x onerror=alert(1)>").waitFor();
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a report is one file that needs nothing else", { skip }, async () => {
  const { page, context, complaints } = await visit();
  const file = join(service.folder, "report.html");
  service.run("report", "--html", "--output", file);
  const { href } = pathToFileURL(file);
  await page.goto(href);
  await page.getByRole("heading", { name: "2 changes landed" }).waitFor();
  await page.getByText("ledger/ledgr.txt", { exact: true }).first().waitFor();
  assert.deepEqual(complaints.filter((complaint) => complaint !== `fetched ${href}`), []);
  await context.close();
});

test("it can be read on a phone and in the dark", { skip }, async () => {
  const file = pathToFileURL(join(service.folder, "report.html")).href;
  if (SHOTS) mkdirSync(SHOTS, { recursive: true });
  for (const [width, height] of [[1280, 900], [390, 844], [320, 640]]) {
    for (const colorScheme of ["light", "dark"]) {
      const options = { viewport: { width, height }, colorScheme };
      const { page, context } = await visit(options);
      const look = async (name) => {
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(wide, 0, `${name} scrolls sideways at ${width} pixels`);
        if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      };
      await page.goto(service.url);
      await look("login");
      await logIn(page);
      await page.getByText("live", { exact: true }).waitFor();
      await look("page");
      await page.getByRole("link", { name: "Report" }).first().click();
      await page.getByText("ledger/ledgr.txt", { exact: true }).first().waitFor();
      await look("session");
      await page.goto(file);
      await look("report");
      await context.close();
    }
  }
});

test("a page whose service is gone says so, and how to go on", { skip }, async () => {
  const { page, context } = await logInAndWatch();
  await service.stop();
  await page.getByText("connection lost, trying again").waitFor();
  await service.start();
  // The cookie was the former service's.
  await page.getByText("not connected: load this page again").waitFor();
  await logInAndWatch();
  await page.reload();
  await page.getByLabel("Token").waitFor();
  await context.close();
});
