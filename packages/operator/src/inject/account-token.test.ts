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
    "the one that is mounted where that is asked": [
      { annotations: { "token-audience": "none" }, container: { volumeMounts: [mount] } },
      "none made",
    ],
    "the one that is mounted where the operator says so": [
      { operator: { tokenAudience: "none" }, container: { volumeMounts: [mount] } },
      "none made",
    ],
    "made for the API server where none is mounted and that is asked": [
      { annotations: { "token-audience": "none" } },
      undefined,
    ],
    "not made for a static token": [
      { annotations: { "vault-auth-method": "token", "token-secret": "vault" } },
      "none made",
    ],
    "not made where the container says where its own is": [
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
