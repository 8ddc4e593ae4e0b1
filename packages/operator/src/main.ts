import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { forbidDumps, setIgnored } from "@svc/kernel";
import { type ClusterAccess, connectApi, KubernetesError } from "@svc/kubernetes";
import { jsonLog, writeLinesTo } from "@svc/logging";
import { version } from "@svc/protocol";
import type { Problem } from "@svc/settings";
import { operatorHelp } from "./flags/operator-help.ts";
import type { OperatorProcess } from "./flags/operator-process.ts";
import { parseOperatorFlags } from "./flags/parse-operator-flags.ts";
import { loadAuthorities } from "./run/load-authorities.ts";
import { runOperator } from "./run/run-operator.ts";

const ACCOUNT_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
/** As every program of svc: 1 may be somebody else's. */
const FAILED = 125;
const SIGNALS = { SIGTERM: 15, SIGINT: 2 } as const;
const SIGPIPE = 13;

/** Of the address that the webhook is served at. */
const addressFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: "somebody else has it",
  EADDRNOTAVAIL: "it is no address of this machine",
  EACCES: "the port is for privileged users only",
};

process.exit(await main(process.argv.slice(2)));

async function main(words: readonly string[]): Promise<number> {
  const parsed = parseOperatorFlags(words, accountNamespace());
  switch (parsed.kind) {
    case "help":
      process.stdout.write(operatorHelp());
      return 0;
    case "version":
      process.stdout.write(`svc-operator ${version}\n`);
      return 0;
    case "problems":
      return refuse(parsed.problems);
    case "process":
      break;
  }
  const { authorities, problems } = loadAuthorities(parsed.process.images.authorityFiles);
  return problems.length > 0 ? refuse(problems) : run(parsed.process, authorities);
}

async function run(
  settings: OperatorProcess,
  authorities: ReturnType<typeof loadAuthorities>["authorities"],
): Promise<number> {
  // Pull secrets and the certificate's key are in this memory.
  forbidDumps();
  // Whoever reads its log may go away.
  setIgnored(SIGPIPE, true);
  const lines = writeLinesTo(Bun.stderr);
  const log = jsonLog({
    component: "operator",
    least: settings.serving.logLevel,
    put: lines.put,
  });
  const fail = async (error: unknown): Promise<number> => {
    log("error", messageOf(error));
    await lines.flushed();
    return FAILED;
  };
  process.on("uncaughtException", (error) => void fail(error).then(process.exit));
  process.on("unhandledRejection", (error) => void fail(error).then(process.exit));
  const end = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      // Who asks twice does not want to wait.
      if (end.signal.aborted) process.exit(128 + SIGNALS[signal]);
      end.abort();
    });
  }
  log("info", "svc-operator starts", { version });
  try {
    const api = await connectApi(accessOf(settings));
    const identity = `${hostname()}_${crypto.randomUUID()}`;
    await runOperator(settings, { api, authorities, log, lines, identity, signal: end.signal });
    return 0;
  } catch (error) {
    return fail(error);
  }
}

function accessOf({ cluster }: OperatorProcess): ClusterAccess {
  const { server, kubeconfig, context } = cluster;
  if (kubeconfig === undefined) return { kind: "pod", ...server };
  return {
    kind: "kubeconfig",
    paths: [kubeconfig],
    ...(context !== undefined && { context }),
  };
}

function accountNamespace(): string | undefined {
  try {
    return readFileSync(ACCOUNT_NAMESPACE, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

function refuse(problems: readonly Problem[]): number {
  for (const { message, hint } of problems) {
    const more = hint === undefined ? "" : `svc-operator: hint: ${hint}\n`;
    process.stderr.write(`svc-operator: error: ${message}\n${more}`);
  }
  return FAILED;
}

/** Other errors than ours may quote what they choked on. */
function messageOf(error: unknown): string {
  if (error instanceof KubernetesError) return `${error.message} (${error.hint})`;
  if (!(error instanceof Error)) return "something unexpected happened";
  if ("syscall" in error && "code" in error) {
    const code = String(error.code);
    const found = Object.hasOwn(addressFaults, code) ? addressFaults[code] : "it cannot be had";
    return `open --listen-addr: ${found} (${code})`;
  }
  const place = error.stack?.split("\n").find((line) => line.includes(" at ")) ?? "";
  return `something unexpected happened: ${error.name}${place}; please report it`;
}
