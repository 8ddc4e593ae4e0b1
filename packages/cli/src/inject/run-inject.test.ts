import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { goldenPods, repository, serve, smallImage } from "@svc/operator/testdata";
import { temporaryFolder } from "@svc/testing";
import { linesOf } from "../testdata/lines-of.ts";
import { runCaptured } from "../testdata/run-captured.ts";
import { runInject } from "./run-inject.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const asking = { "svc.internal/inject": "true" };
const config = {
  apiVersion: "svc.internal/v1alpha1",
  kind: "SvcConfig",
  metadata: { name: "default" },
  spec: {
    vaultAddress: "https://vault.test:8200",
    vaultRole: "shop",
    secretPaths: ["kv/data/shop"],
    envMap: "*=*",
  },
};

function pod(more: object = {}, container: object = { command: ["/app"] }): object {
  const metadata = { name: "web", annotations: asking, ...more };
  const spec = { containers: [{ name: "app", image: "registry.test/app:1", ...container }] };
  return { apiVersion: "v1", kind: "Pod", metadata, spec };
}

function deployment(): object {
  const { spec } = Object(pod());
  const template = { metadata: { annotations: asking, labels: { app: "web" } }, spec };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { template },
  };
}

interface Run {
  readonly objects?: readonly object[];
  readonly text?: string;
  readonly words?: readonly string[];
}

async function run({ objects = [], text, words = [] }: Run) {
  const path = join(folder.path, `${crypto.randomUUID()}.yaml`);
  await Bun.write(path, text ?? objects.map((one) => JSON.stringify(one)).join("\n---\n"));
  return runWords(["-f", path, ...words]);
}

const runWords = (words: readonly string[]) => runCaptured((output) => runInject(words, output));

const image = "--wrapper-image=registry.test/svc:1";
const json = ["--dry-run", "-o", "json", image];

describe("a dry run says of", () => {
  const rows: readonly (readonly [string, Run, object, number])[] = [
    ["a pod that asks", { objects: [config, pod()] }, { decision: "inject", name: "web" }, 0],
    [
      "a deployment that asks",
      { objects: [config, deployment()] },
      { kind: "Deployment", namespace: "default", decision: "inject" },
      0,
    ],
    [
      "a pod that does not ask",
      { objects: [pod({ annotations: {} })] },
      { decision: "leave", reason: "it does not ask for it" },
      0,
    ],
    [
      "a pod without an address",
      { objects: [pod()] },
      { decision: "refuse", reason: expect.stringContaining("vault-address") },
      2,
    ],
    [
      "a pod whose image is not asked for",
      { objects: [config, pod({}, {})] },
      { decision: "refuse", reason: expect.stringContaining("--look-up-images") },
      2,
    ],
    [
      "a pod in another namespace than the SvcConfig",
      { objects: [config, pod({ namespace: "other" })] },
      { decision: "refuse", namespace: "other" },
      2,
    ],
    [
      "a pod with another prefix",
      {
        objects: [config, pod({ annotations: { "secrets.test/inject": "true" } })],
        words: ["--annotation-prefix", "secrets.test"],
      },
      { decision: "inject" },
      0,
    ],
    [
      "a pod with an address that is not allowed",
      { objects: [config, pod()], words: ["--allowed-addresses=https://other.test:8200"] },
      { decision: "refuse", reason: expect.stringContaining("https://other.test:8200") },
      2,
    ],
    [
      "a pod of a file that does not have the cluster's default",
      { objects: [pod()], words: ["--default-config=svc/default"] },
      { decision: "refuse", reason: expect.stringContaining("svc/default is not") },
      2,
    ],
    [
      "a pod for which the cluster's default is",
      {
        objects: [{ ...config, metadata: { name: "default", namespace: "svc" } }, pod()],
        words: ["--default-config=svc/default"],
      },
      { decision: "inject" },
      0,
    ],
    [
      "an invalid pod",
      { objects: [{ kind: "Pod", metadata: { annotations: asking }, spec: { containers: 5 } }] },
      { decision: "refuse", reason: expect.stringContaining("containers") },
      2,
    ],
  ];
  for (const [name, wanted, report, exitCode] of rows) {
    test(name, async () => {
      const ran = await run({ ...wanted, words: [...json, ...(wanted.words ?? [])] });
      expect(linesOf(ran.out)).toEqual([expect.objectContaining(report)]);
      expect(ran).toMatchObject({ exitCode, err: "" });
    });
  }

  test("each template of an object of any kind", async () => {
    const { spec } = Object(pod());
    const template = { metadata: { annotations: asking }, spec };
    const parts = { driver: { template }, executor: { template: { spec } } };
    const spark = { apiVersion: "x.test/v1", kind: "SparkApplication", metadata: { name: "s" } };
    const ran = await run({ objects: [config, { ...spark, spec: parts }], words: json });
    expect(linesOf(ran.out).map(({ place, decision }) => [place, decision])).toEqual([
      ["spec.driver.template", "inject"],
      ["spec.executor.template", "leave"],
    ]);
    expect(ran.exitCode).toBe(0);
  });

  test("several objects, a line for each, and the worst decides", async () => {
    const list = { kind: "List", items: [pod({ annotations: {} }), pod(), config] };
    const ran = await run({ objects: [list, { kind: "Service" }, deployment()], words: json });
    expect(linesOf(ran.out).map(({ decision }) => decision)).toEqual(["leave", "inject", "inject"]);
    expect(ran.exitCode).toBe(0);
  });

  test("a pod in words, with the patch as it is sent", async () => {
    const { metadata, spec } = Object(
      pod({ annotations: { ...asking, "svc.internal/containers": "app" } }),
    );
    const env = [{ name: "SVC_ROTATION", value: "none" }];
    const [app] = spec.containers;
    const side = { ...app, name: "side" };
    const two = { kind: "Pod", metadata, spec: { containers: [{ ...app, env }, side] } };
    const { out } = await run({ objects: [config, two], words: ["--dry-run", image] });
    expect(out).toStartWith(`Pod default/web is injected into: it asks for it
  app (app): wrapped; its command is known from its pod; its health is at port 8199; stay as they are: SVC_ROTATION
  side: left alone: containers does not name it
  patch:
    - op: add
`);
    expect(out).toContain(`
    - op: replace
      path: /spec/containers/0/command
      value:
        - /opt/svc/bin/svc-wrapper
`);
  });

  test("a pod whose health is not on a port", async () => {
    const env = [{ name: "HEALTH_ADDR", value: "127.0.0.1:9000" }];
    const own = pod({}, { command: ["/app"], env });
    const { out } = await run({ objects: [config, own], words: ["--dry-run", image] });
    expect(out).toContain("; its health is at the address of its own HEALTH_ADDR\n");
  });

  test("every golden pod the same as the operator", async () => {
    const [any] = goldenPods();
    const pods = dirname(dirname(any?.expectedPath ?? ""));
    // Those that the operator has settings or images for are reported elsewhere.
    const plain = goldenPods().filter(
      ({ name, context }) =>
        !readdirSync(join(pods, name)).includes("operator.yaml") &&
        context.configOf(undefined) === undefined,
    );
    expect(plain.length).toBeGreaterThan(5);
    for (const golden of plain) {
      const text = await Bun.file(join(pods, golden.name, "pod.yaml")).text();
      const [report] = linesOf((await run({ text, words: json })).out);
      const expected = Object(Bun.YAML.parse(await Bun.file(golden.expectedPath).text()));
      const asked = JSON.stringify(report).includes("--look-up-images");
      const decisions = { patch: "inject", skip: "leave", deny: "refuse" } as const;
      const decision = decisions[expected.kind as keyof typeof decisions];
      if (!asked) expect({ name: golden.name, ...report }).toMatchObject({ decision });
    }
  });
});

