import { complain, type FlagRules, type Problem, parseFlags, parseVariables } from "@svc/settings";
import { type FlagReading, requireBeside } from "./flag-reading.ts";
import { readHints } from "./hint-flags.ts";
import { readImageLogins } from "./image-flags.ts";
import { readJudging } from "./injection-flags.ts";
import { type OperatorFlags, operatorFlags } from "./operator-flags.ts";
import type { CertificateSettings, OperatorProcess, PermitSettings } from "./operator-process.ts";

/** The request of a command line. */
export type ParsedOperatorFlags =
  | { readonly kind: "process"; readonly process: OperatorProcess }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/**
 * Parses the command line of `svc-operator` and reports every problem at once. It never throws.
 *
 * @param words those behind the program's name
 * @param accountNamespace the namespace in the service account's files; undefined if there are
 *   none
 */
export function parseOperatorFlags(
  words: readonly string[],
  accountNamespace: string | undefined,
): ParsedOperatorFlags {
  const flags = parseFlags(words, { table: operatorFlags, refused, strayHint });
  if (flags.asked !== undefined) return { kind: flags.asked };
  const parsed = parseVariables(operatorFlags, { environment: new Map(), flags: flags.values });
  const reading: Reading = { ...parsed, problems: [...flags.problems, ...parsed.problems] };
  const process = read(reading, accountNamespace);
  return reading.problems.length > 0
    ? { kind: "problems", problems: reading.problems }
    : { kind: "process", process };
}

type Reading = FlagReading<OperatorFlags>;

const strayHint = "every option begins with --";

/** Flags that people will try and that must not exist. */
const refused: FlagRules["refused"] = new Map([
  [
    "token",
    {
      wanted: "left out",
      hint: "every user of the machine can read a command line; name a --kubeconfig",
    },
  ],
]);

/**
 * All rules between flags, so that all problems show at once; its result is valid if there are
 * none.
 */
function read(reading: Reading, accountNamespace: string | undefined): OperatorProcess {
  const { values } = reading;
  const { listen, inFlight, lingerMs, graceMs, logLevel } = values;
  const { server, kubeconfig, context, lease, imageSecret, keepStatus, countPods } = values;
  const namespace = readNamespace(reading, accountNamespace);
  requireBeside(reading, operatorFlags, ["context", "kubeconfig"]);
  const judging = readJudging(reading);
  const { insecureVaultNamespaces: insecure } = judging.operator;
  const permitsInsecure = insecure.includes("*") || insecure.includes(namespace);
  return {
    ...judging,
    logins: readImageLogins(reading),
    serving: { hostname: listen.host, port: listen.port, inFlight, lingerMs, graceMs, logLevel },
    certificate: readCertificate(reading, namespace),
    permits: readPermits(reading, namespace),
    hints: readHints(reading, { permitsInsecure }),
    cluster: {
      ...{ server, kubeconfig, context, lease, imageSecret },
      ...{ keepStatus, countPods, namespace },
    },
  };
}

function readNamespace(reading: Reading, accountNamespace: string | undefined): string {
  const namespace = reading.values.namespace ?? accountNamespace;
  if (namespace === undefined && !reading.failed.has("namespace")) {
    complain(reading, {
      variable: "--namespace",
      wanted: "set if there is no service account",
      found: "it is not set",
    });
  }
  return namespace ?? "";
}

function readCertificate(reading: Reading, namespace: string): CertificateSettings {
  const { values, failed } = reading;
  const { source, secret, lifeMs, configuration, service } = values;
  const { certificateFile, keyFile, authorityFile } = values;
  const names = values.names ?? serviceNames(service, namespace);
  const common = { service, names, configuration };
  if (source === "self-made") {
    for (const file of ["certificateFile", "keyFile", "authorityFile"] as const) {
      if (values[file] === undefined) continue;
      const { name: variable } = operatorFlags[file];
      complain(reading, {
        variable,
        wanted: "left out if --certificate-source is self-made",
        found: "it is set",
      });
    }
    return { ...common, source, secret, lifeMs };
  }
  for (const file of ["certificateFile", "keyFile"] as const) {
    if (values[file] !== undefined || failed.has(file)) continue;
    const { name: variable } = operatorFlags[file];
    complain(reading, {
      variable,
      wanted: "set if --certificate-source is files",
      found: "it is not set",
    });
  }
  const files = { certificateFile: certificateFile ?? "", keyFile: keyFile ?? "", authorityFile };
  return { ...common, source, ...files };
}

function readPermits({ values }: Reading, namespace: string): PermitSettings | undefined {
  const { permits, permitsListen, permitsSecret: secret, service } = values;
  if (!permits) return undefined;
  const { host: hostname, port } = permitsListen;
  const [name = ""] = serviceNames(service, namespace);
  return { hostname, port, secret, name };
}

/** The API server's requirement (apiserver/pkg/util/webhook, ClientConfig.Service). */
function serviceNames(service: string, namespace: string): readonly string[] {
  return [`${service}.${namespace}.svc`];
}
