import { afterAll, describe, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SecretBytes } from "@svc/secret-bytes";
import { temporaryFolder } from "@svc/testing";
import type { TlsMaterial } from "../runtime.ts";
import { serverTlsProblems } from "./server-tls-problems.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

/** Certificates and keys are known by their first line, and belong together by the second. */
const material: TlsMaterial = {
  areCertificates: (pem) => pem.startsWith("-----BEGIN CERTIFICATE-----\n"),
  judgePrivateKey(pem) {
    if (!textOf(pem).includes("-----BEGIN ")) return "no PEM text";
    return textOf(pem).startsWith("-----BEGIN PRIVATE KEY-----\n") ? "usable" : "unusable";
  },
  belongTogether: (certificates, key) => certificates.split("\n")[1] === textOf(key).split("\n")[1],
};
const textOf = (secret: SecretBytes) => secret.open([]) ?? "";
const certificateOf = (name: string) => `-----BEGIN CERTIFICATE-----\n${name}\n`;
const keyOf = (name: string) => `-----BEGIN PRIVATE KEY-----\n${name}\n`;
const at = (name: string, text?: string): string => {
  const path = join(folder.path, name);
  if (text !== undefined) writeFileSync(path, text);
  return path;
};

const right = {
  certPath: at("cert.pem", certificateOf("one")),
  keyPath: at("key.pem", keyOf("one")),
  clientCaPath: at("ca.pem", certificateOf("authority")),
};
// A link to itself: root reads every other file.
const loop = at("loop.pem");
symlinkSync(loop, loop);
const noPem = at("none.pem", "hello");
const torn = at("torn.pem", certificateOf("one").replace("CERTIFICATE", "CERTIFI"));

describe("serverTlsProblems", () => {
  const rows: readonly (readonly [
    name: string,
    paths: Partial<typeof right>,
    problems: readonly (readonly [variable: string, found: string])[],
  ])[] = [
    ["finds nothing wrong with files that fit", {}, []],
    [
      "names a file that is missing",
      { certPath: at("gone.pem") },
      [["SVC_BROKER_TLS_CERT", 'gone.pem" does not exist']],
    ],
    ["names a folder", { keyPath: folder.path }, [["SVC_BROKER_TLS_KEY", "is a folder"]]],
    [
      "names a file that cannot be read",
      { keyPath: loop },
      [["SVC_BROKER_TLS_KEY", "cannot be read: open: ELOOP"]],
    ],
    ["names a file without PEM text", { clientCaPath: noPem }, [["SVC_BROKER_TLS_CA", "no PEM"]]],
    [
      "names a key in the certificate's place",
      { certPath: right.keyPath },
      [["SVC_BROKER_TLS_CERT", "holds no certificates"]],
    ],
    [
      "names a certificate in the key's place",
      { keyPath: right.certPath },
      [["SVC_BROKER_TLS_KEY", "holds no private key"]],
    ],
    ["names a torn certificate", { certPath: torn }, [["SVC_BROKER_TLS_CERT", "no certificates"]]],
    [
      "names a key of another certificate",
      { keyPath: at("other.pem", keyOf("other")) },
      [["SVC_BROKER_TLS_KEY", "is another one's"]],
    ],
    [
      "names everything at once",
      { certPath: at("gone.pem"), keyPath: folder.path, clientCaPath: noPem },
      [
        ["SVC_BROKER_TLS_CERT", "does not exist"],
        ["SVC_BROKER_TLS_KEY", "is a folder"],
        ["SVC_BROKER_TLS_CA", "no PEM text"],
      ],
    ],
  ];
  for (const [name, paths, problems] of rows) {
    test(name, () => {
      const found = serverTlsProblems({ ...right, ...paths }, material);
      expect(found.map(({ variable }) => variable)).toEqual(problems.map(([variable]) => variable));
      problems.forEach(([, text], index) => {
        expect(found[index]?.message).toContain(text);
        expect(found[index]?.message).not.toContain("PRIVATE KEY");
      });
    });
  }
});