describe("without a dry run", () => {
  test("the manifests are printed, with the pods injected into and the rest as it was", async () => {
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" } };
    const ran = await run({ objects: [config, deployment(), service], words: [image] });
    const [first, second, third] = [Bun.YAML.parse(ran.out)].flat();
    expect([first, third]).toEqual([config, service]);
    expect(Object(second).spec.template).toMatchObject({
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ command: ["/opt/svc/bin/svc-wrapper"] }] },
    });
    expect(ran).toMatchObject({ exitCode: 0, err: "" });
  });

  test("a second run leaves the output of the first one alone", async () => {
    const once = await run({ objects: [config, deployment()], words: [image] });
    const twice = await run({ text: once.out, words: [image] });
    expect(Bun.YAML.parse(twice.out)).toEqual(Bun.YAML.parse(once.out));
  });

  test("every template of an extension's kind is injected into", async () => {
    const { spec } = Object(deployment());
    const rollout = { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", spec };
    const group = { template: spec.template };
    const cluster = { kind: "RayCluster", spec: { headGroupSpec: group, workers: [group] } };
    const ran = await run({ objects: [config, rollout, cluster], words: [image] });
    const [, first, second] = [Bun.YAML.parse(ran.out)].flat();
    const wrapped = { spec: { containers: [{ command: ["/opt/svc/bin/svc-wrapper"] }] } };
    expect(Object(first).spec.template).toMatchObject(wrapped);
    expect(Object(second).spec.headGroupSpec.template).toMatchObject(wrapped);
    expect(Object(second).spec.workers[0].template).toMatchObject(wrapped);
    expect(ran).toMatchObject({ exitCode: 0, err: "" });
  });

  test("an object that asks and has no template is printed as it is, with a warning", async () => {
    const spark = {
      ...{ apiVersion: "sparkoperator.k8s.io/v1beta2", kind: "SparkApplication" },
      ...{ metadata: { name: "pi" }, spec: { image: "spark", driver: { annotations: asking } } },
    };
    for (const objects of [[spark], [config, deployment(), spark]]) {
      const ran = await run({ objects, words: [image] });
      expect([Bun.YAML.parse(ran.out)].flat().at(-1)).toEqual(spark);
      expect(ran.exitCode).toBe(2);
      expect(ran.err).toStartWith(
        "svc: warning: SparkApplication default/pi is left as it is: it asks at spec.driver.annotations,",
      );
    }
  });

  test("nothing is printed if one pod is refused", async () => {
    const ran = await run({ objects: [config, deployment(), pod({}, {})], words: [image] });
    expect(ran).toMatchObject({ exitCode: 2, out: "" });
    expect(ran.err).toContain("Pod default/web is refused");
  });

  test("JSON comes as one document", async () => {
    const plain = pod({ annotations: {} });
    const one = await run({ objects: [plain], words: ["-o", "json"] });
    expect(JSON.parse(one.out)).toEqual(plain);
    const two = await run({ objects: [plain, config], words: ["-o", "json"] });
    expect(JSON.parse(two.out)).toEqual({ apiVersion: "v1", kind: "List", items: [plain, config] });
  });

  test("a name stands for the wrapper's image if none is given, and that is said", async () => {
    const ran = await run({ objects: [config, pod()] });
    expect(ran.err).toContain("without --wrapper-image");
    expect(ran.out).toContain("image: svc-wrapper");
  });
});

