import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificateAuthority, kubeconfig } from "@svc/testing";
import { NODE } from "./node-settings.ts";

/** The clients of the API server, with their groups. RBAC has rules for all but the first. */
const USERS = {
  administrator: ["administrator", "system:masters"],
  "controller-manager": ["system:kube-controller-manager", ""],
  scheduler: ["system:kube-scheduler", ""],
  kubelet: [`system:node:${NODE.name}`, "system:nodes"],
  proxy: ["system:kube-proxy", ""],
  "name-server": ["name-server", "system:masters"],
} as const;

/** A user of the cluster's own servers. */
export type ClusterUser = keyof typeof USERS;

/** Keys of a cluster, as files in its folder of settings. */
export interface ClusterKeys {
  readonly caPem: string;
  /** The administrator's token. */
  readonly token: string;
  readonly kubeconfigOf: (user: ClusterUser) => string;
}

/** The address of the API server. */
export const API_ADDRESS = `https://${NODE.address}:${NODE.apiPort}`;

/** The name by which the kubelet knows the API server. */
export const API_CLIENT = "kube-apiserver";

/** Makes the authority, certificates, tokens and kubeconfigs, and writes them into the folder. */
export async function writeClusterKeys(folder: string): Promise<ClusterKeys> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, text: string) =>
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  const authority = await certificateAuthority("svc test cluster CA");
  const caPem = authority.certificatePem;
  write("ca.crt", caPem);
  for (const [name, names] of Object.entries(CERTIFICATES)) {
    const issued = await authority.issue({ names });
    write(`${name}.crt`, issued.certificatePem);
    write(`${name}.key`, issued.keyPem);
  }
  const tokens = new Map(Object.keys(USERS).map((user) => [user, crypto.randomUUID()]));
  const tokenOf = (user: ClusterUser) => tokens.get(user) ?? "";
  const users = Object.keys(USERS) as readonly ClusterUser[];
  write("users.csv", users.map((user) => userLine(user, tokenOf(user))).join(""));
  for (const user of users) {
    const target = { address: API_ADDRESS, caPem, token: tokenOf(user) };
    write(`${user}.kubeconfig`, kubeconfig(target));
  }
  await writeSigningKeys(folder);
  const kubeconfigOf = (user: ClusterUser) => join(folder, `${user}.kubeconfig`);
  return { caPem, token: tokenOf("administrator"), kubeconfigOf };
}

/** The names that each certificate is for; the first of a client's certificate is its user. */
const CERTIFICATES: Readonly<Record<string, readonly string[]>> = {
  "api-server": [
    ...["kubernetes", "kubernetes.default", "kubernetes.default.svc"],
    ...["kubernetes.default.svc.cluster.local", "localhost", "127.0.0.1"],
    ...[NODE.address, NODE.apiService],
  ],
  "api-client": [API_CLIENT],
  kubelet: [NODE.name, NODE.address],
  registry: [NODE.registry.replace(/:\d+$/, ""), NODE.address],
};

function userLine(user: ClusterUser, token: string): string {
  const [name, groups] = USERS[user];
  return `${token},${name},${name},"${groups}"\n`;
}

/** The pair that service accounts' tokens are signed and checked with: RSA, as kubeadm makes it. */
async function writeSigningKeys(folder: string): Promise<void> {
  const algorithm = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
    hash: "SHA-256",
  };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const forms = [
    ["tokens.key", "PRIVATE KEY", await crypto.subtle.exportKey("pkcs8", keys.privateKey)],
    ["tokens.pub", "PUBLIC KEY", await crypto.subtle.exportKey("spki", keys.publicKey)],
  ] as const;
  for (const [name, label, bytes] of forms) {
    const lines =
      Buffer.from(bytes)
        .toString("base64")
        .match(/.{1,64}/g) ?? [];
    const text = `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
}
