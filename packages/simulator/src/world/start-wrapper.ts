import { WRAPPER_PATH } from "../host/host.ts";
import { type Description, newPipe, OpenFile } from "../machine/descriptions.ts";
import { type Machine, TERMINAL } from "../machine/machine.ts";
import { type Inheritance, Process, RLIMIT_NOFILE } from "../machine/process.ts";
import { signals } from "../machine/signals.ts";
import { errands } from "./errands.ts";
import { Launcher } from "./launcher.ts";
import { type Behaviour, ModelProgram } from "./model-program.ts";
import { OPERATOR_HOST, type OperatorPlan } from "./operator-plan.ts";
import type { Login, Scenario } from "./scenario.ts";
import {
  AGENT_TOKEN_PATH,
  JWT,
  JWT_PATH,
  OTHER_PATH,
  PATH,
  POD_TOKEN,
  POD_TOKEN_PATH,
  pemOf,
  REFRESH_PATH,
  ROOT_TOKEN,
  TLS_PATHS,
  TOKEN_PATH,
} from "./secrets.ts";
import { serveToken } from "./token-server.ts";

/** The health port. */
export const PORT = 8199;
/** The program's file. */
export const PROGRAM = "/bin/app";
/** The file that the kubelet reads. */
export const TERMINATION_LOG = "/dev/termination-log";
const LAUNCHER = "/sbin/launcher";
const PARENT = "/sbin/parent";
const RLIMIT_MEMLOCK = 8;
/** The agent's socket for logins. */
const LOGIN_SOCKET = "/run/login.sock";
/** The socket at which systemd listens. */
export const NOTIFY_SOCKET = "/run/notify";
/** The wrapper's name in /proc. */
const NAME = "svc-wrapper";
const VULNERABILITIES = "/sys/devices/system/cpu/vulnerabilities";
const encoder = new TextEncoder();

/** Starts the wrapper as the first process, or as a child of it. */
export function startWrapper(
  machine: Machine,
  scenario: Scenario,
  { output, log }: { readonly output: Description; readonly log: Description },
): Process {
  machine.files.add(JWT_PATH, "regular", { bytes: encoder.encode(JWT) });
  machine.files.add(TOKEN_PATH, "regular", { bytes: encoder.encode(ROOT_TOKEN) });
  machine.files.add(TERMINATION_LOG, "regular");
  machine.files.add(POD_TOKEN_PATH, "regular", { bytes: encoder.encode(POD_TOKEN) });
  machine.files.add(AGENT_TOKEN_PATH, "regular", { bytes: encoder.encode("for-the-agent") });
  machine.files.add(REFRESH_PATH, "regular");
  for (const [name, path] of Object.entries(TLS_PATHS))
    machine.files.add(path, "regular", { bytes: pemOf(`${name} 1`) });
  addKernelFiles(machine);
  const { login } = scenario;
  if (login.kind === "by the agent" && login.answer !== "no server") {
    machine.servers.set(LOGIN_SOCKET, serveToken(machine, login.answer));
  }
  const { user = 0, hasTerminal = false } = scenario;
  machine.user = user;
  const launcher = scenario.isFirstProcess ? undefined : startLauncher(machine);
  const parent = scenario.endsWithParent ? startParent(machine, launcher) : launcher;
  const process = new Process(
    parent === undefined ? 1 : machine.newPid(),
    parent,
    {
      argv: [WRAPPER_PATH, ...wordsOf(scenario, parent)].map((word) => encoder.encode(word)),
      environment: environmentOf(scenario),
    },
    limitedBy(scenario),
  );
  process.name = NAME;
  const nothing = new OpenFile(machine.files.find("/dev/null", process));
  const input = hasTerminal ? terminalOf(machine, process) : nothing;
  for (const description of [input, output, log]) process.open(description, false);
  for (const fd of scenario.arrival?.fds ?? []) process.open(nothing, false, fd);
  machine.start(WRAPPER_PATH, process);
  return process;
}

/** Files of the kernel that say how well memory is protected. */
function addKernelFiles({ files }: Machine): void {
  const add = (path: string, text: string) =>
    files.add(path, "regular", { bytes: encoder.encode(text) });
  add("/proc/sys/kernel/core_pattern", "core\n");
  files.add(VULNERABILITIES, "directory");
  add(`${VULNERABILITIES}/meltdown`, "Mitigation: PTI\n");
  add(`${VULNERABILITIES}/spectre_v2`, "Vulnerable\n");
}

/** The wrapper's group has the terminal, as a shell has given it. */
function terminalOf(machine: Machine, { group }: Process): OpenFile {
  machine.terminal = { foreground: group };
  return new OpenFile(machine.files.add(TERMINAL, "device"));
}

function limitedBy({ arrival }: Scenario): Partial<Inheritance> {
  if (arrival === undefined) return {};
  const { ignored, blocked, descriptorLimit, lockLimit } = arrival;
  const limit = (most: number) => ({ soft: BigInt(most), hard: BigInt(most) });
  const locked = lockLimit === undefined ? [] : [[RLIMIT_MEMLOCK, limit(lockLimit)] as const];
  return {
    ignored,
    blocked,
    limits: new Map([[RLIMIT_NOFILE, limit(descriptorLimit)], ...locked]),
  };
}

