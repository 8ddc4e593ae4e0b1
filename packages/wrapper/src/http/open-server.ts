import { fileStamp, readWholeFile, SyscallError } from "@svc/kernel";
import { readSecretFile } from "@svc/secret-bytes";
import { failure, WrapperError } from "../errors.ts";
import type { Logger } from "../log.ts";
import type { HealthSettings } from "../settings.ts";
import {
  errorCode,
  type HttpServer,
  type HttpServerTls,
  type OpenHttpServer,
} from "./http-server.ts";
import type { HttpService } from "./http-service.ts";
import { nodeAddresses } from "./node-addresses.ts";

const MAX_PEM_BYTES = 1 << 20;
const TLS_CHECK_MS = 5000;

type TlsPaths = NonNullable<HealthSettings["tls"]>;

/** A server that stands open. */
export interface OpenServer {
  readonly address: string;
  readonly port: number;
  /** Asks the service again for answers that still hold. */
  forget(): void;
  /** Takes no new connection; open ones get their answer. */
  close(): void;
  /** Closes everything at once. */
  stop(): void;
}

/** A server to open. */
export interface ServerToOpen {
  readonly settings: HealthSettings;
  readonly service: HttpService;
  readonly log: Logger;
  readonly openHttpServer: OpenHttpServer;
  /** True if clients send secrets. */
  readonly takesSecrets?: boolean;
  /** How often certificate files are looked at; by default every 5 s. */
  readonly tlsCheckMs?: number;
}

/**
 * Opens a server at the address of the settings. With TLS it reads the files again when they have
 * changed.
 *
 * @throws SyscallError if a file cannot be read, WrapperError if it holds no PEM text, an
 *   error with a `code` if the server cannot listen.
 */
export function openServer(wanted: ServerToOpen): OpenServer {
  const { settings, service, log, openHttpServer, takesSecrets = false } = wanted;
  const { tlsCheckMs = TLS_CHECK_MS } = wanted;
  const { host, port, tls: paths } = settings;
  const plain = { host, port, service, spared: nodeAddresses(settings.nodeIp), takesSecrets };
  if (paths === undefined) return openHttpServer(plain);
  const stamp = stampOf(paths);
  const tls = readTls(paths);
  const server = openHttpServer({ ...plain, tls });
  const following = followFiles({ paths, server, log, tlsCheckMs }, { stamp, tls });
  return {
    ...server,
    close: () => {
      following.stop();
      server.close();
    },
    stop: () => {
      following.stop();
      server.stop();
    },
  };
}

interface Served {
  /** The stamp of the files as they were last tried. */
  readonly stamp: string;
  readonly tls: HttpServerTls;
}

interface Following {
  readonly paths: TlsPaths;
  readonly server: HttpServer;
  readonly log: Logger;
  readonly tlsCheckMs: number;
}

/**
 * Looks at the files now and then. A pair that does not fit, half written perhaps, is said once and
 * tried again when it has changed again; until then the former one is served.
 */
function followFiles({ paths, server, log, tlsCheckMs }: Following, first: Served) {
  let served = first;
  const timer = setInterval(() => {
    const stamp = stampOf(paths);
    if (stamp === served.stamp) return;
    try {
      const tls = readTls(paths);
      server.changeTls(tls, served.tls);
      served = { stamp, tls };
      log.info("the health server's certificate was replaced");
    } catch (error) {
      served = { ...served, stamp };
      log.warn("the health server's new certificate cannot be used: the former one stays", {
        reason: reasonOf(error),
      });
    }
  }, tlsCheckMs);
  return { stop: () => clearInterval(timer) };
}

/** Why a server does not open, for the log. */
export function reasonOf(error: unknown): string {
  return error instanceof WrapperError || error instanceof SyscallError
    ? error.message
    : errorCode(error);
}

function stampOf({ certPath, keyPath, clientCaPath }: TlsPaths): string {
  const paths = [certPath, keyPath, ...(clientCaPath === undefined ? [] : [clientCaPath])];
  return paths.map(stampOrAbsence).join("; ");
}

function stampOrAbsence(path: string): string {
  try {
    return fileStamp(path);
  } catch (error) {
    return errorCode(error);
  }
}

function readTls({ certPath, keyPath, clientCaPath }: TlsPaths): HttpServerTls {
  const own = { certificate: readPem(certPath), key: readSecretFile(keyPath, MAX_PEM_BYTES) };
  return clientCaPath === undefined ? own : { ...own, clientCa: readPem(clientCaPath) };
}

/** An empty file is refused here, so that it never means "no authority". */
function readPem(path: string): string {
  const text = new TextDecoder().decode(readWholeFile(path, MAX_PEM_BYTES));
  if (text.includes("-----BEGIN ")) return text;
  throw new WrapperError([
    failure("SETTINGS_INVALID", `read ${path}: it holds no PEM text`, "see SVC_BROKER_TLS_CERT"),
  ]);
}
