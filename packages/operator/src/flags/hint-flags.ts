import {
  complain,
  flagOnly,
  isRemotePlaintext,
  parseAuthPath,
  parseFilePath,
  parseOneOf,
  parsePlainText,
  parseServerUrl,
  parseVaultNamespace,
  quoted,
} from "@svc/settings";
import { type FlagReading, requireBeside } from "./flag-reading.ts";
import type { permitFlags } from "./process-flags.ts";

const group = "Version hints";

/** How the operator learns the versions of secrets, and tells wrappers of new ones. */
export const hintFlags = {
  hintsAddress: flagOnly({
    name: "--hints-vault-address",
    group,
    type: "url",
    parse: parseServerUrl,
    meaning:
      "The vault whose secrets the operator watches for wrappers, as their VAULT_ADDR names it. They hear of a changed secret at once, and ask the vault rarely in between. It needs --rotation-permits. Unset, each wrapper asks the vault by itself.",
  }),
  hintsNamespace: flagOnly({
    name: "--hints-vault-namespace",
    group,
    type: "name",
    parse: parseVaultNamespace,
    meaning: "Its namespace, as the wrappers' VAULT_NAMESPACE names it.",
  }),
  hintsRole: flagOnly({
    name: "--hints-vault-role",
    group,
    type: "name",
    default: "svc-version-hints",
    parse: parsePlainText,
    meaning:
      "The role of the operator's login. It should grant `read` on `MOUNT/metadata/*`, and `scan` on `MOUNT/detailed-metadata/*` if the vault has that. It needs no right to read values.",
  }),
  hintsMethod: flagOnly({
    name: "--hints-vault-auth-method",
    group,
    type: "method",
    default: "kubernetes",
    parse: parseOneOf(["kubernetes", "jwt"]),
    meaning: "How the operator logs in.",
  }),
  hintsPath: flagOnly({
    name: "--hints-vault-auth-path",
    group,
    type: "path",
    parse: parseAuthPath,
    meaning: "The mount of the auth method. Unset: the name of the method.",
  }),
  hintsAuthority: flagOnly({
    name: "--hints-vault-ca-file",
    group,
    type: "file",
    parse: parseFilePath,
    meaning:
      "PEM file with the CA certificates that the vault is verified by. Unset: those of the image.",
  }),
  hintsToken: flagOnly({
    name: "--hints-vault-token-file",
    group,
    type: "file",
    default: "/etc/svc/hints/token",
    parse: parseFilePath,
    meaning:
      "File with the token of the operator's service account, for an audience that the role accepts. It is read at each login.",
  }),
};

/** The vault that versions are looked up in, and the operator's login there. */
export interface HintSettings {
  readonly address: string;
  readonly namespace: string | undefined;
  readonly role: string;
  readonly method: "kubernetes" | "jwt";
  /** The mount of the auth method. */
  readonly mountPath: string;
  readonly authorityFile: string | undefined;
  readonly tokenFile: string;
}

type HintReading = FlagReading<typeof hintFlags & Pick<typeof permitFlags, "permits">>;

/** The rules for hints; `permitsInsecure` allows a vault without TLS. */
export function readHints(
  reading: HintReading,
  { permitsInsecure }: { readonly permitsInsecure: boolean },
): HintSettings | undefined {
  const { values } = reading;
  const { hintsAddress: address, hintsNamespace: namespace, hintsRole: role } = values;
  const { hintsMethod: method, hintsPath, hintsAuthority, hintsToken: tokenFile } = values;
  for (const key of optional) requireBeside(reading, hintFlags, [key, "hintsAddress"]);
  if (address === undefined) return undefined;
  const variable = hintFlags.hintsAddress.name;
  if (!values.permits) {
    const wanted = "left out if --rotation-permits is false";
    complain(reading, { variable, wanted, found: "it is set" });
  }
  if (isRemotePlaintext(address) && !permitsInsecure) {
    complain(reading, {
      variable,
      wanted: "an https:// address",
      found: `got ${quoted(address)}`,
      hint: "the operator's own namespace can be permitted it: --insecure-vault-namespaces",
    });
  }
  return {
    ...{ address, namespace, role, method, tokenFile },
    mountPath: hintsPath ?? method,
    authorityFile: hintsAuthority,
  };
}

const optional = ["hintsNamespace", "hintsPath", "hintsAuthority"] as const;
