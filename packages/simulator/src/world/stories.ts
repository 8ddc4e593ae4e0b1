import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "./scenario.ts";

/** The parts of a story that differ from the plain one. */
interface Story extends Partial<Omit<Scenario, "seed" | "story">> {
  /** Lines that a schedule may leave out. */
  readonly loose?: RegExp;
}

const calm = { refusal: 0, courierEnd: 0, programEnd: 0, signal: 0, short: 0 };
const steady = { ignores: [], children: [] };

/** A start, a check and a stop. */
const plain: Omit<Scenario, "seed"> = {
  isFirstProcess: true,
  settings: {},
  login: { kind: "token" },
  slowestAnswerMs: 20,
  outages: [],
  floods: [],
  actions: [],
  disturbance: calm,
  programs: [steady],
  stopAtMs: 16_000,
};

/** Settings with which a check comes every ten seconds, and a rotation at once. */
const quick = {
  RENEWAL_INTERVAL: "10s",
  SVC_ROTATION_SPLAY: "0s",
  SVC_ROTATION_DEBOUNCE: "0s",
  SVC_ROTATION_MIN_INTERVAL: "0s",
  SVC_LOG_LEVEL: "debug",
};

const kubernetes = (tokenMs: number) => ({ kind: "kubernetes", tokenMs }) as const;
const leases = {
  SVC_SECRET_PATHS: "secret/data/app,secret/data/other,dynamic:dev-lease/db",
  SVC_ENV_MAP: "user=DB_USER,password=DB_PASSWORD;key=API_KEY;lease=LEASE",
};
/** A check that finds nothing, before another one that does. */
const quiet = /changed=false loggedIn=false leasesRenewed=0$|checks_total\{result="unchanged"\}/;
const changed = { kind: "change", atMs: 3000 } as const;
const agent = { isRequired: false, refuses: "none", outages: [], slowestMs: 20 } as const;
const always = { fromMs: 0, toMs: 90_000, part: 1 } as const;
const unseal = (atMs: number, isRight: boolean) =>
  ({ kind: "unseal wrapper", atMs, isRight }) as const;

