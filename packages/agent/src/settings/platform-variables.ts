import {
  parseDurationBetween,
  parseFilePath,
  parseOneOf,
  parsePlainText,
  variable,
} from "@svc/settings";
import { parseByteSize } from "./parse-byte-size.ts";
import { parsePlatformEndpoint } from "./parse-platform-endpoint.ts";
import { parseResourceAttributes } from "./parse-resource-attributes.ts";

const group = "Platform";
const spool = "Spool";

/** The platform of events, and the folder in which they wait. */
export const platformVariables = {
  endpoint: variable({
    name: "PLATFORM_ENDPOINT",
    group,
    type: "URL",
    parse: parsePlatformEndpoint,
    meaning:
      "The address of the platform that receives the audit events as OTLP logs. `grpcs://host:4317` or `grpc://…`: over gRPC. `https://host:4318` or `http://…`: over HTTP, with the path `/v1/logs` if the URL has no path. Unset: events are on standard output only.",
  }),
  headersFile: variable({
    name: "PLATFORM_HEADERS_FILE",
    group,
    type: "file",
    parse: parseFilePath,
    meaning:
      "File with headers that every request carries, one `Name: value` a line, such as a token. Read again when the platform refuses a request.",
  }),
  platformCaPath: variable({
    name: "PLATFORM_TLS_CA",
    group,
    type: "file",
    parse: parseFilePath,
    meaning: "CA certificates that the platform is verified by, instead of the usual ones.",
  }),
  platformCertPath: variable({
    name: "PLATFORM_TLS_CERT",
    group,
    type: "file",
    requiredness: { conditional: "No; only together with PLATFORM_TLS_KEY" },
    parse: parseFilePath,
    meaning: "Certificate that the agent shows to the platform.",
  }),
  platformKeyPath: variable({
    name: "PLATFORM_TLS_KEY",
    group,
    type: "file",
    requiredness: { conditional: "No; only together with PLATFORM_TLS_CERT" },
    parse: parseFilePath,
    meaning: "Private key of PLATFORM_TLS_CERT.",
  }),
  compression: variable({
    name: "PLATFORM_COMPRESSION",
    group,
    type: "word",
    default: "gzip",
    parse: parseOneOf(["gzip", "none"]),
    meaning: "How requests are compressed.",
  }),
  requestTimeoutMs: variable({
    name: "PLATFORM_TIMEOUT",
    group,
    type: "duration",
    default: "10s",
    parse: parseDurationBetween({ least: "100ms", most: "5m" }),
    meaning: "How long the platform may take to answer a request.",
  }),
  resourceAttributes: variable({
    name: "OTEL_RESOURCE_ATTRIBUTES",
    group,
    type: "list",
    parse: parseResourceAttributes,
    meaning:
      "Attributes of the resource that sends the events, `name=value` with commas between, as OpenTelemetry's SDKs read them: `k8s.cluster.name=prod`. The agent's own attributes win.",
  }),
  nodeName: variable({
    name: "NODE_NAME",
    group,
    type: "text",
    parse: parsePlainText,
    meaning:
      "Name of the node, set through the downward API; it is in every event. Unset: the machine's host name.",
  }),
  spoolFolder: variable({
    name: "SPOOL_PATH",
    group: spool,
    type: "folder",
    default: "/var/lib/svc/spool",
    parse: parseFilePath,
    meaning:
      "Separate folder in which events wait for the platform, over outages and restarts. Not used without PLATFORM_ENDPOINT.",
  }),
  spoolBytes: variable({
    name: "SPOOL_MAX_BYTES",
    group: spool,
    type: "bytes",
    default: "64Mi",
    parse: parseByteSize,
    meaning:
      "How much may wait. Beyond that the agent drops and counts the oldest events. 64Mi are some 60,000 events.",
  }),
};
