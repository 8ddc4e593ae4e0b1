import { describe, expect, test } from "bun:test";
import type { Container } from "../pod/pod.ts";
import {
  decideSmall,
  injectedContainer,
  injectedPodOf,
  type SmallPod,
} from "./testdata/injected-container.ts";

const HTTP = "http://vault.test:8200";
const HTTPS = "https://vault.test:8200";
const HINT = "(the operator permits it by namespace: --insecure-vault-namespaces)";
const limited = { operator: { allowedAddresses: [HTTPS] } };
const mounted = (mountPath: string): Partial<Container> => ({
  volumeMounts: [{ name: "own", mountPath }],
});
const inWrapper = (mountPath: string) =>
  `container app: must be without a mount in /opt/svc, which is the wrapper's: it mounts "own" at ${mountPath}`;
const aliased = (hostname: string): SmallPod => ({
  ...limited,
  spec: { hostAliases: [{ ip: "192.0.2.9", hostnames: ["other.test", hostname] }] },
});
const redirected = (hostname: string) =>
  `pod: hostAliases: must be without the host of an allowed vault: "${hostname}" is given the address "192.0.2.9" (take the alias out: the cluster's DNS has the address of the vault)`;

const refusals: Readonly<Record<string, readonly [small: SmallPod, ...lines: string[]]>> = {
  "an address with a NUL": [
    { annotations: { "vault-address": `${HTTPS}/a\0b` } },
    "svc.internal/vault-address: must be without control characters: it holds U+0000",
  ],
  "an address with a control character": [
    { annotations: { "vault-address": `${HTTPS}/\u001b[2J` } },
    "svc.internal/vault-address: must be without control characters: it holds U+001B",
  ],
  "a SvcConfig's address with a control character": [
    { without: ["vault-address"], config: { vaultAddress: `${HTTPS}/\u0085` } },
    "SvcConfig shop/default: vaultAddress: must be without control characters: it holds U+0085",
  ],
  "a container's own address with a control character": [
    { container: { env: [{ name: "VAULT_ADDR", value: `${HTTPS}/\u0007` }] } },
    "container app: VAULT_ADDR: must be without control characters: it holds U+0007",
  ],
  "an invalid container's own address": [
    { container: { env: [{ name: "VAULT_ADDR", value: "vault" }] } },
    "container app: VAULT_ADDR: must be an http:// or https:// URL with a port: it is not one",
  ],
  "a mount at the wrapper's place": [{ container: mounted("/opt/svc") }, inWrapper("/opt/svc")],
  "a mount at the wrapper's place with more slashes": [
    { container: mounted("//opt//svc/") },
    inWrapper("//opt//svc/"),
  ],
  "a mount at the wrapper's place by a detour": [
    { container: mounted("/opt/x/../svc") },
    inWrapper("/opt/x/../svc"),
  ],
  "a mount of a file of the wrapper's by a detour": [
    { container: mounted("/opt/./svc/bin/../bin/svc-wrapper") },
    inWrapper("/opt/./svc/bin/../bin/svc-wrapper"),
  ],
  "a mount at the wrapper's place without the first slash": [
    { container: mounted("opt/svc") },
    inWrapper("opt/svc"),
  ],
  "a plain address": [
    { annotations: { "vault-address": HTTP } },
    `svc.internal/vault-address: must be an https:// address in namespace shop: got "${HTTP}" ${HINT}`,
  ],
  "a SvcConfig's plain address": [
    { without: ["vault-address"], config: { vaultAddress: HTTP } },
    `SvcConfig shop/default: vaultAddress: must be an https:// address in namespace shop: got "${HTTP}" ${HINT}`,
  ],
  "a container's own plain address": [
    { container: { env: [{ name: "VAULT_ADDR", value: HTTP }] } },
    `container app: VAULT_ADDR: must be an https:// address in namespace shop: got "${HTTP}" ${HINT}`,
  ],
  "a container's own address that only the node knows": [
    { container: { env: [{ name: "VAULT_ADDR", valueFrom: { configMapKeyRef: {} } }] } },
    "container app: VAULT_ADDR: must be written down, so that it is seen to be https: it is taken from elsewhere",
  ],
  "a certificate that is not verified": [
    { annotations: { "vault-tls-skip-verify": "true" } },
    `svc.internal/vault-tls-skip-verify: must be left out in namespace shop: it is true ${HINT}`,
  ],
  "a certificate that is not verified, by the annotation's other name": [
    { annotations: { "vault-skip-verify": "true" } },
    `svc.internal/vault-skip-verify (old name of svc.internal/vault-tls-skip-verify): must be left out in namespace shop: it is true ${HINT}`,
  ],
  "a certificate that a container's own variable does not verify": [
    { container: { env: [{ name: "VAULT_SKIP_VERIFY", value: "1" }] } },
    `container app: VAULT_SKIP_VERIFY: must be left out in namespace shop: it is set ${HINT}`,
  ],
  "a certificate that is perhaps not verified": [
    { container: { env: [{ name: "VAULT_SKIP_VERIFY", valueFrom: {} }] } },
    `container app: VAULT_SKIP_VERIFY: must be left out in namespace shop: it is taken from elsewhere ${HINT}`,
  ],
  "a namespace that is permitted neither, though another one is": [
    { annotations: { "vault-address": HTTP }, operator: { insecureVaultNamespaces: ["bank"] } },
    `svc.internal/vault-address: must be an https:// address in namespace shop: got "${HTTP}" ${HINT}`,
  ],
  "an alias for the vault": [aliased("vault.test"), redirected("vault.test")],
  "an alias for the vault in other letters": [aliased("VAULT.Test"), redirected("VAULT.Test")],
  "an alias for the vault with the root's dot": [aliased("vault.test."), redirected("vault.test.")],
  "an alias for a container's own vault": [
    {
      ...aliased("second.test"),
      operator: { allowedAddresses: [HTTPS, "https://second.test.:8200"] },
      container: { env: [{ name: "VAULT_ADDR", value: "https://second.test.:8200" }] },
    },
    redirected("second.test"),
  ],
  "its own name server": [
    { ...limited, spec: { dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.9"] } } },
    'pod: dnsConfig: must be without nameservers, if only some vaults are allowed: it has "192.0.2.9" (take them out: the cluster\'s DNS has the address of the vault)',
  ],
  "its own name server beside the cluster's": [
    { ...limited, spec: { dnsConfig: { nameservers: ["192.0.2.9", "192.0.2.10"] } } },
    'pod: dnsConfig: must be without nameservers, if only some vaults are allowed: it has "192.0.2.9" (take them out: the cluster\'s DNS has the address of the vault)',
  ],
  "its own search domain": [
    { ...limited, spec: { dnsPolicy: "Default", dnsConfig: { searches: ["evil.test"] } } },
    'pod: dnsConfig: must be without searches, if only some vaults are allowed: it has "evil.test" (take them out: the cluster\'s DNS has the address of the vault)',
  ],
  "an address that people read in another direction": [
    { annotations: { "vault-address": "https://vault\u202e.test:8200" } },
    'svc.internal/vault-address: must be an http:// or https:// URL with a port, such as https://vault.example:8200, in visible ASCII characters: got "https://vault\\u202e.test:8200"',
  ],
  "a mount over the file of names": [
    { ...limited, container: mounted("/etc//hosts") },
    'container app: must be without a mount at /etc/hosts, if only some vaults are allowed: it mounts "own" there',
  ],
  "a mount over the file of name servers": [
    { ...limited, container: mounted("/etc/x/../resolv.conf") },
    'container app: must be without a mount at /etc/resolv.conf, if only some vaults are allowed: it mounts "own" there',
  ],
};

describe("a pod is refused for", () => {
  for (const [name, [small, ...lines]] of Object.entries(refusals)) {
    test(name, () => {
      const decision = decideSmall(small);
      if (decision.kind !== "deny") throw new TypeError(`no refusal: ${JSON.stringify(decision)}`);
      expect(decision.message.split("\n").slice(1, -1)).toEqual(lines);
    });
  }
});

const permitted: Readonly<Record<string, SmallPod>> = {
  "a plain address if its namespace may": {
    annotations: { "vault-address": HTTP, "vault-skip-verify": "true" },
    operator: { insecureVaultNamespaces: ["shop"] },
  },
  "a plain address if every namespace may": {
    annotations: { "vault-address": HTTP },
    operator: { insecureVaultNamespaces: ["*"] },
  },
  "an address from elsewhere if its namespace may": {
    container: { env: [{ name: "VAULT_ADDR", valueFrom: { configMapKeyRef: {} } }] },
    operator: { insecureVaultNamespaces: ["shop"] },
  },
  "a plain address on the loopback": { annotations: { "vault-address": "http://127.0.0.1:8200" } },
  "a certificate that is verified in plain words": {
    annotations: { "vault-skip-verify": "false" },
  },
  "an alias for another host": aliased("vault.test.example"),
  "an alias for the vault if every address is allowed": {
    spec: { hostAliases: [{ ip: "192.0.2.9", hostnames: ["vault.test"] }] },
  },
  "its own name server if every address is allowed": {
    spec: { dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.9"] } },
  },
  "its own name server if the vault has an address": {
    operator: { allowedAddresses: ["https://192.0.2.1:8200", "https://[::1]:8200"] },
    annotations: { "vault-address": "https://192.0.2.1:8200" },
    spec: { dnsConfig: { nameservers: ["192.0.2.9"], searches: ["x.test"] } },
  },
  "the options of a resolver": {
    ...limited,
    spec: { dnsPolicy: "Default", dnsConfig: { nameservers: [], options: [{ name: "ndots" }] } },
  },
  "mounts beside the wrapper's place": { container: mounted("/opt/svc-data/../svc2") },
  "a mount above it": { container: mounted("/opt/") },
  "names in lines, as YAML folds them": { annotations: { "env-map": "a=A,\nb=B" } },
};

describe("a pod is injected into with", () => {
  for (const [name, small] of Object.entries(permitted)) {
    test(name, () => expect(injectedPodOf(small).spec.containers).toHaveLength(1));
  }
});

test("the namespace is the request's, not the pod's", () => {
  const small = { operator: { insecureVaultNamespaces: ["shop"] } };
  const plain = { ...small, annotations: { "vault-address": HTTP } };
  expect(decideSmall(plain).kind).toBe("patch");
  expect(decideSmall({ ...plain, namespace: "bank" }).kind).toBe("deny");
});

test("verification is written down if envFrom could turn it off", () => {
  const container = { envFrom: [{ configMapRef: { name: "settings" } }] };
  const entry = { name: "VAULT_SKIP_VERIFY", value: "false" };
  expect(injectedContainer({ container }).env).toContainEqual(entry);
  const operator = { insecureVaultNamespaces: ["*"] };
  expect(injectedContainer({ container, operator }).env).not.toContainEqual(entry);
});
