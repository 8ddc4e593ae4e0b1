import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificateAuthority, freePort, temporaryFolder, waitFor } from "@svc/testing";
import { withValues } from "../harness/kubernetes/operator-chart.ts";
import { askingPod, createPod, podOf, variableIn, wrappedIn } from "./created-pods.ts";
import { ownAddress } from "./own-address.ts";
import type { Replica } from "./replica.ts";
import { type RunningOperator, runningOperator } from "./running-operator.ts";

const TIMEOUT_MS = 180_000;
let operator: RunningOperator;
beforeAll(async () => {
  const settings = { shutdownDelay: "200ms", shutdownGrace: "5s" };
  operator = await runningOperator({ values: withValues({ settings }) });
}, TIMEOUT_MS);
afterAll(() => operator[Symbol.asyncDispose]());

const create = (pod: object = askingPod()) => createPod(operator.kube, pod);
const messages = (replica: Replica) => replica.log().map(({ message }) => message);

describe("it ends", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`by ${signal} with 0, and says so`, async () => {
      const replica = await operator.startReady();
      replica.process.signal(signal);
      expect(await replica.process.ended).toBe(0);
      expect(messages(replica).slice(-2)).toEqual(["it ends", "it has ended"]);
    });
  }

  const numbers = { SIGTERM: 143, SIGINT: 130 } as const;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`by a second ${signal} at once`, async () => {
      const replica = await operator.startReady({ flags: ["--shutdown-delay=5m"] });
      replica.process.signal(signal);
      const isStopping = async () => (await replica.ask("/readyz"))?.status === 503;
      await waitFor(isStopping, { deadlineMs: 5000, what: "it to say that it ends" });
      // Others may still ask it.
      expect((await replica.ask("/healthz"))?.status).toBe(200);
      replica.process.signal(signal);
      expect(await replica.process.ended).toBe(numbers[signal]);
    });
  }

  test("by a signal before it has served anything", async () => {
    const replica = operator.start({ flags: ["--certificate-secret=nowhere"] });
    const isWaiting = () =>
      messages(replica).some((text) => String(text).includes("none is served"));
    await waitFor(isWaiting, { deadlineMs: 10_000, what: "it to have no certificate" });
    replica.process.signal("SIGTERM");
    expect(await replica.process.ended).toBe(0);
  });
});

describe("it ends with 125 and says why:", () => {
  test("its port is taken", async () => {
    const port = freePort();
    using _ = Bun.listen({ hostname: ownAddress(), port, socket: { data: () => undefined } });
    const replica = operator.start({ flags: [`--listen-addr=${ownAddress()}:${port}`] });
    expect(await replica.process.ended).toBe(125);
    expect(replica.log().at(-1)).toMatchObject({
      level: "error",
      message: "open --listen-addr: another process uses it (EADDRINUSE)",
    });
  });

  test("its address is another machine's", async () => {
    const replica = operator.start({ flags: ["--listen-addr=192.0.2.1:8443"] });
    expect(await replica.process.ended).toBe(125);
    expect(replica.log().at(-1)).toMatchObject({
      message: "open --listen-addr: it is not an address of this machine (EADDRNOTAVAIL)",
    });
  });

  const folder = temporaryFolder();
  afterAll(() => folder[Symbol.dispose]());
  chmodSync(folder.path, 0o755);
  const written = (text: string) => {
    const path = join(folder.path, crypto.randomUUID());
    writeFileSync(path, text);
    return path;
  };
  const rows = {
    "there is no kubeconfig": ["/nowhere/config", "/nowhere/config"],
    "the kubeconfig is not a kubeconfig": [
      written("a: ["),
      "it cannot be read, or is not a kubeconfig",
    ],
    "the kubeconfig names no cluster": [written("{}"), "context"],
  } as const;
  for (const [name, [kubeconfig, said]] of Object.entries(rows)) {
    test(name, async () => {
      const replica = operator.start({ kubeconfig });
      expect(await replica.process.ended).toBe(125);
      expect(replica.log().at(-1)).toMatchObject({ level: "error" });
      expect(String(replica.log().at(-1)?.["message"])).toContain(said);
    });
  }

  test("its flags are wrong, all of them", async () => {
    const flags = ["--when-impossible=x", "--shutdown-delay=1", "--default-config=x", "--token=x"];
    const replica = operator.start({ flags });
    expect(await replica.process.ended).toBe(125);
    for (const flag of flags) expect(replica.process.output()).toContain(flag.split("=")[0] ?? "");
  });
});

