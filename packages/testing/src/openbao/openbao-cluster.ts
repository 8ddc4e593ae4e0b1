import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../cache-folder.ts";
import { TestingError } from "../errors.ts";
import { freePort } from "../free-port.ts";
import { runsAsRoot } from "../runs-as-root.ts";
import { NOBODY, type ServerProcess, startServer } from "../server-process.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { waitFor } from "../wait-for.ts";
import { type BaoTarget, callBao } from "./bao-api.ts";
import { healthCode, initialiseOpenBao } from "./initialise-openbao.ts";
import { openBaoBinary } from "./openbao-release.ts";

/** A node of a cluster, which may be dead. */
export interface ClusterNode {
  readonly address: string;
  readonly port: number;
  readonly runs: () => boolean;
  /** Kills it with SIGKILL. */
  readonly kill: () => Promise<void>;
  /** Starts it again with the data on its disk, and unseals it. */
  readonly restart: () => Promise<void>;
}

/** A real OpenBao of several nodes with Raft storage, over plain HTTP on the loopback. */
export interface OpenBaoCluster extends AsyncDisposable {
  readonly rootToken: string;
  readonly nodes: readonly ClusterNode[];
  /** The active node; undefined while there is none. */
  readonly leader: () => Promise<ClusterNode | undefined>;
}

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly clusterPort: number;
  readonly id: string;
}

const DEADLINE_MS = 30_000;
const ACTIVE = 200;

/**
 * Starts a cluster and waits until every node has joined. Throws `SERVER_FAILED` with the servers'
 * output if that takes longer than half a minute.
 */
export async function startOpenBaoCluster(size = 3): Promise<OpenBaoCluster> {
  await using stack = new AsyncDisposableStack();
  const places = Array.from({ length: size }, (_, index): Place => {
    const folder = stack.use(temporaryFolder(runsAsRoot() ? NOBODY : undefined));
    return { folder: folder.path, port: freePort(), clusterPort: freePort(), id: `node-${index}` };
  });
  const processes = places.map((place) => {
    const server = new NodeProcess(place, places);
    stack.defer(() => server.kill());
    return server;
  });
  const [first] = processes;
  if (first === undefined) throw new RangeError("a cluster of no nodes");
  const keys = await first.initialise();
  const target = { address: addressOf(first.place), rootToken: keys.rootToken };
  await shortenProbation(target);
  for (const server of processes.slice(1)) await server.unseal(keys.unsealKey);
  await allVote(target, size);
  const nodes = processes.map((server) => server.node(keys.unsealKey));
  const started = stack.move();
  return {
    rootToken: keys.rootToken,
    nodes,
    leader: async () => {
      const codes = await Promise.all(nodes.map((node) => codeOf(node)));
      return nodes[codes.indexOf(ACTIVE)];
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** By default a node that has just joined has no vote for ten seconds. */
async function shortenProbation(target: BaoTarget): Promise<void> {
  const path = "sys/storage/raft/autopilot/configuration";
  const body = { server_stabilization_time: "1s" };
  await callBao(target, { method: "POST", path, body });
}

/** Without their votes no node leads after a death. */
async function allVote(target: BaoTarget, size: number): Promise<void> {
  const path = "sys/storage/raft/configuration";
  await waitFor(
    async () => {
      const answer = await callBao(target, { method: "GET", path });
      return JSON.stringify(answer).split('"voter":true').length === size + 1;
    },
    { deadlineMs: DEADLINE_MS, what: `${size} nodes to have a vote` },
  );
}

function codeOf({ address, runs }: ClusterNode): Promise<number | undefined> {
  return runs() ? healthCode({ address, rootToken: "" }) : Promise.resolve(undefined);
}

class NodeProcess {
  readonly place: Place;
  readonly #target: BaoTarget;
  readonly #config: string;
  #server: ServerProcess;

  constructor(place: Place, all: readonly Place[]) {
    this.place = place;
    this.#target = { address: addressOf(place), rootToken: "" };
    this.#config = join(place.folder, "config.json");
    writeFileSync(this.#config, JSON.stringify(configOf(place, all)), { mode: 0o644 });
    this.#server = this.#launch();
  }

  node(unsealKey: string): ClusterNode {
    return {
      address: this.#target.address,
      port: this.place.port,
      runs: () => this.#server.exitCode() === undefined,
      kill: () => this.kill(),
      restart: async () => {
        this.#server = this.#launch();
        await this.unseal(unsealKey);
      },
    };
  }

  async initialise() {
    await this.#until("to answer", async () => (await healthCode(this.#target)) !== undefined);
    return initialiseOpenBao(this.#target, DEADLINE_MS);
  }

  /** A node that has not joined yet refuses the key. */
  async unseal(key: string): Promise<void> {
    await this.#until("to be unsealed", async () => {
      const code = await healthCode(this.#target);
      // A standby says 429, and 472 or 473 if it is of another kind.
      if (code === ACTIVE || code === 429 || code === 472 || code === 473) return true;
      const body = { key };
      await callBao(this.#target, { method: "PUT", path: "sys/unseal", body }).catch(() => null);
      return false;
    });
  }

  kill(): Promise<void> {
    return this.#server.kill();
  }

  async #until(what: string, condition: () => Promise<boolean>): Promise<void> {
    const { id } = this.place;
    try {
      await waitFor(condition, { deadlineMs: DEADLINE_MS, what: `${id} ${what}` });
    } catch (cause) {
      const said = `${String(cause)}:\n${this.#server.output()}`;
      throw new TestingError("SERVER_FAILED", `start ${id}: ${said}`, { cause });
    }
  }

  #launch(): ServerProcess {
    return startServer({
      binary: openBaoBinary(cacheFolder(process.env)),
      arguments: ["server", "-log-level=warn", `-config=${this.#config}`],
      folder: this.place.folder,
      env: { HOME: this.place.folder, PATH: "/usr/bin:/bin" },
    });
  }
}

function addressOf({ port }: Place): string {
  return `http://127.0.0.1:${port}`;
}

function configOf(place: Place, all: readonly Place[]): object {
  const clusterAddress = `127.0.0.1:${place.clusterPort}`;
  const others = all.filter(({ id }) => id !== place.id);
  const raft = {
    path: place.folder,
    node_id: place.id,
    // Production's default is for slow networks; 1 elects a leader within seconds.
    performance_multiplier: 1,
    retry_join: others.map((other) => ({ leader_api_addr: addressOf(other) })),
  };
  return {
    api_addr: addressOf(place),
    cluster_addr: `https://${clusterAddress}`,
    listener: [
      {
        tcp: {
          address: `127.0.0.1:${place.port}`,
          cluster_address: clusterAddress,
          tls_disable: true,
        },
      },
    ],
    storage: { raft },
    log_level: "warn",
  };
}