describe("refused with all that is wrong:", () => {
  const rows: readonly (readonly [string, Run, readonly string[]])[] = [
    [
      "flags",
      { words: ["--bundle-source=x", "--copy-user=0", "--dry-run", "-o", "yaml", "--nonsense"] },
      ["--bundle-source", "--copy-user", "--output: must be text or json", "--nonsense"],
    ],
    ["a file without pods", { objects: [config] }, ["must hold a pod"]],
    ["a file that is not a YAML", { text: "a: [" }, ["neither YAML nor JSON"]],
    ["an object without a kind", { objects: [{ a: 1 }, pod()] }, ["object 1: must be a manifest"]],
    [
      "an invalid SvcConfig",
      { objects: [pod(), { kind: "SvcConfig", metadata: { name: "x" }, spec: { ebpf: "yes" } }] },
      ["ebpf: must be true or false"],
    ],
    [
      "a file of certificates that is not there",
      { objects: [pod()], words: ["--registry-ca-files=registry.test=/nowhere/ca.pem"] },
      ["/nowhere/ca.pem: it cannot be read (ENOENT)"],
    ],
  ];
  for (const [name, wanted, told] of rows) {
    test(name, async () => {
      const ran = await run(wanted);
      expect(ran).toMatchObject({ exitCode: 125, out: "" });
      for (const text of told) expect(ran.err).toContain(text);
    });
  }

  test("a file that is not there", async () => {
    expect(await runWords(["-f", "/nowhere.yaml"])).toEqual({
      exitCode: 125,
      out: "",
      err: 'MANIFEST_INVALID: read "/nowhere.yaml": ENOENT',
    });
  });

  test("a file that is larger than any application", async () => {
    const path = join(folder.path, "large.yaml");
    await Bun.write(path, "");
    truncateSync(path, 32 * 1024 * 1024 + 1);
    expect(await runWords(["-f", path])).toEqual({
      exitCode: 125,
      out: "",
      err: `MANIFEST_INVALID: read "${path}": it has more than 32 MiB`,
    });
  });
});

describe("pull secrets of the file are used for a registry:", () => {
  const small = smallImage();
  const loginFirst = ({ authorization }: { readonly authorization: string | null }) =>
    authorization === `Basic ${btoa("u:p")}`
      ? undefined
      : new Response(null, { status: 401, headers: { "WWW-Authenticate": 'Basic realm="r"' } });
  const asked = (reference: string) => {
    const { metadata } = Object(pod());
    const containers = [{ name: "app", image: reference }];
    const imagePullSecrets = [{ name: "pull" }];
    return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers, imagePullSecrets } };
  };
  const rows = [
    ["in base64", (text: string) => ({ data: { ".dockerconfigjson": btoa(text) } })],
    ["as plain text", (text: string) => ({ stringData: { ".dockerconfigjson": text } })],
  ] as const;
  for (const [name, dataOf] of rows) {
    test(name, async () => {
      await using registry = serve(
        loginFirst,
        repository({ latest: small.manifest }, small.config),
      );
      const { host } = registry;
      const words = [...json, "--look-up-images", `--insecure-registries=${host}=http`];
      const asking = asked(`${host}/app`);
      const elsewhere = {
        ...{ kind: "Secret", type: "kubernetes.io/dockerconfigjson" },
        metadata: { name: "pull", namespace: "other" },
      };
      const without = await run({ objects: [config, asking, elsewhere], words });
      expect(without.exitCode).toBe(2);
      expect(without.out).toContain("read pull secret pull: it is not in the file");
      const secret = {
        ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/dockerconfigjson" },
        metadata: { name: "pull" },
        ...dataOf(JSON.stringify({ auths: { [host]: { username: "u", password: "p" } } })),
      };
      const [report] = linesOf((await run({ objects: [config, asking, secret], words })).out);
      expect(report).toMatchObject({ decision: "inject", containers: [{ program: "image" }] });
    });
  }
});
