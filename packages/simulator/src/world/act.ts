import type { Machine } from "../machine/machine.ts";
import type { Process } from "../machine/process.ts";
import { signals } from "../machine/signals.ts";
import type { HealthClient } from "./health-client.ts";
import type { Operator } from "./operator.ts";
import type { Action } from "./scenario.ts";
import {
  FILE_PATH,
  fieldsOf,
  METADATA_PATH,
  PATH,
  POLICY,
  pemOf,
  REFRESH_PATH,
  ROOT_TOKEN,
  TLS_PATHS,
} from "./secrets.ts";
import type { Vault } from "./vault.ts";

const { SIGKILL, SIGSTOP, SIGTERM } = signals;

/** The parts of a world that actions change. */
export interface Stage {
  readonly machine: Machine;
  readonly vault: Vault;
  readonly wrapper: Process;
  readonly health: HealthClient;
  /** The program that runs. */
  readonly program: { readonly process: Process } | undefined;
  /** Others have killed the wrapper. */
  killedWrapper: boolean;
  /** Programs that others than the wrapper have killed. */
  readonly killedPrograms: Set<number>;
  /** Programs to which others than the wrapper have sent SIGTERM. */
  readonly termedPrograms: Set<number>;
  /** The times at which the refresh file was written. */
  readonly touchedAtUs: number[];
  /** Those that live. */
  readonly couriers: readonly Process[];
  /** A signal for the next courier that works. */
  forCourier: number | undefined;
  /** Sends a courier a signal from outside. */
  disturbCourier(courier: Process, number: number): void;
  /** Writes a new version of the secret. */
  change(): void;
  /** Sends the wrapper a signal. */
  signal(number: number): void;
  /** The newest version of the secret. */
  readonly version: number;
  readonly operator: Operator;
  /** Runs `--once-ready`. */
  askReady(command: string | undefined): void;
}

type Acts = {
  readonly [Kind in Action["kind"]]: (
    stage: Stage,
    action: Extract<Action, { readonly kind: Kind }>,
  ) => void;
};

/** Does something to the wrapper, its program or the vault. */
export function act(stage: Stage, action: Action): void {
  // The table has an act for each kind, which takes actions of that kind.
  (acts[action.kind] as (stage: Stage, action: Action) => void)(stage, action);
}

/** Writes the file of a secret. */
export function writeSecretFile({ files }: Machine, text: string): void {
  files.add(FILE_PATH, "regular", { bytes: new TextEncoder().encode(text), permissions: 0o400 });
}

const acts: Acts = {
  change: (stage) => stage.change(),
  "change back": ({ vault }) => void vault.ask("POST", PATH, { data: fieldsOf(1) }),
  forbid: ({ vault: { state } }, { path }) => {
    const rules = state.policies.get(POLICY) ?? [];
    // The test changes the state that the vault only reads.
    const policies = state.policies as Map<string, typeof rules>;
    policies.set(POLICY, [...rules, { path, capabilities: ["deny"] }]);
  },
  "write file": ({ machine }, { text }) => writeSecretFile(machine, text),
  "remove file": ({ machine }) => machine.files.remove(FILE_PATH),
  "write certificate": ({ machine: { files } }) => {
    files.add(TLS_PATHS.certificate, "regular", { bytes: pemOf("certificate 2") });
  },
  "remove certificate": ({ machine }) => machine.files.remove(TLS_PATHS.certificate),
  "revoke tokens": ({ vault: { state } }) => {
    for (const id of [...state.tokens.keys()]) if (id !== ROOT_TOKEN) state.tokens.delete(id);
  },
  "revoke root": ({ vault }) => void vault.state.tokens.delete(ROOT_TOKEN),
  signal: (stage, { number }) => stage.signal(number),
  "kill courier": (stage) => {
    stage.forCourier = SIGKILL;
  },
  "stop courier": (stage) => {
    stage.forCourier = SIGSTOP;
  },
  "stop courier at once": (stage) => {
    for (const courier of stage.couriers) stage.disturbCourier(courier, SIGSTOP);
  },
  "kill wrapper": (stage) => {
    stage.killedWrapper = true;
    stage.machine.kill(stage.wrapper, { number: SIGKILL, from: "outside" });
  },
  "unseal wrapper": ({ health, vault }, { isRight, isLimited = false }) => {
    const right = isLimited ? limitedToken(vault) : ROOT_TOKEN;
    health.postToken(isRight ? right : "wrong-token-canary");
  },
  "signal program": ({ machine, program, killedPrograms, termedPrograms }, { number }) => {
    if (program === undefined) return;
    if (number === SIGKILL) killedPrograms.add(program.process.pid);
    if (number === SIGTERM) termedPrograms.add(program.process.pid);
    machine.kill(program.process, { number, from: "process" });
  },
  "move clock": ({ machine }, { ms }) => machine.moveWall(ms),
  "end parent": ({ machine, wrapper: { parent } }) => {
    if (parent !== undefined) machine.end(parent, { kind: "exited", code: 0 });
  },
  "remove secret": ({ vault }) => void vault.ask("DELETE", METADATA_PATH, undefined),
  "ask for a check": ({ health, version }) => health.askForCheck(version),
  "look at the check": ({ health, program }) =>
    health.probe("/v1/check", () => program?.process.isAlive === true),
  "touch refresh file": ({ machine, wrapper, touchedAtUs }) => {
    touchedAtUs.push(machine.nowUs);
    machine.files.find(REFRESH_PATH, wrapper).changedUs = machine.nowUs;
  },
  "flood of hints": ({ operator }, { count }) => operator.flood(count),
  "ask ready": (stage, { command }) => stage.askReady(command),
  seal: ({ vault }) => {
    vault.state.sealed = true;
  },
  unseal: ({ vault }) => {
    vault.state.sealed = false;
  },
};

/** A new token with the rights of a login alone. */
function limitedToken(vault: Vault): string {
  const wanted = { policies: [POLICY], no_default_policy: true };
  const { body } = vault.ask("POST", "auth/token/create", wanted);
  return JSON.parse(body).auth.client_token;
}
