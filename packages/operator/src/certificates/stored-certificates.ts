import type { Authority, Generation } from "./generation.ts";
import { KeyPem, revealKey } from "./key-pem.ts";
import { parseAuthorities, parseGeneration } from "./parse-generation.ts";

/** A place for a generation. */
export type Slot =
  | { readonly kind: "empty" }
  /** The Secret exists, and its content cannot be used. */
  | { readonly kind: "spoilt"; readonly problem: string }
  | { readonly kind: "usable"; readonly generation: Generation };

/** The content of the replicas' Secret. */
export interface StoredCertificates {
  /** The certificate that replicas serve. */
  readonly current: Slot;
  /** The certificate that they will serve once API servers have known its authority for a while. */
  readonly next: Slot;
  /** Authorities of certificates that replicas may still serve. */
  readonly old: readonly Authority[];
}

/** The content of a Secret that was never written. */
export const noCertificates: StoredCertificates = {
  current: { kind: "empty" },
  next: { kind: "empty" },
  old: [],
};

/** The keys of the Secret. The first three have the names of other programs (kubernetes.io/tls). */
const keys = {
  current: { certificate: "tls.crt", key: "tls.key", authority: "ca.crt" },
  next: { certificate: "next-tls.crt", key: "next-tls.key", authority: "next-ca.crt" },
} as const;
const OLD = "old-ca.crt";

/** Reads a Secret's `data`. An unreadable part is spoilt, or left out if it is an old authority. */
export function readStored(data: unknown): StoredCertificates {
  const texts = textsIn(data);
  const old = parseAuthorities(texts.get(OLD) ?? "").authorities;
  return { current: slotOf(texts, "current"), next: slotOf(texts, "next"), old };
}

/** The `data` for a merge patch: empty parts are removed. Holds private keys. */
export function storedData({ current, next, old }: StoredCertificates): object {
  const oldText = old.map(({ pem }) => pem).join("");
  return {
    ...slotData(current, "current"),
    ...slotData(next, "next"),
    [OLD]: oldText === "" ? null : encoded(oldText),
  };
}

function slotOf(texts: ReadonlyMap<string, string>, which: keyof typeof keys): Slot {
  const names = keys[which];
  const [certificatePem = "", key = "", authorityPem = ""] = [
    names.certificate,
    names.key,
    names.authority,
  ].map((name) => texts.get(name));
  if (certificatePem === "" && key === "" && authorityPem === "") return { kind: "empty" };
  const parsed = parseGeneration({ certificatePem, key: new KeyPem(key), authorityPem });
  return parsed.ok
    ? { kind: "usable", generation: parsed.value }
    : { kind: "spoilt", problem: parsed.problem };
}

function slotData(slot: Slot, which: keyof typeof keys): object {
  const names = keys[which];
  const usable = slot.kind === "usable" ? slot.generation : undefined;
  return {
    [names.certificate]: usable === undefined ? null : encoded(usable.certificatePem),
    [names.key]: usable === undefined ? null : encoded(revealKey(usable.key)),
    [names.authority]: usable === undefined ? null : encoded(usable.authority.pem),
  };
}

function textsIn(data: unknown): ReadonlyMap<string, string> {
  const entries = Object.entries(Object(data)).flatMap(([name, value]) =>
    typeof value === "string"
      ? [[name, Buffer.from(value, "base64").toString("utf8")] as const]
      : [],
  );
  return new Map(entries);
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64");
}
