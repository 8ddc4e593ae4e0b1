import type { DefaultRegistry } from "../../image/default-registry.ts";
import { parseImageReference } from "../../image/image-reference.ts";
import type { LoginSource } from "../login-provider.ts";
import { type LoginRule, rulesFor, rulesOf } from "./login-rules.ts";

/** An image of a pod. */
export interface AskedImage {
  readonly image: string;
  readonly namespace: string;
  /** The registry of images that name none. */
  readonly defaultRegistry: DefaultRegistry | undefined;
}

/**
 * The way in which the operator would log in for an image, for messages to users who cannot log in.
 * Undefined if it would not, or if the name is wrong.
 */
export function loginSourceOf(
  rules: readonly LoginRule[],
  { image, namespace, defaultRegistry }: AskedImage,
): LoginSource | undefined {
  try {
    const place = parseImageReference(image, defaultRegistry);
    return rulesFor(rulesOf(rules, namespace), place)[0]?.source;
  } catch {
    // The lookup reports the problem of the name.
    return undefined;
  }
}
