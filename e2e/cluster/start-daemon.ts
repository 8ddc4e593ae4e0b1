import { closeSync, openSync, readFileSync } from "node:fs";
import { TestingError } from "@svc/testing";

/** A server of the cluster, which the kernel kills when we die. */
export interface Daemon {
  readonly name: string;
  /** Throws `SERVER_FAILED` with its last words if it has ended. */
  readonly refuseEnded: () => void;
  /** Its log's last lines. */
  readonly lastWords: () => string;
}

/** What to start. */
export interface DaemonRequest {
  readonly name: string;
  readonly command: readonly string[];
  /** The folder of logs. */
  readonly logs: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const LINES = 30;

/** Starts it as we are; its output goes into `NAME.log`. */
export function startDaemon({ name, command, logs, environment = {} }: DaemonRequest): Daemon {
  const path = `${logs}/${name}.log`;
  const log = openSync(path, "a", 0o600);
  try {
    const child = Bun.spawn(["setpriv", "--pdeathsig", "KILL", ...command], {
      stdio: ["ignore", log, log],
      cwd: logs,
      env: { PATH: process.env["PATH"], HOME: logs, ...environment },
    });
    const lastWords = () => readFileSync(path, "utf8").trim().split("\n").slice(-LINES).join("\n");
    const refuseEnded = () => {
      if (child.exitCode === null && child.signalCode === null) return;
      throw new TestingError("SERVER_FAILED", `start ${name}: it ended:\n${lastWords()}`);
    };
    return { name, lastWords, refuseEnded };
  } finally {
    closeSync(log);
  }
}