describe("an environment that lays traps changes nothing:", () => {
  const nowhere = "http://127.0.0.1:9";
  const env = {
    ...{ HTTPS_PROXY: nowhere, https_proxy: nowhere, HTTP_PROXY: nowhere, ALL_PROXY: nowhere },
    ...{ NODE_TLS_REJECT_UNAUTHORIZED: "0", SSL_CERT_FILE: "/nowhere", SSL_CERT_DIR: "/nowhere" },
    ...{ NODE_EXTRA_CA_CERTS: "/nowhere", NODE_OPTIONS: "--require=/nowhere.js" },
    ...{ BUN_OPTIONS: "--preload=/nowhere.ts", BUN_CONFIG_VERBOSE_FETCH: "curl", BUN_BE_BUN: "1" },
    ...{ BUN_INSPECT: "ws://127.0.0.1:0/x", BUN_CONFIG_MAX_HTTP_REQUESTS: "1" },
    ...{
      KUBERNETES_SERVICE_HOST: "192.0.2.1",
      KUBERNETES_SERVICE_PORT: "1",
      KUBECONFIG: "/nowhere",
    },
    ...{ VAULT_ADDR: "https://evil.test:8200", SVC_ENV_MAP: "*=*", SVC_ROTATION: "x" },
    ...{ HOME: "/nowhere", TMPDIR: "/nowhere", TZ: "Asia/Tokyo", LC_ALL: "tr_TR.UTF-8" },
  };

  test(
    "it becomes ready and injects as ever",
    async () => {
      using folder = temporaryFolder();
      chmodSync(folder.path, 0o755);
      const put = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
      put(".env", "HTTPS_PROXY=http://127.0.0.1:9\n");
      put("bunfig.toml", 'preload = ["./trap.ts"]\n');
      put("trap.ts", "process.exit(3);\n");
      const replica = await operator.replace({ env, folder: folder.path });
      const created = await create();
      expect(wrappedIn(created)).toEqual(["app"]);
      expect(variableIn(created, "VAULT_ADDR")).toBe("https://vault.test:8200");
      expect(
        replica.process
          .output()
          .split("\n")
          .filter((line) => !/^(\{.*\}|)$/.test(line)),
      ).toEqual([]);
      expect(await operator.end(replica)).toBe(0);
    },
    TIMEOUT_MS,
  );

  test("it still trusts only the API server's certificate", async () => {
    const { certificatePem: caPem } = await certificateAuthority();
    const replica = operator.start({ env, kubeconfig: operator.writeKubeconfig({ caPem }) });
    const isTold = () => messages(replica).some((text) => /certificate|TLS/.test(String(text)));
    await waitFor(isTold, { deadlineMs: 10_000, what: "it to distrust the API server" });
    expect(await replica.ask("/readyz")).toBeUndefined();
    await operator.kill(replica);
  });
});

test(
  "a root file system that cannot be written is enough, and so is another user",
  async () => {
    // The process can write nowhere, not even in /tmp.
    const script = 'mount --make-rprivate / && mount -o remount,bind,ro / && exec "$@"';
    const within = (words: readonly string[]) => [
      "unshare",
      "--mount",
      "sh",
      "-c",
      script,
      "sh",
      ...words,
    ];
    await operator.replace({ within });
    expect(wrappedIn(await create())).toEqual(["app"]);
    expect((await create(podOf())).status).toBe(201);
  },
  TIMEOUT_MS,
);
