import { accepted, type Parsed, type Parser, quoted, refused } from "@svc/settings";

const label = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const forms = {
  label: new RegExp(`^${label}$`),
  subdomain: new RegExp(`^${label}(?:\\.${label})*$`),
} as const;
const LONGEST_LABEL = 63;
const LONGEST_SUBDOMAIN = 253;
const key = /^[-._a-zA-Z0-9]+$/;

/** Parses the name of a container. */
export function parseContainerName(text: string): Parsed<string> {
  return text.length <= LONGEST_LABEL && forms.label.test(text)
    ? accepted(text)
    : refused("the name of a container");
}

/** Parses the name of an object such as a Secret (RFC 1123 subdomain). */
export function parseObjectName(text: string): Parsed<string> {
  return text.length <= LONGEST_SUBDOMAIN && forms.subdomain.test(text)
    ? accepted(text)
    : refused("the name of an object in the pod's namespace");
}

/** One key of a Secret of the pod's namespace. */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** A parser for `NAME` or `NAME/KEY`; the key is the given one if none is named. */
export function parseSecretKey(defaultKey: string): Parser<SecretKey> {
  return (text) => {
    const [name = "", chosen = defaultKey, ...rest] = text.split("/");
    const isGood = rest.length === 0 && key.test(chosen) && parseObjectName(name).ok;
    if (isGood) return accepted({ name, key: chosen });
    return refused(`NAME or NAME/KEY of a Secret, by default with the key ${quoted(defaultKey)}`);
  };
}

/** Parses a reference of an image, as far as it can be told without a registry. */
export function parseImageReference(text: string): Parsed<string> {
  return /^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$/.test(text)
    ? accepted(text)
    : refused("an image, such as registry.example/svc-wrapper:1.0.0");
}
