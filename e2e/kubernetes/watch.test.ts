import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectApi, type KubernetesApi, type ObjectWatch, watchObjects } from "@svc/kubernetes";
import {
  applyObject,
  askKubernetes,
  callKubernetes,
  createServiceAccountToken,
  type Kubernetes,
  kubeconfig,
  startKubernetes,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { bindClusterRole } from "../harness/kubernetes/key-keeper.ts";

const NAMESPACE = "watched";
const PATH = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const folder = temporaryFolder();
let kube: Kubernetes;
let api: KubernetesApi;
beforeAll(async () => {
  kube = await startKubernetes();
  await applyObject(kube, { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
  api = await connectApi({ kind: "kubeconfig", paths: [kube.kubeconfig] });
}, 120_000);
afterAll(async () => {
  await kube.stop();
  folder[Symbol.dispose]();
});

const put = (name: string, text: string) =>
  applyObject(kube, {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: NAMESPACE } },
    data: { text },
  });

function watchTexts(
  from: KubernetesApi,
  more: { readonly fieldSelector?: string; readonly onFailure?: (error: unknown) => void } = {},
): ObjectWatch<string> {
  return watchObjects(from, {
    ...{ path: PATH, operation: "watch the texts", pauseMs: 50, ...more },
    parse: (object) => {
      const { data } = Object(object);
      return typeof Object(data).text === "string" ? String(data.text) : undefined;
    },
  });
}

const shows = (watch: ObjectWatch<string>, ...texts: readonly string[]) =>
  waitFor(() => Bun.deepEquals(watch.all().toSorted(), texts.toSorted()) || undefined, {
    deadlineMs: 10_000,
    what: `the texts ${texts.join(", ")}: there are ${watch.all().join(", ")}`,
  });

describe("a watch of a real API server", () => {
  test("shows present, new, changed and deleted objects", async () => {
    await put("one", "1");
    const watch = watchTexts(api);
    await shows(watch, "1");
    await put("two", "2");
    await shows(watch, "1", "2");
    await put("one", "11");
    await shows(watch, "11", "2");
    await callKubernetes(kube, { method: "DELETE", path: `${PATH}/two` });
    await shows(watch, "11");
    expect(watch.get(NAMESPACE, "one")).toBe("11");
    await watch.stop();
  });

  test("shows one object by its name", async () => {
    await put("mine", "m");
    const watch = watchTexts(api, { fieldSelector: "metadata.name=mine" });
    await shows(watch, "m");
    await put("other", "o");
    await put("mine", "mm");
    await shows(watch, "mm");
    await watch.stop();
  });

  test("shows more than fits a page", async () => {
    const names = Array.from({ length: 520 }, (_, index) => `many-${index}`);
    for (let from = 0; from < names.length; from += 40) {
      await Promise.all(names.slice(from, from + 40).map((name) => put(name, "many")));
    }
    const watch = watchTexts(api);
    await waitFor(() => watch.isSynced(), { deadlineMs: 10_000, what: "the list" });
    expect(watch.all().filter((text) => text === "many")).toHaveLength(520);
    await watch.stop();
  });

  test("begins once the account has the permission, and names it until then", async () => {
    const metadata = { name: "reader", namespace: NAMESPACE };
    await applyObject(kube, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    const token = await createServiceAccountToken(kube, NAMESPACE, "reader");
    const path = `${folder.path}/kubeconfig`;
    await Bun.write(path, kubeconfig({ ...kube, token }));
    const reader = await connectApi({ kind: "kubeconfig", paths: [path] });
    const failures: string[] = [];
    const onFailure = (error: unknown) => void failures.push(String(error));
    const watch = watchTexts(reader, { onFailure, fieldSelector: "metadata.name=mine" });
    await waitFor(() => failures.length > 1, { deadlineMs: 10_000, what: "failures" });
    expect(failures[0]).toContain('watch the texts: status 403 Forbidden: configmaps "mine" is');
    expect(watch.isSynced()).toBe(false);
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "watch"] }];
    await bindClusterRole(kube, { name: "reader", namespace: NAMESPACE }, rules);
    await shows(watch, "mm");
    await watch.stop();
  });
});

test("a refused request repeats the server's message", async () => {
  const failed = await api
    .ask({ method: "GET", path: `${PATH}/nothing`, operation: "read nothing" })
    .catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: "KUBERNETES_REFUSED", status: 404, reason: "NotFound" });
  expect((await askKubernetes(kube, { method: "GET", path: "/readyz" })).status).toBe(200);
});
