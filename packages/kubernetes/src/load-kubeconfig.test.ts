import { afterAll, describe, expect, test } from "bun:test";
import { KubeConfig } from "@kubernetes/client-node";
import { canary, temporaryFolder } from "@svc/testing";
import type { ClusterAccess } from "./cluster-access.ts";
import { KubernetesError } from "./kubernetes-error.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const token = canary();

/** A kubeconfig with one cluster, user and context of that name. */
async function fileOf(name: string, cluster: object = {}, user: object = {}): Promise<string> {
  const server = `https://${name}.test:6443`;
  const config = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": name },
    clusters: [{ name, cluster: { server, ...cluster } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [{ name, user: { token, ...user } }],
  };
  const path = `${folder.path}/${name}`;
  await Bun.write(path, JSON.stringify(config));
  return path;
}

const load = (access: ClusterAccess) => loadKubeconfig(access, () => new KubeConfig());
const loadFiles = (...paths: readonly string[]) => load({ kind: "kubeconfig", paths });

test("of several files the first context counts, and absent ones do not", async () => {
  const absent = `${folder.path}/absent`;
  const loaded = loadFiles(absent, await fileOf("one"), await fileOf("two"));
  expect(loaded.getCurrentCluster()?.server).toBe("https://one.test:6443");
  expect(loaded.getContexts().map(({ name }) => name)).toEqual(["one", "two"]);
});

test("a context can be chosen", async () => {
  const paths = [await fileOf("one"), await fileOf("two")];
  const loaded = load({ kind: "kubeconfig", paths, context: "two" });
  expect(loaded.getCurrentCluster()?.server).toBe("https://two.test:6443");
});

test("of two entries of a name the first counts", async () => {
  const one = await fileOf("same");
  const copy = `${one}-first`;
  await Bun.write(copy, (await Bun.file(one).text()).replace("same.test", "first.test"));
  expect(loadFiles(copy, one).getCurrentCluster()?.server).toBe("https://first.test:6443");
});

test("a log-in program is looked up in the PATH that was given, and gets it", async () => {
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "true" };
  const paths = [await fileOf("exec", {}, { exec, token: undefined })];
  const programs = { path: "/usr/bin:/bin", home: "/root" };
  const user = load({ kind: "kubeconfig", paths, programs }).getCurrentUser();
  expect(user?.exec).toMatchObject({
    command: expect.stringMatching(/^\/(?:usr\/)?bin\/true$/),
    env: [
      { name: "PATH", value: programs.path },
      { name: "HOME", value: programs.home },
    ],
  });
});

test("in a pod an IPv6 address gets its brackets", async () => {
  await Bun.write(`${folder.path}/token`, token);
  const loaded = load({ kind: "pod", host: "fd00::1", port: "443", folder: folder.path });
  expect(loaded.getCurrentCluster()?.server).toBe("https://[fd00::1]:443");
});

describe("refused by name", () => {
  const programs = { path: "/nowhere", home: "/" };
  const broken = `${folder.path}/broken`;
  const cases: readonly (readonly [string, () => Promise<ClusterAccess>, string])[] = [
    ["a pod without an account", async () => pod("/nowhere"), "/nowhere/token"],
    ["no file", async () => files("/nowhere/config"), 'none of "/nowhere/config" is there'],
    ["an invalid file", async () => files(await write(broken, `{ ${token}: [`)), "broken"],
    ["a file that is empty", async () => files(await write(broken, "")), "broken"],
    ["a context that is not there", async () => context("gone"), 'context "gone"'],
    ["a proxy", () => cluster({ "proxy-url": "http://p:1" }), "proxy-url is not supported"],
    ["an impersonation", () => user({ as: "root" }), "impersonation is not supported"],
    [
      "plain HTTP, unless TLS is not verified anyway",
      () => cluster({ server: "http://k:1" }),
      "http needs insecure-skip-tls-verify",
    ],
    ["a server that is not a URL", () => cluster({ server: "kube" }), "it has no URL"],
    ["a program that is not there", () => exec("gke-login"), '"gke-login": it is not in PATH'],
  ];
  const pod = (at: string) => ({ kind: "pod", host: "h", port: "1", folder: at }) as const;
  const files = (path: string) => ({ kind: "kubeconfig", paths: [path], programs }) as const;
  const context = async (name: string) => ({ ...files(await fileOf("one")), context: name });
  const cluster = async (more: object) => files(await fileOf("odd", more));
  const user = async (more: object) => files(await fileOf("odd", {}, more));
  const exec = (command: string) => user({ exec: { command } });
  const write = async (path: string, text: string) => {
    await Bun.write(path, text);
    return path;
  };
  for (const [name, access, found] of cases) {
    test(name, async () => {
      const given = await access();
      const error = thrownBy(() => load(given));
      expect(error).toMatchObject({ code: "KUBECONFIG_UNUSABLE" });
      expect(String(error)).toContain(found);
      expect(Bun.inspect(error)).not.toContain(token);
    });
  }
});

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (error instanceof KubernetesError) return error;
    throw error;
  }
}
