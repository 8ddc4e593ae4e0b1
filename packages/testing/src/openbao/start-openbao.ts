import { cacheFolder } from "../cache-folder.ts";
import { TestingError } from "../errors.ts";
import { freePort } from "../free-port.ts";
import { runsAsRoot } from "../runs-as-root.ts";
import { NOBODY, type ServerProcess, startServer } from "../server-process.ts";
import { type TemporaryFolder, temporaryFolder } from "../temporary-folder.ts";
import { waitFor } from "../wait-for.ts";
import type { BaoTarget } from "./bao-api.ts";
import { healthCode, initialiseOpenBao } from "./initialise-openbao.ts";
import { writeConfig } from "./openbao-config.ts";
import type { OpenBaoOptions } from "./openbao-options.ts";
import { openBaoBinary } from "./openbao-release.ts";

/** A real OpenBao server that runs. */
export interface OpenBao extends BaoTarget, AsyncDisposable {
  /** Base URL without a slash at the end. */
  readonly address: string;
  /** Empty when the server was left uninitialised. */
  readonly rootToken: string;
  /** The one key share; empty when the server was left uninitialised. */
  readonly unsealKey: string;
  /** The server's output so far. */
  readonly output: () => string;
  /** Kills the server and removes its folder; a second call does nothing. */
  readonly stop: () => Promise<void>;
}

/** Another program may take the port between our look and the server's bind. */
const ATTEMPTS = 3;

/**
 * Starts a real OpenBao on a free loopback port and waits until it is ready. Throws
 * `BINARY_MISSING` when the binary was not fetched, `SERVER_FAILED` with the server's output when
 * it does not start.
 */
export async function startOpenBao(options: OpenBaoOptions = {}): Promise<OpenBao> {
  const binary = openBaoBinary(cacheFolder(process.env));
  for (let attempt = 1; ; attempt++) {
    const started = await tryStart(binary, options);
    if ("address" in started) return started;
    if (attempt === ATTEMPTS) {
      throw new TestingError("SERVER_FAILED", `start OpenBao: it ended:\n${started.output}`);
    }
  }
}

async function tryStart(
  binary: string,
  options: OpenBaoOptions,
): Promise<OpenBao | { readonly output: string }> {
  const folder = temporaryFolder(runsAsRoot() ? NOBODY : undefined);
  const { host = "127.0.0.1", port = freePort() } = options;
  const devToken = `root-${crypto.randomUUID()}`;
  const server = launch(binary, options, { folder: folder.path, port, devToken });
  const scheme = options.tls === undefined ? "http" : "https";
  const target: BaoTarget = {
    address: `${scheme}://${host}:${port}`,
    rootToken: "",
    ...(options.tls === undefined ? {} : { caPem: options.tls.caPem }),
  };
  try {
    const deadlineMs = options.deadlineMs ?? 20_000;
    if (!(await answers(target, server, deadlineMs))) {
      await cleanUp(server, folder);
      return { output: server.output() };
    }
    const keys = await keysOf(target, server, options, { devToken, deadlineMs });
    return { ...target, ...keys, output: server.output, ...stopper(server, folder) };
  } catch (cause) {
    await cleanUp(server, folder);
    const said = server.output();
    throw new TestingError("SERVER_FAILED", `start OpenBao: ${String(cause)}:\n${said}`, { cause });
  }
}

interface Launch {
  readonly folder: string;
  readonly port: number;
  readonly devToken: string;
}

function launch(binary: string, options: OpenBaoOptions, place: Launch): ServerProcess {
  const dev = (options.storage ?? "dev") === "dev";
  const flags = dev
    ? ["-dev", "-dev-no-store-token", `-dev-listen-address=127.0.0.1:${place.port}`]
    : [`-config=${writeConfig(options, place)}`];
  // The token goes through the environment: every process can read a command line.
  const token: Record<string, string> = dev ? { BAO_DEV_ROOT_TOKEN_ID: place.devToken } : {};
  return startServer({
    binary,
    arguments: ["server", "-log-level=warn", ...flags],
    folder: place.folder,
    hosts: options.hosts,
    env: { HOME: place.folder, PATH: "/usr/bin:/bin", ...token },
  });
}

/** True once the server answers anything; false when it ended instead. */
async function answers(
  target: BaoTarget,
  server: ServerProcess,
  deadlineMs: number,
): Promise<boolean> {
  const first = await waitFor(
    async () => {
      if (server.exitCode() !== undefined) return "ended";
      return (await healthCode(target)) === undefined ? undefined : "answers";
    },
    { deadlineMs, what: `${target.address} to answer` },
  );
  return first === "answers";
}

async function keysOf(
  target: BaoTarget,
  server: ServerProcess,
  options: OpenBaoOptions,
  dev: { readonly devToken: string; readonly deadlineMs: number },
): Promise<{ readonly rootToken: string; readonly unsealKey: string }> {
  if ((options.storage ?? "dev") === "dev") {
    const what = "the development server to print its unseal key";
    const printed = () => /^Unseal Key: (\S+)/m.exec(server.output())?.[1];
    const unsealKey = await waitFor(printed, { deadlineMs: dev.deadlineMs, what });
    return { rootToken: dev.devToken, unsealKey };
  }
  if (options.initialise === false) return { rootToken: "", unsealKey: "" };
  return initialiseOpenBao(target, dev.deadlineMs);
}

function stopper(
  server: ServerProcess,
  folder: TemporaryFolder,
): Pick<OpenBao, "stop" | typeof Symbol.asyncDispose> {
  const stop = () => cleanUp(server, folder);
  return { stop, [Symbol.asyncDispose]: stop };
}

async function cleanUp(server: ServerProcess, folder: TemporaryFolder): Promise<void> {
  await server.kill();
  folder[Symbol.dispose]();
}
