import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { canary, needsRoot } from "@svc/testing";
import { type PlacedCgroup, podCgroup } from "../harness/agent/pod-cgroup.ts";
import { findInMemory } from "../harness/processes/leak-search.ts";
import { treeOf } from "../harness/processes/search-process.ts";
import { kubernetesLogins } from "../harness/stores/kubernetes-logins.ts";
import {
  changingStore,
  hurried,
  setLifecycleStage,
  withoutToken,
} from "../harness/wrapper/lifecycle-stage.ts";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { type CsiNode, startCsiNode } from "./csi-node.ts";

// The agent's CSI driver gives a pod's token to the wrapper that is the first process of a
// container.
const jwt = canary();
const store = changingStore(kubernetesLogins(jwt, { ttlMs: 600_000 }));
const program = [
  ...["/bin/sh", "-c"],
  'printf "%s" "$DB_PASSWORD" | sha256sum; echo started; exec sleep 60',
];
const inNamespace = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"];
let node: CsiNode;

beforeAll(async () => {
  node = await startCsiNode();
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});
const { at } = setLifecycleStage();

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");
const environmentAt = (volume: string) => ({
  ...{ ...withoutToken(store.environment), VAULT_AUTH_ROLE: "app" },
  SVC_AUTH_JWT_PATH: `unix://${volume}/login.sock`,
});

interface Story {
  /** The file that is executed; by default the volume's wrapper. */
  readonly file?: (volume: string) => string;
  /** The words before it. */
  readonly within?: readonly string[];
  readonly token?: string;
}

interface StoryPod {
  readonly volume: string;
  readonly cgroup: PlacedCgroup;
}

/** Runs a wrapper in a pod, with its volume. */
async function inPod(
  { file = (volume) => `${volume}/bin/svc-wrapper`, within = inNamespace, token = jwt }: Story,
  tell: (wrapper: RunningWrapper, pod: StoryPod) => Promise<void>,
): Promise<void> {
  const uid = crypto.randomUUID();
  const volume = await node.publish(uid, token || undefined);
  await using cgroup = podCgroup(uid);
  await using wrapper = await startWrapper({
    instead: cgroup.command(...within, file(volume), "--", ...program),
    environment: environmentAt(volume),
  });
  await tell(wrapper, { volume, cgroup });
}

needsRoot(test)(
  "the first process of a container gets the token, and no other process has it",
  () =>
    inPod({}, async (wrapper) => {
      await wrapper.prints("started");
      expect(wrapper.stdout().toString()).toContain(digestOf(store.value()));
      expect(node.told()).toContain("a wrapper gets its pod's token");
      expect(node.told()).not.toContain(jwt);
      expect(wrapper.stderr()).not.toContain(jwt);
      const found = treeOf(wrapper.pid).flatMap((pid) => findInMemory(pid, [jwt]));
      expect(found).toEqual([]);
    }),
);

needsRoot(test)("a token is asked for again at the next login, also of a later agent", async () => {
  const uid = crypto.randomUUID();
  const short = changingStore(kubernetesLogins(jwt, { ttlMs: 2000, maxTtlMs: 3000 }));
  await using _store = short;
  const volume = await node.publish(uid, jwt);
  await using cgroup = podCgroup(uid);
  await using wrapper = await startWrapper({
    instead: cgroup.command(...inNamespace, `${volume}/bin/svc-wrapper`, "--", ...program),
    environment: {
      ...{ ...withoutToken(short.environment), ...hurried, VAULT_AUTH_ROLE: "app" },
      SVC_AUTH_JWT_PATH: `unix://${volume}/login.sock`,
    },
  });
  await wrapper.prints("started");
  await node.restart();
  // The later agent has no token yet.
  await wrapper.says("AGENT_GIVES_NO_TOKEN");
  await node.publish(uid, jwt);
  const value = await short.change();
  await wrapper.prints(digestOf(value));
});

const refused: Readonly<Record<string, readonly [story: Story, reason: string]>> = {
  "a later process of a container, as of kubectl exec,": [
    { within: [...inNamespace, "/bin/sh", "-c", '"$0" "$@"; exit $?'] },
    "it is not the first process of a container",
  ],
  "a wrapper in the node's pid namespace": [{ within: [] }, "it is in the node's pid namespace"],
  "a copy of the wrapper": [
    {
      file: (volume) => {
        const copy = at(`copy-${crypto.randomUUID()}`);
        copyFileSync(join(volume, "bin/svc-wrapper"), copy);
        return copy;
      },
    },
    "it does not run the wrapper of the pod's volume",
  ],
};
for (const [name, [story, reason]] of Object.entries(refused)) {
  needsRoot(test)(`${name} gets no token, and the agent says why`, () =>
    inPod(story, async (wrapper) => {
      expect((await wrapper.ended).exitCode).toBe(125);
      expect(wrapper.stderr()).toContain("AGENT_GIVES_NO_TOKEN");
      expect(node.told()).toContain(`"agent_refused_login",{"reason":"${reason}"`);
      expect(wrapper.stderr() + node.told()).not.toContain(jwt);
    }),
  );
}

needsRoot(test)("a wrapper whose pod has no token logs so, and the agent reports no theft", () =>
  inPod({ token: "" }, async (wrapper) => {
    expect((await wrapper.ended).exitCode).toBe(125);
    expect(wrapper.stderr()).toContain("AGENT_GIVES_NO_TOKEN");
    expect(node.told()).toContain("the kubelet has given no token for a wrapper yet");
  }),
);

needsRoot(test)("a shell in the container reads no token at the socket", () =>
  inPod({}, async (wrapper, { volume, cgroup }) => {
    await wrapper.prints("started");
    const inside = treeOf(wrapper.pid).at(-1) ?? 0;
    const script = `import socket
s = socket.socket(socket.AF_UNIX); s.connect("${volume}/login.sock")
try: s.send(b"t")
except OSError: pass
try: print("got", len(s.recv(9000)))
except ConnectionError: print("got 0")`;
    const words = ["nsenter", "-t", `${inside}`, "-p", "python3", "-c", script];
    const child = Bun.spawn([...cgroup.command(...words)], { stdout: "pipe" });
    expect(await new Response(child.stdout).text()).toBe("got 0\n");
  }),
);
