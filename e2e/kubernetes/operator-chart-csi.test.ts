import { expect, test } from "bun:test";
import type { KubernetesObject } from "@svc/testing";
import { renderOperatorChart, withValues } from "../harness/kubernetes/operator-chart.ts";

const agent = { enabled: true, image: "registry.test/agent:1" };

test("without bundleSource=csi the agent is not a CSI driver", async () => {
  const objects = await renderOperatorChart(withValues({ agent }));
  expect(objects.map(({ kind }) => kind)).not.toContain("CSIDriver");
  const { initContainers, volumes } = podOf(objects);
  expect(initContainers).toBeUndefined();
  expect(JSON.stringify(volumes)).not.toContain("csi.svc.internal");
});

for (const [name, settings, folder] of [
  ["the usual folder", {}, "/var/lib/kubelet"],
  ["its own folder", { kubeletFolder: "/data/kubelet" }, "/data/kubelet"],
] as const) {
  test(`the agent reaches the socket of a kubelet with ${name}, and no more`, async () => {
    const objects = await renderOperatorChart(withValues({ agent: { ...agent, settings } }));
    const { containers, volumes } = podOf(objects);
    const [{ env, volumeMounts }] = containers;
    const mountPath = `${folder}/device-plugins`;
    expect(env).toContainEqual({ name: "KUBELET_FOLDER", value: folder });
    expect(volumeMounts).toContainEqual({ name: "device-plugins", mountPath, readOnly: true });
    const paths = volumes.map((volume: object) => String(Object(volume).hostPath?.path));
    expect(paths.filter((path: string) => path.startsWith(folder))).toEqual([mountPath]);
  });
}

for (const [name, values, folder] of [
  ["bundleSource=csi", { settings: { bundleSource: "csi" }, agent }, "/var/lib/kubelet"],
  [
    "the kubelet's own folder",
    { agent: { ...agent, settings: { csiKubeletFolder: "/data/kubelet" } } },
    "/data/kubelet",
  ],
] as const) {
  test(`with ${name} it is one, at ${folder}`, async () => {
    const objects = await renderOperatorChart(withValues(values));
    const [driver] = objects.filter(({ kind }) => kind === "CSIDriver");
    expect(driver).toMatchObject({
      metadata: { name: "csi.svc.internal" },
      spec: { volumeLifecycleModes: ["Ephemeral"], attachRequired: false, podInfoOnMount: true },
    });
    const { initContainers, containers, volumes } = podOf(objects);
    expect(initContainers).toMatchObject([
      {
        command: ["/opt/svc/bin/svc-wrapper", "--install", "/target"],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        volumeMounts: [{ name: "incoming", mountPath: "/target" }],
      },
    ]);
    const [{ env, volumeMounts }] = containers;
    expect(env).toContainEqual({ name: "CSI_KUBELET_FOLDER", value: folder });
    expect(env).toContainEqual({ name: "KUBELET_FOLDER", value: folder });
    expect(volumeMounts).toContainEqual({ name: "kubelet", mountPath: folder });
    const paths = volumes.map((volume: object) => Object(volume).hostPath?.path);
    expect(paths).toContain(folder);
    expect(paths).toContain(`${folder}/plugins/csi.svc.internal/incoming`);
  });
}

test("with tokenSource=agent the kubelet hands the agent tokens for the operator's audience", async () => {
  const settings = { bundleSource: "csi", tokenSource: "agent", tokenAudience: "bank" };
  const objects = await renderOperatorChart(withValues({ settings, agent }));
  const [driver] = objects.filter(({ kind }) => kind === "CSIDriver");
  expect(driver?.["spec"]).toMatchObject({
    ...{ tokenRequests: [{ audience: "bank" }], requiresRepublish: true },
  });
  const [{ env }] = podOf(objects).containers;
  expect(env).toContainEqual({ name: "CSI_TOKEN_AUDIENCE", value: "bank" });
});

test("without that it hands over none", async () => {
  const objects = await renderOperatorChart(
    withValues({ settings: { bundleSource: "csi" }, agent }),
  );
  const [driver] = objects.filter(({ kind }) => kind === "CSIDriver");
  expect(Object.keys(Object(driver?.["spec"]))).not.toContain("tokenRequests");
  expect(JSON.stringify(podOf(objects))).not.toContain("CSI_TOKEN_AUDIENCE");
});

function podOf(objects: readonly KubernetesObject[]) {
  const daemonSet = objects.find(({ kind }) => kind === "DaemonSet");
  return Object(daemonSet?.["spec"]).template.spec;
}
