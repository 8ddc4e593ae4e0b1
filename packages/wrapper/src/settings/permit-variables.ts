import {
  type Parsed,
  parseCertificates,
  parseDurationBetween,
  parseFilePath,
  parseGoBoolean,
  parseServerUrl,
  refused,
  variable,
} from "@svc/settings";

/** Parses the address of a server that is only asked over TLS. */
export function parseHttpsUrl(text: string): Parsed<string> {
  const parsed = parseServerUrl(text);
  if (!parsed.ok || parsed.value.startsWith("https://")) return parsed;
  return refused("an https:// URL: the wrapper sends a token there");
}

const group = "The operator's permits and hints";

/** The way to the operator, which gives permits to replace the program, and hints. */
export const permitVariables = {
  permitsAddress: variable({
    name: "SVC_PERMITS_ADDR",
    group,
    type: "url",
    parse: parseHttpsUrl,
    meaning:
      "Address of the operator, which gives permits. Before a rotation by `restart` the wrapper asks there, so that not all pods of a workload are away at once. The operator sets it. Unset, the wrapper rotates within SVC_ROTATION_SPLAY.",
  }),
  permitsCaBytes: variable({
    name: "SVC_PERMITS_CACERT_BYTES",
    group,
    type: "certificates",
    requiredness: { conditional: "No; only together with SVC_PERMITS_ADDR" },
    parse: parseCertificates,
    meaning: "CA certificates that the operator is verified by, as PEM text. The operator sets it.",
  }),
  permitsTokenPath: variable({
    name: "SVC_PERMITS_TOKEN_FILE",
    group,
    type: "file",
    requiredness: { conditional: "No; only together with SVC_PERMITS_ADDR" },
    parse: parseFilePath,
    meaning:
      "Token by which the operator knows the pod: a projected service account token for the audience `svc-rotation-permits`. The operator sets it.",
  }),
  hints: variable({
    name: "SVC_HINTS",
    group,
    type: "boolean",
    default: "false",
    parse: parseGoBoolean,
    meaning:
      "Whether the operator at SVC_PERMITS_ADDR is asked to say when a secret has changed. It says so by POST /v1/hints at HEALTH_ADDR, which has to be an address that the operator reaches. Only hints that arrive count. The operator sets it.",
  }),
  hintedIntervalMs: variable({
    name: "SVC_HINTED_INTERVAL",
    group,
    type: "duration",
    default: "10m",
    parse: parseDurationBetween({ least: "1s", most: "24h" }),
    meaning:
      "How often the wrapper checks its secrets while the operator says that they are the newest: at random between half of this time and one and a half. At most half of SVC_STALE_AFTER, and never more often than RENEWAL_INTERVAL. When hints stop, RENEWAL_INTERVAL counts at once. From 1s to 24h.",
  }),
};
