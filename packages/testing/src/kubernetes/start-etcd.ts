import { join } from "node:path";
import { TestingError } from "../errors.ts";
import { runsAsRoot } from "../runs-as-root.ts";
import { NOBODY, startServer } from "../server-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { waitFor } from "../wait-for.ts";

/** A real etcd of one member. */
export interface Etcd extends AsyncDisposable {
  /** What `--etcd-servers` takes. */
  readonly endpoint: string;
}

const READY = "ready to serve client requests";

/**
 * Starts etcd on sockets in a folder that no other user can enter: it authenticates no client.
 * Throws `SERVER_FAILED` with its output when it does not start.
 */
export async function startEtcd(binary: string, deadlineMs: number): Promise<Etcd> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder(runsAsRoot() ? NOBODY : undefined));
  const endpoint = `unix://${join(folder.path, "client.sock")}`;
  const server = startServer({
    binary,
    arguments: etcdFlags(folder.path, endpoint),
    folder: folder.path,
    env: { HOME: folder.path, PATH: "/usr/bin:/bin" },
  });
  stack.defer(() => server.kill());
  await waitFor(
    () => {
      if (server.exitCode() === undefined) return server.output().includes(READY);
      throw new TestingError("SERVER_FAILED", `start etcd: it ended:\n${server.output()}`);
    },
    { deadlineMs, what: "etcd to be ready" },
  );
  const started = stack.move();
  return { endpoint, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** Wants a host and a port even of a socket, and makes of them a file in its folder. */
const PEER = "unix://peer:1";

function etcdFlags(folder: string, endpoint: string): readonly string[] {
  return [
    `--data-dir=${join(folder, "data")}`,
    "--name=test",
    `--listen-client-urls=${endpoint}`,
    // No client asks it for other addresses.
    "--advertise-client-urls=unix://client:1",
    `--listen-peer-urls=${PEER}`,
    `--initial-advertise-peer-urls=${PEER}`,
    `--initial-cluster=test=${PEER}`,
    // Its data ends with the test: nothing has to survive a power cut.
    "--unsafe-no-fsync",
  ];
}
