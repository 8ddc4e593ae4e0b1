import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentClient, openStream } from "@svc/agent/testdata";
import { DeliveryMethod } from "@svc/agent-protocol";
import { environmentStart } from "@svc/kernel";
import { waitFor } from "@svc/testing";
import { buildBpf } from "../../../scripts/build/bpf.ts";

const root = join(import.meta.dirname, "../../..");

/** The compiled agent. */
export const agentBinary = join(root, "dist/bin/svc-agent");

/** A record as the agent prints it. */
export type PrintedRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly kind: string;
};

/** The compiled agent at work. */
export interface RunningAgent extends AsyncDisposable {
  readonly pid: number;
  readonly socketPath: string;
  /** The records that it has printed so far. */
  readonly records: () => readonly PrintedRecord[];
  readonly log: () => string;
  /** Path and answer of its health server. */
  readonly ask: (path: string) => Promise<{ readonly status: number; readonly body: string }>;
  /** Registers a process below this one, as a wrapper does. One after the other. */
  readonly protect: (pid: number, delivery?: DeliveryMethod) => Promise<void>;
  readonly kill: (signal: "SIGTERM" | "SIGKILL") => Promise<number>;
}

/**
 * Starts dist/bin/svc-agent with the object of this checkout, and waits until it is served.
 *
 * @param within puts words before its command that change its surroundings; by default it has the
 * capabilities of its unit, and no others
 */
export async function startAgent(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  within: (words: readonly string[]) => readonly string[] = withShippedCapabilities,
): Promise<RunningAgent> {
  const socketPath = join(folder, "agent.sock");
  const child = Bun.spawn([...within([agentBinary])], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      EBPF_OBJECT_PATH: buildBpf(root),
      HEALTH_LISTEN_ADDR: "127.0.0.1:0",
      GRPC_LISTEN_ADDR: "127.0.0.1:0",
      GRPC_SOCKET_PATH: socketPath,
      ADMIN_SOCKET_PATH: join(folder, "admin.sock"),
      REGISTRY_PATH: join(folder, "registry"),
      SPOOL_PATH: join(folder, "spool"),
      NODE_NAME: "node-1",
      // Others on this machine may load programs at any time.
      GLOBAL_PRIVESC_DETECT: "false",
      ...environment,
    },
  });
  const printed = collect(child.stdout);
  const logged = collect(child.stderr);
  const port = await waitFor(
    () => {
      const end = child.exitCode ?? child.signalCode;
      if (end !== null) throw new Error(`svc-agent ended: ${end}: ${logged()}`);
      return (
        Number(/health, status and metrics are served","port":(\d+)/.exec(logged())?.[1]) || false
      );
    },
    // A busy guest is slow.
    { deadlineMs: 120_000, what: "svc-agent to serve its health" },
  );
  const registrar = registrarAt(socketPath);
  const kill = async (signal: "SIGTERM" | "SIGKILL"): Promise<number> => {
    child.kill(signal);
    return child.exited;
  };
  return {
    pid: child.pid,
    socketPath,
    records: () => parseLines(printed()),
    log: logged,
    ask: async (path) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: response.status, body: await response.text() };
    },
    protect: registrar.protect,
    kill,
    [Symbol.asyncDispose]: async () => {
      await registrar.end();
      // The agent may kill a process that kills it.
      await kill(environment["ENFORCE_MODE"] === "true" ? "SIGTERM" : "SIGKILL");
    },
  };
}

/** As systemd starts it: by setpriv(1), with the bounding set of deploy/systemd. */
function withShippedCapabilities(words: readonly string[]): readonly string[] {
  const unit = readFileSync(join(root, "deploy/systemd/svc-agent.service"), "utf8");
  const [, names = ""] = /^CapabilityBoundingSet=(.+)$/m.exec(unit) ?? [];
  const kept = names.split(" ").map((name) => `+${name.replace("CAP_", "").toLowerCase()}`);
  return ["setpriv", `--bounding-set=-all,${kept.join(",")}`, ...words];
}

/** Registers processes on one stream, which begins with the first of them. */
function registrarAt(socketPath: string) {
  let client: AgentClient | undefined;
  let request = 0n;
  return {
    protect: async (pid: number, delivery = DeliveryMethod.UNSPECIFIED): Promise<void> => {
      client ??= await greet(socketPath);
      request += 1n;
      const bareEnvironment = environmentStart(pid);
      client.send({
        case: "register",
        value: { request, pid, keyCount: 2, delivery, bareEnvironment },
      });
      const answer = await client.next();
      if (answer?.case !== "registered")
        throw new Error(`register ${pid}: ${Bun.inspect(answer?.value)}`);
    },
    end: async () => client?.end(),
  };
}

async function greet(socketPath: string): Promise<AgentClient> {
  const client = openStream(socketPath);
  client.send({ case: "hello", value: { wrapperVersion: "0", containerName: "web" } });
  await client.next();
  return client;
}

function collect(stream: ReadableStream<Uint8Array>): () => string {
  let text = "";
  const decoder = new TextDecoder();
  void (async () => {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })();
  return () => text;
}

function parseLines(text: string): readonly PrintedRecord[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
