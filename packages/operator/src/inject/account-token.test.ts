import { describe, expect, test } from "bun:test";
import { injectedPodOf, type SmallPod } from "./testdata/injected-container.ts";

describe("a service account's token is", () => {
  const mount = {
    name: "kube-api-access-abcde",
    mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
  };
  const cases: Readonly<Record<string, readonly [small: SmallPod, audience: unknown]>> = {
    "made for the vault, beside the one that is mounted": [
      { container: { volumeMounts: [mount] } },
      "vault",
    ],
    "made for the operator's audience": [
      { operator: { tokenAudience: "https://vault.test" } },
      "https://vault.test",
    ],
    "made for the SvcConfig's audience": [{ config: { tokenAudience: "bank" } }, "bank"],
    "made for the annotation's audience": [
      { annotations: { "token-audience": "shop" }, config: { tokenAudience: "bank" } },
      "shop",
    ],
    "the one that is mounted if that is asked": [
      { annotations: { "token-audience": "none" }, container: { volumeMounts: [mount] } },
      "none made",
    ],
    "the one that is mounted if the operator says so": [
      { operator: { tokenAudience: "none" }, container: { volumeMounts: [mount] } },
      "none made",
    ],
    "made for the API server if none is mounted and that is asked": [
      { annotations: { "token-audience": "none" } },
      undefined,
    ],
    "not made for a static token": [
      { annotations: { "vault-auth-method": "token", "token-secret": "vault" } },
      "none made",
    ],
    "not made if the container names its own": [
      { container: { env: [{ name: "SVC_AUTH_JWT_PATH", value: "/t" }] } },
      "none made",
    ],
  };
  for (const [name, [small, audience]] of Object.entries(cases)) {
    test(name, () => {
      const volumes = injectedPodOf(small).spec.volumes ?? [];
      const made = volumes.find((volume) => volume.name === "svc-account");
      const [source] = Object(made?.["projected"]).sources ?? [];
      expect(made === undefined ? "none made" : source.serviceAccountToken.audience).toBe(audience);
    });
  }
});

describe("with --token-source=agent", () => {
  const operator = { bundle: { kind: "csi" }, tokenSource: "agent" } as const;
  const cases: Readonly<
    Record<string, readonly [small: SmallPod, from: "agent" | "file" | "own"]>
  > = {
    "the agent gives the token": [{ operator }, "agent"],
    "the agent gives it if the annotation names the same audience": [
      { operator, annotations: { "token-audience": "vault" } },
      "agent",
    ],
    "a file has it for another audience": [
      { operator, annotations: { "token-audience": "shop" } },
      "file",
    ],
    "a file has it if containers share a pid namespace": [
      { operator, spec: { shareProcessNamespace: true } },
      "file",
    ],
    "a file has it if the bundle is copied": [{ operator: { tokenSource: "agent" } }, "file"],
    "the container's own variable stays": [
      { operator, container: { env: [{ name: "SVC_AUTH_JWT_PATH", value: "/t" }] } },
      "own",
    ],
  };
  for (const [name, [small, from]] of Object.entries(cases)) {
    test(name, () => {
      const { spec } = injectedPodOf(small);
      const env = spec.containers[0]?.env ?? [];
      const path = env.find((entry) => entry.name === "SVC_AUTH_JWT_PATH")?.["value"];
      const hasFile = JSON.stringify(spec.volumes ?? []).includes("serviceAccountToken");
      expect({ path, hasFile }).toEqual(outcomes[from]);
    });
  }

  test("a static token needs neither", () => {
    const annotations = { "vault-auth-method": "token", "token-secret": "vault" };
    const text = JSON.stringify(injectedPodOf({ operator, annotations }));
    expect(text).not.toContain("login.sock");
  });
});

const outcomes = {
  agent: { path: "unix:///opt/svc/login.sock", hasFile: false },
  file: { path: "/var/run/secrets/svc.internal/account/token", hasFile: true },
  own: { path: "/t", hasFile: false },
};
