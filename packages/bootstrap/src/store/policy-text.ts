import type { PolicyScope } from "../settings.ts";

/** The inputs of the policy. */
export interface PolicyTarget {
  readonly scope: PolicyScope;
  /** The accessor of the auth method, by which the store knows who has logged in there. */
  readonly accessor: string;
}

/**
 * The policy of a wrapper's token: it reads secrets of the engine and changes none. If the scope
 * is not `all` the store itself puts the names of the one who has logged in into the paths.
 *
 * @param kvPath the engine's mount path, of characters that mean themselves in a policy
 */
export function policyText(kvPath: string, target: PolicyTarget = everything): string {
  return `# Made by svc secretstore init, whose next run undoes changes.

${pathsOf(target)
  .map((path) => rule(`${kvPath}/data/${path}`, ["read"]))
  .join("\n")}
# The versions of a secret, by which a change is seen without reading values.
${pathsOf(target)
  .map((path) => rule(`${kvPath}/metadata/${path}`, ["read", "list"]))
  .join("\n")}
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

const everything: PolicyTarget = { scope: "all", accessor: "" };

/** Below the engine's `data/` and `metadata/`. */
function pathsOf({ scope, accessor }: PolicyTarget): readonly string[] {
  const metadata = (name: string) => `{{identity.entity.aliases.${accessor}.metadata.${name}}}`;
  const namespace = metadata("service_account_namespace");
  const account = `${namespace}/${metadata("service_account_name")}`;
  switch (scope) {
    case "all":
      return ["*"];
    case "namespace":
      return [`${namespace}/*`];
    case "service-account":
      return [account, `${account}/*`];
  }
}

function rule(path: string, capabilities: readonly string[]): string {
  const listed = capabilities.map((it) => `"${it}"`).join(", ");
  return `path "${path}" {\n  capabilities = [${listed}]\n}\n`;
}
