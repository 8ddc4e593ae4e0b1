import { SIGHUP } from "@svc/kernel";
import { complain, looksLikeJson, present } from "@svc/settings";
import { isBaoName } from "./bao-names.ts";
import { hasFailed, isGiven, type Reading, requireBothOrNone } from "./reading.ts";
import { wrapperVariables } from "./variables.ts";
import { loginFacts, type VaultAuth } from "./vault-auth.ts";
import type {
  AgentSettings,
  AskedProgram,
  HealthSettings,
  ProgramSettings,
} from "./wrapper-settings.ts";
import { resemblesWrapperVariable } from "./wrapper-variable.ts";

/** The agent's address and the way to it. */
export function readAgent(reading: Reading): AgentSettings {
  const { values } = reading;
  const { agentAddress, agentNodeIp, requireAgent, agentTokenPath } = values;
  requireBothOrNone(reading, "agentCertPath", "agentKeyPath");
  if (requireAgent && agentAddress === undefined && agentNodeIp === undefined) {
    complain(reading, {
      variable: "SVC_REQUIRE_AGENT",
      wanted: "set together with SVC_EBPF_AGENT_ADDR or SVC_EBPF_NODE_IP",
      found: "neither is set",
    });
  }
  return {
    ...present({ address: agentAddress, nodeIp: agentNodeIp, podUid: values.podUid }),
    names: present({
      podName: values.podName,
      podNamespace: values.podNamespace,
      containerName: values.containerName,
    }),
    required: requireAgent,
    tls: {
      tokenPath: agentTokenPath,
      ...present({
        caPath: values.agentCaPath,
        serverName: values.agentServerName,
        certPath: values.agentCertPath,
        keyPath: values.agentKeyPath,
      }),
    },
  };
}

/**
 * Reads the address at which the health/unseal server listens and whether it uses TLS; undefined if
 * none is wanted.
 *
 * @param auth a wrapper that waits for a token needs the server.
 */
export function readHealth(
  reading: Reading,
  auth: VaultAuth | undefined,
): HealthSettings | undefined {
  const { healthAddress, brokerCertPath, brokerKeyPath, brokerClientCaPath } = reading.values;
  requireBothOrNone(reading, "brokerCertPath", "brokerKeyPath");
  const withoutTls = !isGiven(reading, "brokerCertPath") && !isGiven(reading, "brokerKeyPath");
  if (isGiven(reading, "brokerClientCaPath") && withoutTls) {
    // Clients would be let in unverified although the settings ask for their certificates.
    complain(reading, {
      variable: "SVC_BROKER_TLS_CA",
      wanted: "set together with SVC_BROKER_TLS_CERT and SVC_BROKER_TLS_KEY",
      found: "they are not set",
    });
  }
  if (healthAddress === "off") return readOff(reading, auth);
  const { host, port } = healthAddress;
  const at = { host, port, ...present({ nodeIp: reading.values.agentNodeIp }) };
  if (brokerCertPath === undefined || brokerKeyPath === undefined) return at;
  const clientCa = present({ clientCaPath: brokerClientCaPath });
  return { ...at, tls: { certPath: brokerCertPath, keyPath: brokerKeyPath, ...clientCa } };
}

/** How the program is asked whether it is ready; undefined if it is not. */
export function readReadinessProbe({ values }: Reading): AskedProgram | undefined {
  const { programProbe, podIp = "127.0.0.1" } = values;
  return programProbe && { ...programProbe, host: podIp };
}

/** Nothing listens: settings that need the server contradict that. */
function readOff(reading: Reading, auth: VaultAuth | undefined): undefined {
  for (const key of ["brokerCertPath", "brokerKeyPath", "brokerClientCaPath"] as const) {
    if (!isGiven(reading, key)) continue;
    const { name: variable } = wrapperVariables[key];
    complain(reading, { variable, wanted: "left out", found: "HEALTH_ADDR is off" });
  }
  if (auth === undefined || loginFacts(auth).unsealable !== "always") return undefined;
  return complain(reading, {
    variable: "HEALTH_ADDR",
    wanted: "an address at which POST /v1/unseal can bring the token",
    found: "it is off, and no token is set",
    hint: "set VAULT_TOKEN or VAULT_TOKEN_FILE, or let the server listen",
  });
}

const neverPassed: ReadonlyMap<string, string> = new Map([
  ["VAULT_TOKEN", "the wrapper wipes it from memory before anything else"],
  ["BAO_TOKEN", "the wrapper wipes it from memory if it stands for VAULT_TOKEN"],
  ["VAULT_APPROLE_ROLE_ID", "the wrapper wipes it from memory once it has read it"],
  ["SVC_SECRET_FD", "the wrapper sets it itself if it applies"],
]);

/** Reads the names of the wrapper's own variables that the program gets nevertheless. */
export function readPassEnvironment(reading: Reading): readonly string[] {
  const names = [...new Set(reading.values.passEnvironment ?? [])];
  for (const name of names) {
    const hint = neverPassed.get(name) ?? passedAnyway(name);
    if (hint === undefined) continue;
    const variable = "SVC_PASS_ENV";
    complain(reading, { variable, wanted: `a list without ${name}`, found: "it is there", hint });
  }
  return names;
}

/** The signal that asks the program to end, which must not be that of new values. */
export function readStopSignal(reading: Reading): number {
  const { stopSignal, rotationMode } = reading.values;
  if (stopSignal === SIGHUP && rotationMode === "sighup") {
    const wanted = "another signal than SIGHUP if SVC_ROTATION is sighup";
    complain(reading, { variable: "SVC_STOP_SIGNAL", wanted, found: "it is SIGHUP" });
  }
  return stopSignal;
}

/**
 * The wrapper takes nothing else away: a name unlike its own is most likely a typing error. Names
 * with its prefixes are accepted: the list may name all that the program needs.
 */
function passedAnyway(name: string): string | undefined {
  return resemblesWrapperVariable(name) || isBaoName(name)
    ? undefined
    : "it is not the wrapper's: the program gets it anyway";
}

/** The command: the words after `--`, else SVC_ORIGINAL_CMD with SVC_ORIGINAL_ARGS. */
export function readProgram(
  reading: Reading,
  wordsAfterDashes: readonly string[],
): ProgramSettings | undefined {
  if (wordsAfterDashes.length > 0) return { kind: "arguments" };
  warnAboutQuotes(reading, "originalCommand", "SVC_ORIGINAL_CMD");
  warnAboutQuotes(reading, "originalArguments", "SVC_ORIGINAL_ARGS");
  if (hasFailed(reading, "originalCommand")) return undefined;
  const { originalCommand = [], originalArguments = [] } = reading.values;
  const program = originalCommand[0] ?? "";
  if (program !== "")
    return { kind: "variables", words: [...originalCommand, ...originalArguments] };
  return complain(reading, {
    variable: "SVC_ORIGINAL_CMD",
    wanted: "set to a program, or a program given after --",
    found: reading.given.has("originalCommand") ? "it names none" : "it is not set",
    hint: "svc-wrapper --vault-addr=URL --secrets=KEY -- PROGRAM ARGUMENT...",
  });
}

/**
 * The whitespace form splits inside quotes: the author hardly meant that, but the format says so.
 */
function warnAboutQuotes(
  { given, warnings }: Reading,
  key: "originalCommand" | "originalArguments",
  name: string,
): void {
  const text = given.get(key)?.text ?? "";
  if (looksLikeJson(text) || !/["'\\]/.test(text)) return;
  warnings.push(
    `${name}: quotes and backslashes mean nothing between white space: use a JSON array of strings`,
  );
}
