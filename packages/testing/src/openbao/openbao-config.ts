import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import type { OpenBaoOptions } from "./openbao-options.ts";

/** The address and the folders of a server. */
export interface ServerPlace {
  readonly folder: string;
  readonly port: number;
}

/**
 * Writes the configuration of an `inmem` or `raft` server into its folder; gives the file's path.
 */
export function writeConfig(options: OpenBaoOptions, place: ServerPlace): string {
  const scheme = options.tls === undefined ? "http" : "https";
  const { host = "127.0.0.1" } = options;
  const clusterPort = freePort();
  const config = {
    api_addr: `${scheme}://${host}:${place.port}`,
    cluster_addr: `https://${host}:${clusterPort}`,
    listener: [{ tcp: listener(options, place, clusterPort) }],
    storage: storage(options, place),
    log_level: "warn",
  };
  return writeInto(place, "config.json", JSON.stringify(config));
}

function listener(
  options: OpenBaoOptions,
  place: ServerPlace,
  clusterPort: number,
): Record<string, unknown> {
  const { tls, maxJsonStrings, host = "127.0.0.1" } = options;
  const limits = maxJsonStrings === undefined ? {} : { max_request_json_strings: maxJsonStrings };
  const where = { address: `${host}:${place.port}`, cluster_address: `${host}:${clusterPort}` };
  if (tls === undefined) return { ...where, ...limits, tls_disable: true };
  const files = {
    tls_cert_file: writeInto(place, "server.crt", tls.certificatePem),
    tls_key_file: writeInto(place, "server.key", tls.keyPem),
  };
  return { ...where, ...limits, ...files };
}

function storage(options: OpenBaoOptions, place: ServerPlace): Record<string, unknown> {
  if (options.storage !== "raft") return { inmem: {} };
  // The folder belongs to the user that the server runs as; one made in it now would be ours.
  // The multiplier is for production's slow networks: 1 lets a lone node lead at once.
  const { nodeId = "test" } = options;
  return { raft: { path: place.folder, node_id: nodeId, performance_multiplier: 1 } };
}

/** Readable for all: the folder around it is the server's alone. */
function writeInto(place: ServerPlace, name: string, text: string): string {
  const path = join(place.folder, name);
  writeFileSync(path, text, { mode: 0o644 });
  return path;
}
