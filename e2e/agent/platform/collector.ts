import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { gunzipSync } from "node:zlib";
import { cacheFolder, freePort, waitFor } from "@svc/testing";
import { collectorProgram } from "../../../scripts/collector/collector-release.ts";

/** The records that a collector has received, as it passes them on. */
export interface ReceivedRecord {
  readonly id: string;
  readonly kind: string;
  readonly severity: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly atMs: number;
}

/** The receiver of everything that a collector sends. */
export interface Sink extends AsyncDisposable {
  readonly port: number;
  readonly received: () => readonly ReceivedRecord[];
}

/** Takes OTLP as JSON, into which the collector converts the agent's requests. */
export function startSink(): Sink {
  const received: ReceivedRecord[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const atMs = Date.now();
      const encoded = await request.bytes();
      const isZipped = request.headers.get("content-encoding") === "gzip";
      const text = new TextDecoder().decode(isZipped ? gunzipSync(encoded) : encoded);
      received.push(...recordsOf(JSON.parse(text), atMs));
      return Response.json({});
    },
  });
  return {
    port: server.port ?? 0,
    received: () => received,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** TLS of a collector's receivers. */
export interface CollectorTls {
  readonly certPath: string;
  readonly keyPath: string;
  /** The CA of clients, which then need a certificate. */
  readonly clientCaPath?: string;
}

/** A collector that can be killed and started again on its ports. */
export interface Collector extends AsyncDisposable {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly start: () => Promise<void>;
  readonly kill: () => Promise<void>;
}

/** Prepares a real OpenTelemetry Collector; it is started by `start`. */
export async function prepareCollector(
  folder: string,
  sink: Sink,
  tls?: CollectorTls,
): Promise<Collector> {
  const [grpcPort, httpPort] = [await freePort(), await freePort()];
  const config = join(folder, "collector.yaml");
  writeFileSync(config, JSON.stringify(configOf({ grpcPort, httpPort, sink, tls })));
  let child: Bun.Subprocess | undefined;
  const kill = async (): Promise<void> => {
    child?.kill("SIGKILL");
    await child?.exited;
    child = undefined;
  };
  return {
    grpcPort,
    httpPort,
    kill,
    start: async () => {
      const log = join(folder, "collector.log");
      child = Bun.spawn([collectorProgram(cacheFolder(env)), "--config", `file:${config}`], {
        stdio: ["ignore", Bun.file(log), Bun.file(log)],
        env: {},
      });
      const started = child;
      const listens = async () => {
        if (started.exitCode !== null)
          throw new Error(`the collector ended: ${await Bun.file(log).text()}`);
        return (await answers(grpcPort)) && answers(httpPort);
      };
      await waitFor(listens, {
        deadlineMs: 20_000,
        what: "the collector to listen",
      });
    },
    [Symbol.asyncDispose]: kill,
  };
}

interface Configured {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly sink: Sink;
  readonly tls: CollectorTls | undefined;
}

/** JSON is YAML, too. */
function configOf({ grpcPort, httpPort, sink, tls }: Configured) {
  const receiving = (port: number) => ({
    endpoint: `127.0.0.1:${port}`,
    ...(tls && {
      tls: {
        cert_file: tls.certPath,
        key_file: tls.keyPath,
        ...(tls.clientCaPath !== undefined && { client_ca_file: tls.clientCaPath }),
      },
    }),
  });
  const exporter = {
    endpoint: `http://127.0.0.1:${sink.port}`,
    encoding: "json",
    // The collector answers after the sink has: it cannot lose a record that it has acknowledged.
    sending_queue: { enabled: false },
  };
  const pipeline = { receivers: ["otlp"], exporters: ["otlphttp"] };
  return {
    receivers: { otlp: { protocols: { grpc: receiving(grpcPort), http: receiving(httpPort) } } },
    exporters: { otlphttp: exporter },
    service: {
      telemetry: { metrics: { level: "none" } },
      pipelines: { logs: pipeline },
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: { open: () => resolve(true), error: () => resolve(false), data: () => undefined },
  }).catch(() => resolve(false));
  const result = await promise;
  socket?.end();
  return result;
}

type Json = Readonly<Record<string, unknown>>;

/** ExportLogsServiceRequest as JSON (OTLP specification, "JSON Protobuf Encoding"). */
function recordsOf(request: unknown, atMs: number): readonly ReceivedRecord[] {
  return list(request, "resourceLogs").flatMap((resourceLogs) =>
    list(resourceLogs, "scopeLogs").flatMap((scopeLogs) =>
      list(scopeLogs, "logRecords").map((record): ReceivedRecord => {
        const attributes = attributesOf(record);
        return {
          id: String(attributes["svc.event.id"]),
          kind: String(attributes["svc.event.kind"]),
          severity: String(record["severityText"]),
          attributes,
          resource: attributesOf(resourceLogs["resource"] as Json),
          body: plainValue(record["body"] as Json),
          atMs,
        };
      }),
    ),
  );
}

function list(parent: unknown, name: string): readonly Json[] {
  return ((parent as Json)[name] as readonly Json[] | undefined) ?? [];
}

function attributesOf(parent: Json): Json {
  return Object.fromEntries(
    list(parent, "attributes").map(({ key, value }) => [key, plainValue(value as Json)]),
  );
}

/** AnyValue: an object with one field, whose name is the type. */
function plainValue(value: Json): unknown {
  if ("kvlistValue" in value) {
    return Object.fromEntries(
      list(value["kvlistValue"], "values").map(({ key, value }) => [
        key,
        plainValue(value as Json),
      ]),
    );
  }
  if ("arrayValue" in value) return list(value["arrayValue"], "values").map(plainValue);
  return Object.values(value)[0];
}