function wordsOf(
  { errand, endsWithParent = false }: Scenario,
  parent: Process | undefined,
): readonly string[] {
  if (errand !== undefined) return errands[errand].words;
  return [...(endsWithParent ? [`--end-with-parent=${parent?.pid}`] : []), "--", PROGRAM];
}

/** Starts `--once-ready`, as a container's runtime does it: no process of the machine is its parent. */
export function startProbe(
  machine: Machine,
  scenario: Scenario,
  command: readonly string[],
): { readonly process: Process; readonly output: Description } {
  const words = [WRAPPER_PATH, "--once-ready", ...command];
  const process = new Process(machine.newPid(), undefined, {
    argv: words.map((word) => encoder.encode(word)),
    environment: environmentOf(scenario),
  });
  process.name = NAME;
  const nothing = new OpenFile(machine.files.find("/dev/null", process));
  const { reads, writes } = newPipe();
  reads.references++;
  for (const description of [nothing, writes, writes]) process.open(description, false);
  machine.start(WRAPPER_PATH, process);
  return { process, output: reads };
}

/** Installs the command behind `--once-ready`. */
export function installCommand(machine: Machine): void {
  const command: Behaviour = { ignores: [], exits: { afterUs: 10, code: 3 }, children: [] };
  machine.install("/bin/probe", (process) => new ModelProgram(machine, process, command));
}

/** Starts a child of the wrapper that it does not know; SIGTERM does not end it. */
export function startStranger(machine: Machine, wrapper: Process): Process {
  const { blocked, ignored, limits } = wrapper;
  const process = machine.fork(wrapper, { group: 0, blocked, ignored, limits }, () => false);
  process.program = new ModelProgram(machine, process, {
    ignores: [signals.SIGTERM],
    children: [],
  });
  return process;
}

/** The environment of the container. */
function environmentOf(scenario: Scenario): readonly Uint8Array[] {
  const entries = Object.entries({ ...variablesOf(scenario), ...scenario.settings });
  return entries.map(([name, value]) => encoder.encode(`${name}=${value}`));
}

function startParent(machine: Machine, launcher: Process | undefined): Process {
  const parent = new Process(machine.newPid(), launcher, { argv: [], environment: [] });
  machine.install(PARENT, (process) => new Launcher(machine, process));
  machine.start(PARENT, parent);
  return parent;
}

function startLauncher(machine: Machine): Process {
  const launcher = new Process(1, undefined, { argv: [], environment: [] });
  machine.install(LAUNCHER, (process) => new Launcher(machine, process));
  machine.start(LAUNCHER, launcher);
  return launcher;
}

function variablesOf({
  login,
  agent,
  operator,
  hasSystemd = false,
  hasRefreshFile = false,
}: Scenario): Readonly<Record<string, string>> {
  return {
    PATH: "/bin",
    VAULT_ADDR: "http://vault:8200",
    SVC_SECRET_PATHS: `${PATH},${OTHER_PATH}`,
    SVC_ENV_MAP: "user=DB_USER,password=DB_PASSWORD;key=API_KEY",
    SVC_DELIVERY: "env",
    HEALTH_ADDR: `127.0.0.1:${PORT}`,
    SVC_LOG_FORMAT: "json",
    ...loginVariables[login.kind],
    ...(hasSystemd && { NOTIFY_SOCKET }),
    ...(hasRefreshFile && { SVC_REFRESH_FILE: REFRESH_PATH }),
    ...(operator && operatorVariables(operator)),
    ...(agent && {
      SVC_EBPF_AGENT_ADDR: "unix:///run/agent.sock",
      SVC_REQUIRE_AGENT: String(agent.isRequired),
    }),
  };
}

/** The variables that the operator's webhook adds to a pod. */
function operatorVariables({ hints }: OperatorPlan): Readonly<Record<string, string>> {
  return {
    SVC_PERMITS_ADDR: `https://${OPERATOR_HOST}:8444`,
    SVC_PERMITS_CACERT_BYTES: "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n",
    SVC_PERMITS_TOKEN_FILE: POD_TOKEN_PATH,
    SVC_HINTS: String(hints !== "off"),
  };
}

const loginVariables: Readonly<Record<Login["kind"], Readonly<Record<string, string>>>> = {
  token: { VAULT_TOKEN: ROOT_TOKEN },
  file: { VAULT_TOKEN_FILE: TOKEN_PATH },
  kubernetes: { VAULT_AUTH_ROLE: "app", SVC_AUTH_JWT_PATH: JWT_PATH },
  "by the agent": { VAULT_AUTH_ROLE: "app", SVC_AUTH_JWT_PATH: `unix://${LOGIN_SOCKET}` },
  sealed: { VAULT_AUTH_METHOD: "token" },
};
