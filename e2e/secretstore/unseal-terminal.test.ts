import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import type { RunningWrapper } from "../harness/wrapper/wrapper-process.ts";
import { startCluster } from "./cluster.ts";
import { onTerminal } from "./on-terminal.ts";
import {
  type CommandedRelease,
  commandedRelease,
  progressOf,
  sealAll,
} from "./release-commands.ts";
import { svcPath } from "./run-svc.ts";

const TIMEOUT_MS = 240_000;
const CTRL_C = "\x03";
const CTRL_D = "\x04";
const started = new AsyncDisposableStack();
let store: CommandedRelease;
let shares: readonly string[];
let rootToken: string;

beforeAll(async () => {
  const cluster = started.use(await startCluster());
  store = await commandedRelease(cluster, { storage: "inmem" });
  started.use(store.release);
  const split = ["--shamir-shares=3", "--shamir-threshold=2"];
  expect((await store.svc(["init", ...split])).exitCode).toBe(0);
  const { "root-token": token = "", ...others } = await store.keys();
  rootToken = token;
  shares = Object.values(others);
}, TIMEOUT_MS);
beforeEach(() => sealAll(store.release, rootToken));
afterAll(() => started.disposeAsync());
expectNothingLeft();

test("every share is asked for, and typed text is not shown", async () => {
  await using session = await unseal();
  await session.prints(question(0));
  session.type(`${shares[0]}\n`);
  await session.prints(question(1));
  session.type(`${shares[2]}\n`);
  await session.prints("done: every pod is unsealed");
  await expectTerminalBack(session, 0);
  expect(await progressOf(store.release)).toEqual([undefined]);
});

test("several that are pasted at once are all taken", async () => {
  await using session = await unseal();
  await session.prints(question(0));
  session.type(`${shares[0]}\n${shares[1]}\n${shares[2]}\n`);
  await session.prints("done: every pod is unsealed");
  await expectTerminalBack(session, 0);
});

test("Ctrl-D ends the questions, and the shares that were given count", async () => {
  await using session = await unseal();
  await session.prints(question(0));
  session.type(`${shares[1]}\n`);
  await session.prints(question(1));
  session.type(CTRL_D);
  await session.prints("store-0: 1 of 2 shares were given");
  await expectTerminalBack(session, 125);
  expect(await progressOf(store.release)).toEqual([1]);
});

test("Ctrl-C ends the command with 130, and the terminal shows typed text again", async () => {
  await using session = await unseal();
  await session.prints(question(0));
  session.type(CTRL_C);
  await session.prints("stopped by SIGINT");
  await expectTerminalBack(session, 130);
  expect(await progressOf(store.release)).toEqual([0]);
});

test("a line that is not a share ends it, and is not shown", async () => {
  await using session = await unseal();
  await session.prints(question(0));
  session.type("hunter2\n");
  await session.prints("neither base64 nor hexadecimal");
  await expectTerminalBack(session, 125);
  expect(session.stdout().toString()).not.toContain("hunter2");
});

test("the token is asked for in the same way", async () => {
  await store.svc(["unseal"]);
  await using session = await command("init --token-stdin");
  await session.prints("Token (not shown): ");
  session.type(`${rootToken}\n`);
  await session.prints("nothing changed");
  await expectTerminalBack(session, 0);
});

const unseal = () => command("unseal --shares-stdin");

function command(words: string): Promise<RunningWrapper> {
  const line = `${svcPath} secretstore ${words}`;
  const { hosts } = store.release;
  const environment = { ...store.environment, TERM: "xterm" };
  return onTerminal({ line, environment, hosts, columns: 100 });
}

function question(given: number): string {
  return `Key share for store-0 (${given} of 2 given; not shown; Ctrl-D ends): `;
}

/** Ends the session. */
async function expectTerminalBack(session: RunningWrapper, exitCode: number): Promise<void> {
  await session.prints(`<code ${exitCode}>`);
  const shown = (await session.ended).stdout.toString();
  expect(shown.split(`<code ${exitCode}>`)[1]).toMatch(/(?<!-)\becho\b.*/);
  expect(shown).toContain(" icanon");
  const typed = [rootToken, ...shares];
  expect(typed.filter((it) => shown.includes(it))).toEqual([]);
}
