import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import {
  environmentEntries,
  forbidDumps,
  hearOfChildren,
  SIGPIPE,
  setIgnored,
  valueText,
} from "@svc/kernel";
import { type ClusterAccess, connectApi, KubernetesError } from "@svc/kubernetes";
import { runService, unexpected } from "@svc/logging";
import { version } from "@svc/protocol";
import type { Problem } from "@svc/settings";
import { operatorHelp } from "./flags/operator-flags.ts";
import type { OperatorProcess } from "./flags/operator-process.ts";
import { parseOperatorFlags } from "./flags/parse-operator-flags.ts";
import {
  identityVariables,
  type ReadProviders,
  readProviders,
} from "./registry-logins/providers/read-providers.ts";
import { loadAuthorities } from "./run/load-authorities.ts";
import { type OperatorParts, runOperator } from "./run/run-operator.ts";

const ACCOUNT_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
/** As every program of svc: 1 may belong to another program. */
const FAILED = 125;

/** The errors of the address that the webhook is served at. */
const addressFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process uses it",
  EADDRNOTAVAIL: "it is not an address of this machine",
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
  const logins = readLogins(parsed.process);
  const all = [...problems, ...logins.problems];
  return all.length > 0 ? refuse(all) : run(parsed.process, { ...logins, authorities });
}

/**
 * The identities that rules need, from the only variables that the operator reads: those of clouds'
 * webhooks.
 */
function readLogins({ logins, images }: OperatorProcess): ReadProviders {
  const sources = [...new Set(logins.rules.map(({ source }) => source))];
  return readProviders({
    sources,
    environment: sources.length === 0 ? new Map() : identityEnvironment(),
    settings: images.registries,
    dockerConfig: logins.dockerConfig,
    helperFolder: logins.helperFolder,
  });
}

/** The runtime itself sees no environment. */
function identityEnvironment(): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const entry of environmentEntries()) {
    // getenv(3) takes the first of several.
    if (!Object.hasOwn(identityVariables, entry.name) || texts.has(entry.name)) continue;
    texts.set(entry.name, textOf(entry));
  }
  return texts;
}

/**
 * Bytes that are not text are in no valid setting: each parser refuses their replacement
 * characters.
 */
function textOf(entry: Parameters<typeof valueText>[0]): string {
  try {
    return valueText(entry);
  } catch {
    return "\ufffd";
  }
}

async function run(
  settings: OperatorProcess,
  known: Pick<OperatorParts, "authorities" | "providers">,
): Promise<number> {
  // Pull secrets and the certificate's key are in this memory.
  forbidDumps();
  // The reader of its log may go away.
  setIgnored(SIGPIPE, true);
  hearOfChildren();
  return runService({
    component: "operator",
    least: settings.serving.logLevel,
    describe: (error) => [messageOf(error)],
    run: async (parts) => {
      parts.log("info", "svc-operator starts", { version });
      const api = await connectApi(accessOf(settings));
      const identity = `${hostname()}_${crypto.randomUUID()}`;
      await runOperator(settings, { ...parts, ...known, api, identity });
    },
  });
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

function messageOf(error: unknown): string {
  if (error instanceof KubernetesError) return `${error.message} (${error.hint})`;
  if (error instanceof Error && "syscall" in error && "code" in error) {
    const code = String(error.code);
    const found = Object.hasOwn(addressFaults, code) ? addressFaults[code] : "it cannot be had";
    return `open --listen-addr: ${found} (${code})`;
  }
  return unexpected(error);
}
