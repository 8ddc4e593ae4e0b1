/** Names that begin like this are the wrapper's, or of a vault client. */
export const wrapperPrefixes: readonly string[] = ["VAULT_", "SVC_"];

const otherNames: readonly string[] = ["RENEWAL_INTERVAL", "HEALTH_ADDR", "SECRET_PATHS"];

/**
 * True for a variable that is meant for the wrapper. The program does not get it unless
 * SVC_PASS_ENV names it.
 */
export function isWrapperVariable(name: string): boolean {
  return wrapperPrefixes.some((prefix) => name.startsWith(prefix)) || otherNames.includes(name);
}
