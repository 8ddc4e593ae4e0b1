/**
 * The policy of a wrapper's token: it reads every secret of the engine and changes none.
 *
 * @param kvPath the engine's mount path, of characters that mean themselves in a policy
 */
export function policyText(kvPath: string): string {
  return `# Made by svc secretstore init, whose next run undoes changes.

path "${kvPath}/data/*" {
  capabilities = ["read"]
}

# The versions of a secret, by which a change is seen without reading values.
path "${kvPath}/metadata/*" {
  capabilities = ["read", "list"]
}

# A token's own life. The policy "default" usually allows this as well; it may be changed or left out.
path "auth/token/lookup-self" {
  capabilities = ["read"]
}

path "auth/token/renew-self" {
  capabilities = ["update"]
}

path "auth/token/revoke-self" {
  capabilities = ["update"]
}

path "sys/leases/renew" {
  capabilities = ["update"]
}
`;
}
