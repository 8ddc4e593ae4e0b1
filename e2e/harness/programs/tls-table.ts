import { resolve } from "node:path";
import { compileGoModule } from "./compile-go-module.ts";

const FOLDER = resolve(import.meta.dir, "../../testdata/tls-table");

/** A row of testdata/tls-table: a server that listens, and who is expected to accept it. */
export interface TlsRow {
  readonly family: string;
  readonly name: string;
  readonly svc: boolean;
  readonly go: boolean;
  readonly openssl: boolean;
  /** A part of the wrapper's message; empty if it accepts the server. */
  readonly reason: string;
  readonly port: number;
  /** The name or the address that the server's certificate should have. */
  readonly host: string;
  /** The PEM certificates that clients trust. */
  readonly trusted: string;
  /** The client's own certificate and key in PEM; empty without one. */
  readonly clientCertificate: string;
  readonly clientKey: string;
  /** Why Go refuses the server; empty if it accepts it. */
  readonly goSays: string;
}

/** The servers of the table. Disposing ends them. */
export interface TlsTable extends AsyncDisposable {
  readonly rows: readonly TlsRow[];
}

/** Starts all servers. */
export async function startTlsTable(): Promise<TlsTable> {
  const program = compileGoModule({ name: "tls-table", folder: FOLDER, sources: [FOLDER] });
  const servers = Bun.spawn([program], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const text = await servers.stdout.text();
  return {
    rows: text
      .trimEnd()
      .split("\n")
      .map((line): TlsRow => JSON.parse(line)),
    [Symbol.asyncDispose]: async () => {
      await servers.stdin.end();
      await servers.exited;
    },
  };
}
