import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificateAuthority, temporaryFolder, waitFor } from "@svc/testing";
import { type RunningAgent, startAgent } from "../../harness/agent/running-agent.ts";
import {
  type Collector,
  type CollectorTls,
  prepareCollector,
  type ReceivedRecord,
  type Sink,
  startSink,
} from "./collector.ts";

/** How events get to the collector. */
export interface PlatformRequest {
  readonly scheme: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly tls?: "server" | "mutual";
  readonly trusts?: boolean;
}

/** An agent, a real collector, and the records that the collector passes on. */
export interface PlatformStage extends AsyncDisposable {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly agent: RunningAgent;
  readonly collector: Collector;
  readonly sink: Sink;
  readonly receives: (wanted: (record: ReceivedRecord) => boolean) => Promise<ReceivedRecord>;
}

/** Starts all three. */
export async function startPlatformStage({
  scheme,
  environment = {},
  tls,
  trusts = true,
}: PlatformRequest): Promise<PlatformStage> {
  const own = temporaryFolder();
  const sink = startSink();
  const files = tls && (await certificates(own.path, tls, trusts));
  const collector = await prepareCollector(own.path, sink, files?.collector);
  await collector.start();
  const port = scheme.startsWith("grpc") ? collector.grpcPort : collector.httpPort;
  const settings = {
    PLATFORM_ENDPOINT: `${scheme}://127.0.0.1:${port}`,
    ...files?.agent,
    ...environment,
  };
  const agent = await startAgent(own.path, settings);
  return {
    folder: own.path,
    environment: settings,
    ...{ agent, collector, sink },
    receives: (wanted) =>
      waitFor(() => sink.received().find(wanted) ?? false, {
        deadlineMs: 10_000,
        what: "the platform to have the event",
      }),
    [Symbol.asyncDispose]: async () => {
      await agent[Symbol.asyncDispose]();
      await collector[Symbol.asyncDispose]();
      await sink[Symbol.asyncDispose]();
      own[Symbol.dispose]();
    },
  };
}

async function certificates(path: string, tls: "server" | "mutual", trusts: boolean) {
  const authority = await certificateAuthority();
  const other = await certificateAuthority("another");
  const server = await authority.issue();
  const client = await authority.issue({ names: ["svc-agent"] });
  const write = (name: string, text: string) => {
    const file = join(path, name);
    writeFileSync(file, text);
    return file;
  };
  const ca = write("ca.pem", (trusts ? authority : other).certificatePem);
  const collector: CollectorTls = {
    certPath: write("server.pem", server.certificatePem),
    keyPath: write("server-key.pem", server.keyPem),
    ...(tls === "mutual" && { clientCaPath: write("client-ca.pem", authority.certificatePem) }),
  };
  const agent = {
    PLATFORM_TLS_CA: ca,
    ...(tls === "mutual" && {
      PLATFORM_TLS_CERT: write("client.pem", client.certificatePem),
      PLATFORM_TLS_KEY: write("client-key.pem", client.keyPem),
    }),
  };
  return { collector, agent };
}

/** Finds the records of an attacker at the platform. */
export function byActor(pid: number) {
  return ({ attributes }: ReceivedRecord) => attributes["process.pid"] === String(pid);
}

/** Waits until the agent has printed the record with an id. The platform may have it before. */
export async function prints(agent: RunningAgent, id: string): Promise<void> {
  const isPrinted = () => agent.records().some((record) => record.id === id);
  await waitFor(isPrinted, { deadlineMs: 30_000, what: `record ${id} on standard output` });
}

function actorPid(record: Readonly<Record<string, unknown>>): number | undefined {
  const { actor } = record;
  const isActor = typeof actor === "object" && actor !== null && "pid" in actor;
  return isActor ? Number(actor.pid) : undefined;
}

/** The record that the agent has printed of an attacker. */
export function printedOf(agent: RunningAgent, pid: number) {
  return agent.records().find((record) => actorPid(record) === pid);
}

/** The attackers of everything that it has printed. */
export function printedActors(agent: RunningAgent): readonly (number | undefined)[] {
  return agent.records().map(actorPid);
}

/** The sum of a metric over its labels. */
export async function metric(agent: RunningAgent, name: string): Promise<number> {
  const { body } = await agent.ask("/metrics");
  const lines = body.split("\n").filter((line) => line.startsWith(`svc_agent_${name}`));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
