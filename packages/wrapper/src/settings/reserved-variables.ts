import type { SecretMapping } from "./wrapper-settings.ts";

/**
 * True for a variable that no secret may be delivered as.
 *
 * SVC_SECRET_FD belongs to the wrapper. LD_* and GLIBC_TUNABLES control the
 * dynamic loader before the program's first instruction: an author of a secret could run
 * code of their own in the program. The same goes for `BASH_FUNC_name%%`, of which bash makes
 * functions
 * . Names that arise from `*=PREFIX_*` are only known after the
 * fetch and are checked then.
 */
export function isReservedVariable(name: string): boolean {
  const isFunction = name.startsWith("BASH_FUNC_") && /(?:%%|\(\))$/.test(name);
  const isWrapper = name === "SVC_SECRET_FD";
  return isWrapper || isFunction || name === "GLIBC_TUNABLES" || name.startsWith("LD_");
}

/** The reserved names that mappings deliver, as far as the mappings alone show it. */
export function reservedNames(mappings: readonly SecretMapping[]): readonly string[] {
  return mappings
    .map((mapping) => (mapping.kind === "every" ? mapping.prefix : mapping.variable))
    .filter(isReservedVariable);
}
