import { accepted, type Parsed, refused } from "@svc/settings";
import { parseObjectName } from "../annotations/parse-names.ts";

/** Which SvcConfig. */
export interface ConfigName {
  readonly namespace: string;
  readonly name: string;
}

/** Parses NAMESPACE/NAME. */
export function parseConfigName(text: string): Parsed<ConfigName> {
  const [namespace = "", name = "", ...rest] = text.split("/");
  const isGood = rest.length === 0 && parseObjectName(namespace).ok && parseObjectName(name).ok;
  return isGood ? accepted({ namespace, name }) : refused("NAMESPACE/NAME of a SvcConfig");
}
