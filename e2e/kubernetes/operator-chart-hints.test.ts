import { describe, expect, test } from "bun:test";
import type { KubernetesObject } from "@svc/testing";
import { objectOf, runHelm } from "../harness/kubernetes/helm.ts";
import {
  operatorChart,
  renderOperatorChart,
  withValues,
} from "../harness/kubernetes/operator-chart.ts";

const settings = { hintsVaultAddress: "https://vault.vault.svc:8200" };
const vault = [
  {
    to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "vault" } } }],
    ports: [{ protocol: "TCP", port: 8200 }],
  },
];
const networkPolicy = {
  enabled: true,
  apiServer: [{ cidr: "192.0.2.10/32", port: 6443 }],
  vault,
};
const podOf = (objects: readonly KubernetesObject[]) =>
  Object(objectOf(objects, "Deployment")["spec"]).template.spec;

/** The parts of the operator's pod that are about hints. */
function partsOf(objects: readonly KubernetesObject[]) {
  const { volumes = [], containers } = podOf(objects);
  const [{ args, volumeMounts = [] }] = containers;
  const isOfHints = ({ name }: { readonly name: string }) => name === "hints";
  return {
    args: args.filter((word: string) => /^--hints-vault-(address|ca)/.test(word)),
    volume: volumes.find(isOfHints),
    mount: volumeMounts.find(isOfHints),
  };
}

describe("version hints", () => {
  test("are off, and the pod has no token for a vault", async () => {
    expect(partsOf(await renderOperatorChart())).toEqual({
      args: [],
      volume: undefined,
      mount: undefined,
    });
  });

  test("give the pod a token for the vault's audience", async () => {
    const hints = { tokenAudience: "bank" };
    const objects = await renderOperatorChart(withValues({ settings, operator: { hints } }));
    const serviceAccountToken = { path: "token", audience: "bank", expirationSeconds: 3600 };
    expect(partsOf(objects)).toEqual({
      args: [`--hints-vault-address=${settings.hintsVaultAddress}`],
      volume: { name: "hints", projected: { sources: [{ serviceAccountToken }] } },
      mount: { name: "hints", mountPath: "/etc/svc/hints", readOnly: true },
    });
  });

  test("verify the vault by the CA of a Secret", async () => {
    const hints = { caSecret: "vault-ca", caKey: "tls.crt" };
    const objects = await renderOperatorChart(withValues({ settings, operator: { hints } }));
    const { args, volume } = partsOf(objects);
    expect(args).toContain("--hints-vault-ca-file=/etc/svc/hints/ca.crt");
    expect(volume.projected.sources[1]).toEqual({
      secret: { name: "vault-ca", items: [{ key: "tls.crt", path: "ca.crt" }] },
    });
  });

  test("open the network policy to the vault and to wrappers, and only then", async () => {
    const egressOf = async (more: {
      readonly operator: object;
      readonly settings?: object;
    }): Promise<readonly unknown[]> => {
      const objects = await renderOperatorChart(withValues(more));
      return Object(objectOf(objects, "NetworkPolicy")["spec"]).egress;
    };
    const operator = { networkPolicy };
    const without = await egressOf({ operator });
    const added = (await egressOf({ operator, settings })).filter(
      (rule) => !without.some((known) => Bun.deepEquals(known, rule)),
    );
    expect(added).toEqual([
      ...vault,
      {
        to: [{ namespaceSelector: {} }],
        ports: [{ protocol: "TCP", port: 8199, endPort: 8215 }],
      },
    ]);
  });
});

describe("a mistake is named", () => {
  const cases: Readonly<Record<string, readonly [values: object, said: string]>> = {
    "hints without the server of permits": [
      withValues({ settings: { ...settings, rotationPermits: false } }),
      "operator.settings.hintsVaultAddress: must be empty unless operator.settings.rotationPermits",
    ],
    "a network policy that would cut off the vault": [
      withValues({ settings, operator: { networkPolicy: { ...networkPolicy, vault: [] } } }),
      "operator.networkPolicy.vault: must have rules for the vault",
    ],
    "a token without an audience": [
      withValues({ settings, operator: { hints: { tokenAudience: "" } } }),
      "operator.hints.tokenAudience: must be an audience",
    ],
    "a CA that is not used": [
      withValues({ operator: { hints: { caSecret: "vault-ca" } } }),
      "operator.hints.caSecret: must be empty unless operator.settings.hintsVaultAddress is set",
    ],
  };
  for (const [name, [values, said]] of Object.entries(cases)) {
    test(name, async () => {
      const { exitCode, stderr } = await runHelm(["template", "svc", operatorChart], { values });
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain(said);
    });
  }
});
