import {
  type Parsed,
  parseCertificates,
  parseFilePath,
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

const group = "Rotation permits";

/** Where the wrapper asks before it replaces the program. */
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
};
