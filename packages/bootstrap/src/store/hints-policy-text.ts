/**
 * The policy of the operator's token for hints: it reads the versions of secrets, and no value. A
 * `SCAN` of `detailed-metadata` answers them all at once (OpenBao).
 *
 * @param kvPath the engine's mount path, of characters that mean themselves in a policy
 */
export function hintsPolicyText(kvPath: string): string {
  return `# Made by svc secretstore init, whose next run undoes changes.

path "${kvPath}/metadata/*" {
  capabilities = ["read"]
}

path "${kvPath}/detailed-metadata/*" {
  capabilities = ["scan"]
}
# A token's own life. The policy "default" usually allows this as well; it may be changed or left out.
path "auth/token/renew-self" {
  capabilities = ["update"]
}

path "auth/token/revoke-self" {
  capabilities = ["update"]
}
`;
}
