import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mark, markName } from "../harness/processes/leftovers.ts";
import { wrapperPath } from "../harness/wrapper/wrapper-process.ts";
import { type MemberPlan, programWords } from "./fleet-plan.ts";
import { type RecordedLine, readRecord } from "./recorded-line.ts";
import { roleName, secretPath, type VaultSetUp } from "./vault-set-up.ts";

/** A wrapper of a fleet. Its output goes to files, which are there after its death. */
export interface FleetMember {
  readonly plan: MemberPlan;
  readonly pid: number;
  /** Tokens that it was given. */
  readonly tokens: readonly string[];
  readonly log: () => string;
  readonly lines: () => readonly RecordedLine[];
  /** Base URL of its health server; undefined while it has none. */
  readonly health: () => string | undefined;
  /** The exit code, or the signal that ended it; undefined while it lives. */
  readonly end: () => number | string | undefined;
  readonly ended: Promise<unknown>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** The folder of a member, and the address of its vault. */
export interface MemberSurroundings {
  readonly folder: string;
  readonly vaultAddress: string;
  readonly vault: VaultSetUp;
  /** More settings, for all of the fleet. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts one wrapper with its program. */
export async function startMember(
  plan: MemberPlan,
  around: MemberSurroundings,
): Promise<FleetMember> {
  const place = join(around.folder, plan.name.replace(/\W+/g, "-"));
  const [recordPath, logPath] = [`${place}.record`, `${place}.log`];
  const login = await loginOf(plan, around.vault, place);
  const child = Bun.spawn([wrapperPath, "--", ...programWords(plan, recordPath)], {
    env: { ...settings(plan, around), ...login.environment, ...around.environment },
    stdio: ["ignore", Bun.file(`${place}.output`), Bun.file(logPath)],
  });
  const log = () => (existsSync(logPath) ? readFileSync(logPath, "utf8") : "");
  let health: string | undefined;
  return {
    plan,
    pid: child.pid,
    tokens: login.tokens,
    log,
    lines: () => readRecord(recordPath),
    health: () => {
      health ??= healthAddress(log());
      return health;
    },
    end: () => child.exitCode ?? child.signalCode ?? undefined,
    ended: child.exited,
    kill: (signal) => child.kill(signal),
  };
}

function settings(
  { mode, delivery }: MemberPlan,
  { vaultAddress }: MemberSurroundings,
): Readonly<Record<string, string>> {
  return {
    PATH: "/usr/bin:/bin",
    [markName]: mark,
    VAULT_ADDR: vaultAddress,
    SVC_SECRET_PATHS: secretPath,
    SVC_ENV_MAP: "user=DB_USER,password=DB_PASSWORD",
    SVC_ROTATION: mode,
    SVC_DELIVERY: delivery,
    SVC_LOG_FORMAT: "json",
    SVC_LOG_LEVEL: "debug",
    SVC_TERMINATION_LOG: "/nonexistent/termination-log",
    HEALTH_ADDR: "127.0.0.1:0",
  };
}

interface Login {
  readonly environment: Readonly<Record<string, string>>;
  readonly tokens: readonly string[];
}

async function loginOf({ login }: MemberPlan, vault: VaultSetUp, place: string): Promise<Login> {
  if (login === "kubernetes") {
    const path = `${place}.jwt`;
    writeFileSync(path, vault.jwt, { mode: 0o600 });
    const environment = { VAULT_AUTH_ROLE: roleName, SVC_AUTH_JWT_PATH: path };
    return { environment, tokens: [vault.jwt] };
  }
  const token = await vault.token();
  if (login === "token") return { environment: { VAULT_TOKEN: token }, tokens: [token] };
  const path = `${place}.token`;
  writeFileSync(path, token, { mode: 0o600 });
  return { environment: { VAULT_TOKEN_FILE: path }, tokens: [token] };
}

/** From the log: HEALTH_ADDR leaves the choice of the port to the kernel. */
function healthAddress(log: string): string | undefined {
  const port = /"health server listens[^}]*"port":(\d+)/.exec(log)?.[1];
  return port === undefined ? undefined : `http://127.0.0.1:${port}`;
}
