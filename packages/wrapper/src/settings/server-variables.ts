import {
  accepted,
  type HostPort,
  type Parsed,
  parseFilePath,
  parseGoBoolean,
  parseIpAddress,
  parseListenAddress,
  parseOneOf,
  variable,
} from "@svc/settings";

import { parseProgramProbe } from "./program-probe.ts";

/** Parses HEALTH_ADDR: an address to listen on, or `off` for no server. */
export function parseHealthAddress(text: string): Parsed<HostPort | "off"> {
  return text === "off" ? accepted("off") : parseListenAddress(text);
}

const health = "Health server";
const memory = "Memory protection";
const transport = "Health/unseal server transport";
const log = "Logging";

/** The wrapper's surroundings: health server, memory and log. */
export const serverVariables = {
  healthAddress: variable({
    name: "HEALTH_ADDR",
    group: health,
    type: "listen address",
    default: ":8199",
    parse: parseHealthAddress,
    meaning:
      "Address of the health/unseal HTTP server: `:8199`, `host:port` or `[::1]:port`. A host is an IP address, `localhost` or a name in /etc/hosts. Port 0 means any free port; the log has the number. The wrapper exits if it cannot listen there. `off` means no server: no probe, no metrics, no POST /v1/unseal.",
  }),
  programProbe: variable({
    name: "SVC_READINESS_PROBE",
    group: health,
    type: "probe",
    parse: parseProgramProbe,
    meaning:
      "How GET /readyz/program asks the program itself: the httpGet of a Kubernetes probe as JSON, with the number of its port. The wrapper also measures by it how long the program takes to start; SVC_ROTATION_SPLAY grows with that. The operator sets it to the container's own readiness probe. Unset, the wrapper answers alone, and measures nothing.",
  }),
  showPaths: variable({
    name: "SVC_SHOW_PATHS",
    group: health,
    type: "boolean",
    default: "true",
    parse: parseGoBoolean,
    meaning:
      "Whether GET /readyz, GET /metrics and the kernel agent's /status name the paths of secrets, beside the versions that the program has. With `false` each secret has a number instead: its place in SVC_SECRET_PATHS or `--secrets`, from 1.",
  }),
  podIp: variable({
    name: "SVC_POD_IP",
    group: health,
    type: "IP address",
    parse: parseIpAddress,
    meaning:
      "Address at which GET /readyz/program asks the program; without it 127.0.0.1. Set through the downward API.",
  }),
  requireMlock: variable({
    name: "SVC_REQUIRE_MLOCK",
    group: memory,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "The wrapper exits if mlock() fails. Without mlock secrets may be written to swap; the log then warns, and names the limit that was too small. Needs CAP_IPC_LOCK, or an RLIMIT_MEMLOCK that holds the secrets three times and 48 KiB: 64 KiB for a few short ones. Within a small limit the wrapper has one connection for each 64 KiB.",
  }),
  requireMemfdSecret: variable({
    name: "SVC_REQUIRE_MEMFD_SECRET",
    group: memory,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning: "The wrapper exits if memfd_secret() is not available. Needs Linux 5.14 or later.",
  }),
  brokerCertPath: variable({
    name: "SVC_BROKER_TLS_CERT",
    group: transport,
    type: "file",
    requiredness: { conditional: "No; only together with SVC_BROKER_TLS_KEY" },
    parse: parseFilePath,
    meaning:
      "TLS certificate of the health/unseal server. With it and its key the server uses TLS.",
  }),
  brokerKeyPath: variable({
    name: "SVC_BROKER_TLS_KEY",
    group: transport,
    type: "file",
    requiredness: { conditional: "No; only together with SVC_BROKER_TLS_CERT" },
    parse: parseFilePath,
    meaning: "Private key of SVC_BROKER_TLS_CERT.",
  }),
  brokerClientCaPath: variable({
    name: "SVC_BROKER_TLS_CA",
    group: transport,
    type: "file",
    requiredness: { conditional: "No; only together with SVC_BROKER_TLS_CERT" },
    parse: parseFilePath,
    meaning:
      "CA certificates by which clients of /v1/unseal are verified (mutual TLS). The other paths ask for no certificate.",
  }),
  logLevel: variable({
    name: "SVC_LOG_LEVEL",
    group: log,
    type: "word",
    default: "info",
    parse: parseOneOf(["debug", "info", "warn", "error"]),
    meaning: "The least important lines to log: `debug`, `info`, `warn` or `error`.",
  }),
  logFormat: variable({
    name: "SVC_LOG_FORMAT",
    group: log,
    type: "word",
    default: "auto",
    parse: parseOneOf(["auto", "json", "text"]),
    meaning: "`json`, `text`, or `auto`: text on a terminal, else JSON lines.",
  }),
};
