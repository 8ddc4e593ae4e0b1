import type { Certificate } from "../certificates/certificate-authority.ts";

/** How a real server is started. */
export interface OpenBaoOptions {
  /**
   * `dev` (the default) is ready at once, with KV version 2 at `secret/`. `inmem` and `raft` are
   * servers as in production: initialised with one key share and unsealed, with nothing mounted.
   */
  readonly storage?: "dev" | "inmem" | "raft";
  /** Listens with this certificate instead of plain HTTP; `inmem` and `raft` only. */
  readonly tls?: Certificate & { readonly caPem: string };
  /** False leaves an `inmem` or `raft` server uninitialised; by default true. */
  readonly initialise?: boolean;
  /** The name of a `raft` server in a cluster; by default `test`. */
  readonly nodeId?: string;
  /** The loopback address that it listens on; by default 127.0.0.1. `inmem` and `raft` only. */
  readonly host?: string;
  /**
   * Its port, for servers that differ in the address alone; by default any free one. `inmem` and
   * `raft` only.
   */
  readonly port?: number;
  /** A file that it finds as /etc/hosts, if it is to find others by name. */
  readonly hosts?: string;
  /** The most strings in one request; by default OpenBao's own 1000. `inmem` and `raft` only. */
  readonly maxJsonStrings?: number;
  /** How long the server may take to be ready, in milliseconds; by default 20,000. */
  readonly deadlineMs?: number;
}
