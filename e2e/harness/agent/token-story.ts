import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startDevStore } from "@svc/devstore";
import { attackProgram, canary, waitFor } from "@svc/testing";
import { lineReader } from "../processes/line-reader.ts";
import { childrenOf, commandLineOf } from "../processes/process-facts.ts";
import { kubernetesLogins } from "../stores/kubernetes-logins.ts";
import { openAudience } from "./audience.ts";
import { podCgroup } from "./pod-cgroup.ts";
import { type PodVolume, podVolume } from "./pod-volume.ts";
import { run } from "./run-or-throw.ts";
import { type RunningAgent, startAgent } from "./running-agent.ts";

const wrapper = join(import.meta.dirname, "../../../dist/bin/svc-wrapper");

/** What happens to the file of a pod's token, and who is reported for it. */
export interface TokenStory {
  /** By what happens: the processes that were reported, by their names. */
  readonly reported: Readonly<Record<string, readonly string[]>>;
  /** The records, the agent's log and the wrapper's log: the token must be in none. */
  readonly told: string;
  readonly token: string;
  /** The records of all of it. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly podUid: string;
}

/** The processes that each step of the story has to be reported for. */
export const expectedOfTokens: TokenStory["reported"] = {
  "the wrapper logs in": [],
  "the kubelet reads the file": [],
  "a process reads another file of the volume": [],
  "a process of the machine reads the file": ["cat"],
  "a process that enters the container reads the file": ["cat"],
  "the program reads the file": ["cat"],
  "a process gives the file another name, and reads it": ["cat"],
  "a process reads the file by its handle": ["svc-attack"],
  "a process maps the file, which io_uring has opened": ["svc-attack"],
  "a process reads it by io_submit, and io_uring has opened it": ["svc-attack"],
  "a process has io_uring open it into a slot, and read it": ["svc-attack"],
  "a process has io_uring open it into a slot, and splice it": ["svc-attack"],
  "a process reads the file that the kubelet has renewed": ["cat"],
  "the wrapper logs in with the renewed token": [],
  "another wrapper in the container reads the file": ["svc-courier"],
  "a process reads the file when the wrapper has ended": [],
};

/**
 * Runs a wrapper as the first process of a pod's container, with the file of a token. This process
 * is the kubelet.
 */
export async function tellTokenStory(folder: string): Promise<TokenStory> {
  const podUid = crypto.randomUUID();
  const token = canary();
  const kubelet = join(folder, "kubelet");
  mkdirSync(join(kubelet, "device-plugins"), { recursive: true });
  using _kubelet = Bun.listen({
    unix: join(kubelet, "device-plugins/kubelet.sock"),
    socket: { data: () => undefined },
  });
  using volume = podVolume(kubelet, podUid, token);
  await using agent = await startAgent(folder, { KUBELET_FOLDER: kubelet });
  await using audience = await openAudience(agent);
  await using cgroup = podCgroup(podUid);
  const reported: Record<string, readonly string[]> = {};
  const records: Readonly<Record<string, unknown>>[] = [];
  const step = async (name: string, act: () => Promise<void> | void): Promise<void> => {
    const heard = await audience.during(async () => act());
    const own = heard.filter(({ kind }) => kind === "token_file");
    records.push(...own);
    reported[name] = own
      .map(({ actor }) => String(Object(actor)["name"]))
      // On a slow machine a wrapper logs in again, by another courier.
      .filter((actor, place, all) => actor !== "svc-courier" || all.indexOf(actor) === place);
  };
  await using pod = runPod({ agent, volume, command: cgroup.command, token });
  const parts: ToldPod = { step, pod, volume, enters: entrance(cgroup, pod.pid) };
  const file = join(volume.folder, "token");
  await tellOfReaders(parts, file);
  await tellOfHiddenReaders(parts, file);
  await tellOfRenewal(parts, file, token);
  await pod.ends();
  await waitFor(
    async () => JSON.parse((await agent.ask("/status")).body).tokenFiles.wrappers === 0,
    { deadlineMs: 60_000, what: "svc-agent to forget the wrapper's file" },
  );
  await step("a process reads the file when the wrapper has ended", () => run("cat", file));
  const told = [JSON.stringify(agent.records()), agent.log(), pod.log()].join("\n");
  return { reported, told, token, records, podUid };
}

interface ToldPod {
  readonly step: (name: string, act: () => Promise<void> | void) => Promise<void>;
  readonly pod: ReturnType<typeof runPod>;
  readonly volume: PodVolume;
  /** A command in the container. */
  readonly enters: (...words: readonly string[]) => readonly string[];
}

function entrance(cgroup: ReturnType<typeof podCgroup>, pod: number): ToldPod["enters"] {
  const inside = () => `${childrenOf(pod).at(0) ?? 0}`;
  return (...words) => cgroup.command("nsenter", "-t", inside(), "-p", "-m", ...words);
}

async function tellOfReaders(told: ToldPod, file: string): Promise<void> {
  const { step, pod, volume, enters } = told;
  await step("the wrapper logs in", () => pod.starts());
  await step("the kubelet reads the file", () => void readFileSync(file));
  await step("a process reads another file of the volume", () => {
    run("cat", join(volume.folder, "ca.crt"));
  });
  await step("a process of the machine reads the file", () => run("cat", file));
  await step("a process that enters the container reads the file", () => {
    run(...enters("cat", file));
  });
  await step("the program reads the file", () => pod.programReads());
  await step("a process gives the file another name, and reads it", () => {
    run("ln", "-L", file, join(volume.folder, "plain"));
    run("cat", join(volume.folder, "plain"));
  });
}

async function tellOfHiddenReaders({ step }: ToldPod, file: string): Promise<void> {
  await step("a process reads the file by its handle", () => {
    run(attackProgram(process.env), "--read", "handle", file);
  });
  await step("a process maps the file, which io_uring has opened", () => {
    run(attackProgram(process.env), "--read", "mapping", file);
  });
  await step("a process reads it by io_submit, and io_uring has opened it", () => {
    run(attackProgram(process.env), "--read", "request", file);
  });
  await step("a process has io_uring open it into a slot, and read it", () => {
    run(attackProgram(process.env), "--read", "slot", file);
  });
  await step("a process has io_uring open it into a slot, and splice it", () => {
    run(attackProgram(process.env), "--read", "splice", file);
  });
}

async function tellOfRenewal(told: ToldPod, file: string, token: string): Promise<void> {
  const { step, pod, volume, enters } = told;
  await step("a process reads the file that the kubelet has renewed", () => {
    // A store of this kind accepts one token, so the new file has the same.
    volume.renew(token);
    run("cat", file);
  });
  await step("the wrapper logs in with the renewed token", () => pod.logsInAgain());
  await step("another wrapper in the container reads the file", async () => {
    await pod.startsAnother((words) => enters(...words));
  });
}

interface PodParts {
  readonly agent: RunningAgent;
  readonly volume: PodVolume;
  readonly command: (...words: readonly string[]) => readonly string[];
  readonly token: string;
}

/** The store's own tokens end after three seconds, so the wrapper logs in again and again. */
function runPod({ agent, volume, command, token }: PodParts) {
  const store = storeFor(token);
  const file = join(volume.folder, "token");
  const script = `trap 'cat ${file} > /dev/null; echo read' USR1; echo started; while :; do sleep 0.2; done`;
  const namespace = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const words = [wrapper, "--", "/bin/sh", "-c", script];
  const { start, log } = logged(environmentOf({ agent, store: store.address, file }));
  const child = start(command(...namespace, ...words));
  const nextLine = lineReader(child.stdout);
  const lineOf = async (wanted: string) => {
    const line = await nextLine();
    if (line !== wanted) throw new Error(`the program says ${line}, and not ${wanted}: ${log()}`);
  };
  const logins = async () => {
    const port = /health server listens.*?port[=":]+(\d+)/.exec(log())?.[1] ?? "";
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    return Number(/^svc_wrapper_logins_total (\d+)$/m.exec(await answer.text())?.[1] ?? 0);
  };
  return {
    pid: child.pid,
    log,
    starts: () => lineOf("started"),
    programReads: async () => {
      const supervisor = childrenOf(child.pid).at(0) ?? 0;
      // Couriers are its children, too: they come and go.
      const shell = childrenOf(supervisor).find((pid) => commandLineOf(pid).includes(script));
      if (shell === undefined) throw new Error(`the wrapper has no program: ${log()}`);
      process.kill(shell, "SIGUSR1");
      await lineOf("read");
    },
    logsInAgain: async () => {
      // The first of them may have read the token before.
      const wanted = (await logins()) + 2;
      const what = `the wrapper to log in again: ${log()}`;
      await waitFor(async () => (await logins()) >= wanted, { deadlineMs: 60_000, what });
    },
    startsAnother: async (enter: (words: readonly string[]) => readonly string[]) => {
      const other = start(enter([wrapper, "--", "/bin/echo", "other"]));
      if ((await other.exited) !== 0) throw new Error(`the other wrapper failed: ${log()}`);
    },
    ends: async () => {
      child.kill("SIGKILL");
      await child.exited;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      await store.stop();
    },
  };
}

interface Surroundings {
  readonly agent: RunningAgent;
  readonly store: string;
  readonly file: string;
}

function environmentOf({ agent, store, file }: Surroundings) {
  return {
    PATH: process.env["PATH"] ?? "",
    ...{ VAULT_ADDR: store, VAULT_AUTH_ROLE: "app", SVC_AUTH_JWT_PATH: file },
    ...{ SVC_SECRET_PATHS: "secret/data/app", SVC_ENV_MAP: "password=DB_PASSWORD" },
    ...{ HEALTH_ADDR: "127.0.0.1:0", SVC_TERMINATION_LOG: "/nonexistent/termination-log" },
    ...{ SVC_EBPF_AGENT_ADDR: `unix://${agent.socketPath}`, SVC_REQUIRE_AGENT: "true" },
    ...{ RENEWAL_INTERVAL: "150ms", SVC_LOG_LEVEL: "debug", SVC_ROTATION_SPLAY: "0s" },
  };
}

/** Starts programs that share a log. */
function logged(environment: Readonly<Record<string, string>>) {
  let text = "";
  const start = (whole: readonly string[]) => {
    const child = Bun.spawn([...whole], {
      stdio: ["ignore", "pipe", "pipe"],
      env: environment,
    });
    void collect(child.stderr, (piece) => {
      text += piece;
    });
    return child;
  };
  return { start, log: () => text };
}

function storeFor(jwt: string) {
  return startDevStore({
    token: canary(),
    secrets: { "secret/data/app": { password: canary() } },
    ...kubernetesLogins(jwt, { ttlMs: 2000, maxTtlMs: 3000 }),
  });
}

async function collect(
  stream: ReadableStream<Uint8Array>,
  take: (piece: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }));
}
