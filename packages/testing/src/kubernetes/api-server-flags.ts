import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Certificate } from "../certificates/certificate-authority.ts";
import type { TokenSigningKeys } from "./token-signing-keys.ts";

/** The flags of an API server. */
export interface ApiServerRequest {
  /** The server's own folder, which no other user can enter. */
  readonly folder: string;
  readonly port: number;
  readonly etcdEndpoint: string;
  readonly certificate: Certificate;
  readonly signingKeys: TokenSigningKeys;
  /** The bearer token of the administrator. */
  readonly adminToken: string;
  /**
   * Whether webhooks are called at the endpoints of their services, as no proxy forwards cluster
   * IPs.
   */
  readonly callsEndpoints: boolean;
}

/** The issuer and the audience of tokens that are asked for nothing else; kubeadm's default. */
const ISSUER = "https://kubernetes.default.svc.cluster.local";

/** Writes the files that the flags name and gives the flags. */
export function apiServerFlags(wanted: ApiServerRequest): readonly string[] {
  const file = (name: string, text: string) => writeInto(wanted.folder, name, text);
  const { certificate, signingKeys, adminToken, callsEndpoints } = wanted;
  // Fields: token, user, user id, groups. RBAC asks nothing of members of system:masters.
  const administrator = `${adminToken},administrator,administrator,system:masters\n`;
  return [
    `--etcd-servers=${wanted.etcdEndpoint}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${wanted.port}`,
    // An address for documentation (RFC 5737), because loopback is refused and a machine may have
    // no other; no client learns of it.
    "--advertise-address=192.0.2.1",
    "--endpoint-reconciler-type=none",
    `--tls-cert-file=${file("server.crt", certificate.certificatePem)}`,
    `--tls-private-key-file=${file("server.key", certificate.keyPem)}`,
    `--service-account-issuer=${ISSUER}`,
    `--service-account-key-file=${file("tokens.pub", signingKeys.publicPem)}`,
    `--service-account-signing-key-file=${file("tokens.key", signingKeys.privatePem)}`,
    `--token-auth-file=${file("users.csv", administrator)}`,
    "--service-cluster-ip-range=10.96.0.0/24",
    "--authorization-mode=Node,RBAC",
    "--enable-admission-plugins=NodeRestriction",
    "--allow-privileged=true",
    "--profiling=false",
    `--enable-aggregator-routing=${callsEndpoints}`,
  ];
}

/** Readable for all, that is for the server's user: the folder around it is the server's alone. */
function writeInto(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o644 });
  return path;
}
