import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { onTerminal } from "./on-terminal.ts";
import { type CommandedRelease, commandedRelease } from "./release-commands.ts";
import { svcPath } from "./run-svc.ts";
import { writePod } from "./store-pods.ts";

const TIMEOUT_MS = 240_000;
const ESCAPE = "\u001B";
const CLEAR = `\r${ESCAPE}[K`;
const started = new AsyncDisposableStack();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

async function newStore(size: number): Promise<CommandedRelease> {
  const store = await commandedRelease(cluster, { size });
  started.use(store.release);
  return store;
}

interface Screen {
  readonly columns: number;
  readonly kind: string | undefined;
}

/** Everything that a command writes to a terminal. */
async function shownBy(
  { release, environment: variables }: CommandedRelease,
  words: string,
  { columns, kind }: Screen,
): Promise<string> {
  // script(1) gives its own TERM on, or none.
  const term = kind === undefined ? "env -u TERM " : `env TERM=${kind} `;
  const line = `${term}${svcPath} secretstore ${words}`;
  const { hosts } = release;
  await using session = await onTerminal({ line, environment: variables, hosts, columns });
  await session.prints("<code ");
  const [shown = ""] = (await session.ended).stdout.toString().split("<code ");
  return shown;
}

const steps = [
  "created    initialise the store, and keep its keys",
  "updated    unseal store-0",
  "created    join the cluster: store-1",
  "updated    unseal store-1",
  "created    join the cluster: store-2",
  "updated    unseal store-2",
  "updated    note the cluster in the secret",
  "created    KV version 2 engine at secret/",
  "created    Kubernetes auth method at auth/kubernetes/",
  "created    its token review by https://127.0.0.1:PORT",
  "created    policy svc",
  "created    role svc",
  "updated    note the set-up in the secret",
];

describe("on a terminal", () => {
  const columns = 50;
  let store: CommandedRelease;
  let shown = "";
  beforeAll(async () => {
    store = await newStore(3);
    shown = await shownBy(store, "init", { columns, kind: "xterm" });
  }, TIMEOUT_MS);

  test("the line of the step that runs is written over", () => {
    expect(shown).toContain(`${CLEAR}  working    unseal store-0`);
    expect(shown).toContain(`${CLEAR}  working    policy svc${CLEAR}  created    policy svc\r\n`);
  });

  test("a line that is written over fits into the columns", () => {
    // It begins at a line that was cleared, and nothing ends it but the next clearing.
    const drawn = shown.split(CLEAR).filter((it) => it !== "" && !it.includes("\n"));
    expect(drawn.length).toBeGreaterThan(10);
    expect(drawn.filter((it) => it.length >= columns)).toEqual([]);
    expect(drawn.some((it) => it.length === columns - 1)).toBe(true);
  });

  test("in the end every step is there once, and no other line", () => {
    const lines = screenOf(shown).filter((line) => /^ {2}\S/.test(line));
    // The pod that a leader is there for first joins first.
    expect(lines.map(stepOf).toSorted()).toEqual(steps.toSorted());
  });

  test("that line shows the reason for a wait, and is gone in the end", async () => {
    await writePod(cluster.kube, store.release, { index: 3, phase: "Pending" });
    const waited = await shownBy(store, "unseal --wait=10s", { columns, kind: "xterm" });
    expect(waited).toContain(`${CLEAR}  working    waiting: store-3 is Pending`);
    expect(screenOf(waited).filter((line) => line.includes("working"))).toEqual([]);
    expect(screenOf(waited)).toContain("svc: error: unseal the store's pods: store-3 is Pending");
  });

  test("no other escape sequence is used", () => {
    expect(shown.replaceAll(CLEAR, "")).not.toContain(ESCAPE);
  });
});

describe("without a terminal that can write over a line", () => {
  for (const kind of ["dumb", undefined]) {
    test(`there are plain lines: TERM ${kind ?? "is not set"}`, async () => {
      const store = await newStore(1);
      const shown = await shownBy(store, "init", { columns: 50, kind });
      expect(shown).not.toContain(ESCAPE);
      expect(shown).not.toMatch(/\r(?!\n)/);
      expect(shown).toContain("\r\n  created    role svc\r\n");
    });
  }

  test("there are plain lines: a pipe", async () => {
    const store = await newStore(1);
    const { stdout, stderr } = await store.svc(["init"]);
    expect(stdout + stderr).not.toContain(ESCAPE);
    expect(stdout + stderr).not.toContain("\r");
    const once = steps.filter((step) => !step.includes("store-1") && !step.includes("store-2"));
    const lines = stdout.split("\n").filter((line) => /^ {2}(created|updated)/.test(line));
    expect(lines.map(stepOf)).toEqual(once);
  });
});

describe("with -o json", () => {
  const types = ["step", "waiting", "warning", "error", "result"];
  let store: CommandedRelease;
  beforeAll(async () => {
    store = await newStore(3);
  }, TIMEOUT_MS);

  // In this order: each finds the state that the one before has left.
  const commands: readonly (readonly [readonly string[], string, number])[] = [
    [["status"], "result", 2],
    [["unseal"], "error", 125],
    [["init", "--dry-run"], "result", 0],
    [["init"], "result", 0],
    [["init"], "result", 0],
    [["unseal"], "result", 0],
    [["status"], "result", 0],
    [["init", "--shamir-shares=0", "--role-ttl=x"], "error", 125],
    [["init", "--kv-path=auth"], "error", 125],
    [["unseal", "--output-secret=nothing"], "error", 125],
    [["status", "--kubeconfig=/nonexistent"], "error", 125],
  ];
  for (const [at, [words, last, status]] of commands.entries()) {
    test(`${at + 1}: every line of ${words.join(" ")} is an object, the last one its ${last}`, async () => {
      const { exitCode, stdout, stderr } = await store.svc([...words, "-o", "json"]);
      expect([exitCode, stderr]).toEqual([status, ""]);
      const told = linesOf(stdout);
      expect(told.map(({ type }) => String(type)).filter((it) => !types.includes(it))).toEqual([]);
      expect(told.at(-1)).toMatchObject({ type: last });
      const ends = told.filter(({ type }) => type === "result" || type === "error");
      expect(ends.filter(({ type }) => type !== last)).toEqual([]);
    });
  }

  test("on a terminal it is the same", async () => {
    const shown = await shownBy(store, "init -o json", { columns: 50, kind: "xterm" });
    expect(shown).not.toContain(ESCAPE);
    expect(linesOf(shown.replaceAll("\r\n", "\n")).at(-1)).toMatchObject({
      ...{ type: "result", dryRun: false, changes: 0, shares: 5, threshold: 3 },
    });
  });
});

/** The screen of a terminal after lines were cleared and written again. */
function screenOf(shown: string): readonly string[] {
  return shown.split("\r\n").map((line) => line.split(CLEAR).at(-1) ?? "");
}

function stepOf(line: string): string {
  return line.trim().replace(/:\d+$/, ":PORT");
}

function linesOf(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
