import { answer, type Call } from "../http/call.ts";
import { stringField } from "../http/fields.ts";
import type { StoreResponse } from "../http/responses.ts";
import { refuse } from "../model/errors.ts";
import type { KubernetesLogin, KubernetesRole } from "../model/kubernetes-role.ts";
import { issueToken, type Token } from "../model/tokens.ts";
import { authView } from "./token-view.ts";

/** `POST auth/<mount>/login` with `role` and `jwt`: the checks in OpenBao's order. */
export function kubernetesLogin(call: Call, login: KubernetesLogin): StoreResponse {
  const name = stringField(call.body, "role") || refuse(400, "missing role");
  const jwt = stringField(call.body, "jwt") || refuse(400, "missing jwt");
  const role = findRole(login, name);
  if (jwt !== login.jwt) refuse(403, "permission denied");
  refuseUnbound(login, role);
  const token = tokenFor(call, login, name, role);
  call.state.tokens.set(token.id, token);
  return answer(call, { auth: authView(token, call.now) });
}

function findRole(login: KubernetesLogin, name: string): KubernetesRole {
  const role = Object.hasOwn(login.roles, name) ? login.roles[name] : undefined;
  return role ?? refuse(400, `invalid role name "${name}"`);
}

function refuseUnbound(login: KubernetesLogin, role: KubernetesRole): void {
  const { name, namespace } = login.serviceAccount;
  const audiences = login.audiences ?? [];
  if (role.audience !== undefined && !audiences.includes(role.audience)) {
    const reason = "audience claim does not match any expected audience";
    refuse(403, `invalid audience (aud) claim: ${reason}`);
  }
  if (!includesOrAny(role.boundServiceAccountNamespaces, namespace)) {
    refuse(403, "namespace not authorized");
  }
  if (!includesOrAny(role.boundServiceAccountNames, name)) {
    refuse(403, "service account name not authorized");
  }
}

function includesOrAny(bound: readonly string[], name: string): boolean {
  return bound.includes("*") || bound.includes(name);
}

function tokenFor(call: Call, login: KubernetesLogin, name: string, role: KubernetesRole): Token {
  const account = login.serviceAccount;
  return issueToken(
    {
      id: `s.${call.state.random.letters()}`,
      accessor: call.state.random.letters(),
      policies: [...new Set([...role.policies, "default"])].sort(),
      displayName: `kubernetes-${account.namespace}-${account.name}`,
      path: call.request.path,
      meta: {
        role: name,
        service_account_name: account.name,
        service_account_namespace: account.namespace,
        service_account_secret_name: "",
        service_account_uid: account.uid ?? "",
      },
      entityId: call.state.random.uuid(),
      ttlMs: role.ttlMs ?? 0,
      maxTtlMs: role.maxTtlMs ?? 0,
    },
    call.now,
  );
}
