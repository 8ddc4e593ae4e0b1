import { join } from "node:path";
import { freePort, type ServerProcess, startServer } from "@svc/testing";
import { ownAddress } from "./own-address.ts";

const program = join(import.meta.dirname, "../../dist/bin/svc-operator");

/** A pod of the operator: the compiled program with the arguments that its Deployment has. */
export interface Replica extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  readonly process: ServerProcess;
  /** The status of a page under any certificate; undefined without an answer. */
  readonly ask: (
    path: string,
  ) => Promise<{ readonly status: number; readonly text: string } | undefined>;
  /** The lines of its log, parsed. */
  readonly log: () => readonly Readonly<Record<string, unknown>>[];
}

/** The options of a replica's start. */
export interface ReplicaOptions {
  readonly name: string;
  /** The arguments of the Deployment. */
  readonly args: readonly string[];
  /** Flags that go before those. */
  readonly flags: readonly string[];
  /** The kubeconfig of the operator's own account. */
  readonly kubeconfig: string;
  readonly folder: string;
  /** By default nothing. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Puts words before the command that change its surroundings. */
  readonly within?: ((words: readonly string[]) => readonly string[]) | undefined;
}

/** Starts a replica on a separate port, as an unprivileged user. */
export function startReplica(options: ReplicaOptions): Replica {
  const { name, args, flags, kubeconfig, folder, env = {}, within } = options;
  const port = freePort();
  const permits = `--permits-listen-addr=${ownAddress()}:${freePort()}`;
  const own = [`--listen-addr=${ownAddress()}:${port}`, permits, `--kubeconfig=${kubeconfig}`];
  // The last one of a name counts, at the place of the first.
  const words = new Map([...args, ...own, ...flags].map((flag) => [flag.split("=")[0], flag]));
  const process = startServer({
    binary: program,
    arguments: [...words.values()],
    ...{ folder, env, within },
  });
  return {
    ...{ name, port, process },
    ask: async (path) => {
      try {
        const url = `https://${ownAddress()}:${port}${path}`;
        const response = await fetch(url, {
          tls: { rejectUnauthorized: false },
          signal: AbortSignal.timeout(2000),
          // The certificate may change between two requests.
          headers: { Connection: "close" },
        });
        return { status: response.status, text: await response.text() };
      } catch {
        return undefined;
      }
    },
    log: () =>
      process
        .output()
        .split("\n")
        .flatMap((line) => (line.startsWith("{") ? [Object(JSON.parse(line))] : [])),
    [Symbol.asyncDispose]: () => process.kill(),
  };
}