/** Runs that go the same way by each schedule, by their names. */
export const stories: Readonly<Record<string, Story>> = {
  "a start, a check and a stop": {},
  "a login, a change and a restart": {
    login: kubernetes(60_000),
    actions: [changed],
    loose: quiet,
  },
  "another user, and a terminal": { user: 1000, hasTerminal: true, isFirstProcess: false },
  "systemd hears of a rotation": { hasSystemd: true, actions: [changed], isFirstProcess: false },
  "a token is renewed": { login: kubernetes(12_000), loose: quiet },
  "a token reaches its longest life": {
    login: kubernetes(12_000),
    role: { longestMs: 14_000 },
    loose: quiet,
  },
  "a token is revoked": {
    login: kubernetes(60_000),
    actions: [{ kind: "revoke tokens", atMs: 3000 }],
    loose: quiet,
  },
  "VAULT_TOKEN is revoked": { actions: [{ kind: "revoke root", atMs: 3000 }] },
  "a policy forbids metadata": {
    login: kubernetes(600_000),
    role: { denied: ["secret/metadata/*"] },
    actions: [{ kind: "change", atMs: 13_000 }],
    stopAtMs: 27_000,
  },
  "a policy forbids a secret": { login: kubernetes(60_000), role: { denied: ["secret/data/app"] } },
  "a secret is removed": { actions: [{ kind: "remove secret", atMs: 3000 }] },
  "a secret begins again with version 1": {
    actions: [
      { kind: "change", atMs: 3000 },
      { kind: "remove secret", atMs: 14_000 },
      { kind: "change", atMs: 14_500 },
    ],
    stopAtMs: 28_000,
  },
  "SIGHUP after a change": { settings: { SVC_ROTATION: "sighup" }, actions: [changed] },
  "SIGHUP from outside": {
    settings: { SVC_ROTATION: "sighup" },
    actions: [
      { kind: "signal", number: 1, atMs: 2000 },
      { kind: "change", atMs: 3000 },
      { kind: "signal", number: 1, atMs: 4000 },
    ],
    stopAtMs: 7000,
  },
  "no rotation revokes the login's token": {
    settings: { SVC_ROTATION: "none" },
    login: kubernetes(60_000),
    stopAtMs: 5000,
  },
  "no rotation keeps the token of leases": {
    settings: { ...leases, SVC_ROTATION: "none" },
    leased: { db: { data: { lease: "lease-canary" }, ttlMs: 60_000 } },
    login: kubernetes(60_000),
    stopAtMs: 5000,
  },
  "a lease is renewed": {
    settings: leases,
    leased: { db: { data: { lease: "lease-canary" }, ttlMs: 15_000 } },
    login: kubernetes(60_000),
    loose: quiet,
  },
  "a lease reaches its longest life": {
    settings: leases,
    leased: { db: { data: { lease: "lease-canary" }, ttlMs: 12_000, maxTtlMs: 15_000 } },
    login: kubernetes(600_000),
    stopAtMs: 18_000,
    loose: quiet,
  },
  "a sealed wrapper": {
    login: { kind: "sealed" },
    actions: [unseal(3000, false), unseal(5000, true), { kind: "change", atMs: 8000 }],
    stopAtMs: 23_000,
    loose: quiet,
  },
  "a sealed wrapper that is stopped": { login: { kind: "sealed" }, stopAtMs: 4000 },
  "a program that crashes": {
    settings: { SVC_RESTART: "on-failure", SVC_RESTART_MAX_DELAY: "2s" },
    programs: [{ ...steady, exits: { afterUs: 300_000, code: 3 } }, steady],
  },
  "a program that ends": { programs: [{ ...steady, exits: { afterUs: 5_000_000, code: 3 } }] },
  "a program that is killed": {
    actions: [{ kind: "signal program", number: 9, atMs: 5000 }],
  },
  "a program that ignores SIGTERM": {
    settings: { SVC_STOP_GRACE: "2s" },
    programs: [{ ignores: [15], children: [{ ignores: [15], children: [] }] }],
    stopAtMs: 3000,
  },
  "a program that leaves a child": {
    settings: { SVC_STOP_GRACE: "8s" },
    programs: [
      {
        ignores: [],
        exits: { afterUs: 5_000_000, code: 0 },
        children: [{ ignores: [15], children: [] }],
      },
    ],
  },
  "the wrapper becomes the program": {
    settings: { SVC_SUPERVISE: "never" },
    actions: [{ kind: "ask ready", atMs: 2000 }],
    stopAtMs: 4000,
  },
  "probes beside a program": {
    actions: [
      { kind: "ask ready", atMs: 2000 },
      { kind: "ask ready", command: "/bin/probe", atMs: 2500 },
      { kind: "ask ready", command: "/bin/absent", atMs: 3000 },
    ],
    stopAtMs: 4000,
  },
  "probes beside a sealed wrapper": {
    login: { kind: "sealed" },
    actions: [{ kind: "ask ready", command: "/bin/probe", atMs: 2000 }],
    stopAtMs: 4000,
  },
  "the parent ends": {
    isFirstProcess: false,
    endsWithParent: true,
    actions: [{ kind: "end parent", atMs: 5000 }],
  },
  "the parent ends, without pidfd_open": {
    isFirstProcess: false,
    endsWithParent: true,
    actions: [{ kind: "end parent", atMs: 5000 }],
    refusals: [{ call: "pidfd_open", error: "ENOSYS" }],
  },
  "an agent that has the program": {
    login: { kind: "file" },
    agent: { ...agent, isRequired: true },
  },
  "an agent that refuses the program": {
    login: { kind: "file" },
    agent: { ...agent, refuses: "programs" },
  },
  "an agent that has to have the program, and refuses it": {
    login: { kind: "file" },
    agent: { ...agent, refuses: "programs", isRequired: true },
    loose: /another tier/,
  },
  "an agent that refuses the wrapper": {
    login: { kind: "file" },
    agent: { ...agent, refuses: "streams" },
  },
  "an agent that is away at first": {
    login: { kind: "file" },
    agent: { ...agent, outages: [{ fromMs: 0, toMs: 6000 }] },
    loose: /score 15|missing points/,
  },
  "an agent that is always away": {
    login: { kind: "file" },
    settings: { SVC_START_DEADLINE: "5s" },
    agent: { ...agent, isRequired: true, outages: [{ fromMs: 0, toMs: 90_000 }] },
  },
  "a vault that is not there": {
    settings: { SVC_START_DEADLINE: "5s" },
    outages: [{ ...always, kind: "refused" }],
  },
  "a vault that is silent": {
    settings: { SVC_START_DEADLINE: "5s", VAULT_CLIENT_TIMEOUT: "2s" },
    outages: [{ ...always, kind: "silent" }],
  },
  "a vault that goes away": {
    settings: { SVC_STALE_AFTER: "20s" },
    outages: [{ ...always, kind: "unavailable", fromMs: 3000 }],
    stopAtMs: 40_000,
  },
  "a kernel without memfd_secret": { refusals: [{ call: "memfd_secret", error: "ENOSYS" }] },
  "a kernel that lacks a memory that is required": {
    settings: { SVC_REQUIRE_MEMFD_SECRET: "true" },
    refusals: [{ call: "memfd_secret", error: "ENOSYS" }],
  },
  "a limit of locked memory": {
    settings: { SVC_REQUIRE_MLOCK: "true" },
    refusals: [{ call: "lock secrets", error: "ENOMEM" }],
  },
  "pages that are not locked": { refusals: [{ call: "lock secrets", error: "ENOMEM" }] },
  "a limit of processes at the start": {
    refusals: [{ call: "fork", error: "EAGAIN" }],
  },
  "a limit of processes at a check": {
    refusals: [{ call: "fork", error: "EAGAIN", from: 2, times: 1 }],
  },
  "no memory for a process": { refusals: [{ call: "fork", error: "ENOMEM" }] },
  "too few descriptors": {
    arrival: { ignored: [], blocked: [], fds: [], descriptorLimit: 24 },
  },
  "too few descriptors for checks that never come": {
    settings: { SVC_ROTATION: "none" },
    arrival: { ignored: [], blocked: [], fds: [], descriptorLimit: 24 },
    stopAtMs: 4000,
  },
  "a program that may not be executed": { refusals: [{ call: "execve", error: "EACCES" }] },
  "a program without its interpreter": { refusals: [{ call: "execve", error: "ENOENT" }] },
};

const folder = join(import.meta.dirname, "../../testdata/stories");

/** The file in which a story is written down. */
export function storyPath(name: string): string {
  return join(folder, `${name.replaceAll(/\W+/g, "-")}.txt`);
}

const told = new Map<string, readonly string[]>();

/** The lines of a story. */
export function toldStory(name: string): readonly string[] {
  const lines = told.get(name) ?? readFileSync(storyPath(name), "utf8").trimEnd().split("\n");
  told.set(name, lines);
  return lines;
}

/** The scenario of a story, with the schedule of a seed. */
export function storyScenario(name: string, seed: number): Scenario {
  const { loose, ...story } = stories[name] ?? {};
  return { ...plain, ...story, settings: { ...quick, ...story.settings }, seed, story: name };
}
