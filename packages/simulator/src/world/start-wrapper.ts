import { WRAPPER_PATH } from "../host/host.ts";
import { type Description, OpenFile } from "../machine/descriptions.ts";
import type { Machine } from "../machine/machine.ts";
import { Process } from "../machine/process.ts";
import { errands } from "./errands.ts";
import { Launcher } from "./launcher.ts";
import type { Login, Scenario } from "./scenario.ts";
import { JWT, JWT_PATH, OTHER_PATH, PATH, ROOT_TOKEN, TOKEN_PATH } from "./secrets.ts";

/** The health port. */
export const PORT = 8199;
/** The program's file. */
export const PROGRAM = "/bin/app";
const LAUNCHER = "/sbin/launcher";
const encoder = new TextEncoder();

/** Starts the wrapper as the first process, or as a child of it. */
export function startWrapper(
  machine: Machine,
  scenario: Scenario,
  { output, log }: { readonly output: Description; readonly log: Description },
): Process {
  machine.files.add(JWT_PATH, "regular", { bytes: encoder.encode(JWT) });
  machine.files.add(TOKEN_PATH, "regular", { bytes: encoder.encode(ROOT_TOKEN) });
  const launcher = scenario.isFirstProcess ? undefined : startLauncher(machine);
  const environment = Object.entries({ ...variablesOf(scenario), ...scenario.settings });
  const process = new Process(launcher === undefined ? 1 : machine.newPid(), launcher, {
    argv: [WRAPPER_PATH, ...wordsOf(scenario)].map((word) => encoder.encode(word)),
    environment: environment.map(([name, value]) => encoder.encode(`${name}=${value}`)),
  });
  const nothing = new OpenFile(machine.files.find("/dev/null", process));
  for (const description of [nothing, output, log]) process.open(description, false);
  machine.start(WRAPPER_PATH, process);
  return process;
}

function wordsOf({ errand }: Scenario): readonly string[] {
  return errand === undefined ? ["--", PROGRAM] : errands[errand].words;
}

function startLauncher(machine: Machine): Process {
  const launcher = new Process(1, undefined, { argv: [], environment: [] });
  machine.install(LAUNCHER, (process) => new Launcher(machine, process));
  machine.start(LAUNCHER, launcher);
  return launcher;
}

function variablesOf({ login, agent }: Scenario): Readonly<Record<string, string>> {
  return {
    PATH: "/bin",
    VAULT_ADDR: "http://vault:8200",
    SVC_SECRET_PATHS: `${PATH},${OTHER_PATH}`,
    SVC_ENV_MAP: "user=DB_USER,password=DB_PASSWORD;key=API_KEY",
    SVC_DELIVERY: "env",
    HEALTH_ADDR: `127.0.0.1:${PORT}`,
    SVC_LOG_FORMAT: "json",
    ...loginVariables[login.kind],
    ...(agent && {
      SVC_EBPF_AGENT_ADDR: "unix:///run/agent.sock",
      SVC_REQUIRE_AGENT: String(agent.isRequired),
    }),
  };
}

const loginVariables: Readonly<Record<Login["kind"], Readonly<Record<string, string>>>> = {
  token: { VAULT_TOKEN: ROOT_TOKEN },
  file: { VAULT_TOKEN_FILE: TOKEN_PATH },
  kubernetes: { VAULT_AUTH_ROLE: "app", SVC_AUTH_JWT_PATH: JWT_PATH },
  sealed: { VAULT_AUTH_METHOD: "token" },
};
