import { describe, expect, test } from "bun:test";
import { runHelm } from "../harness/kubernetes/helm.ts";
import { operatorChart, withValues } from "../harness/kubernetes/operator-chart.ts";

describe("a mistake is named", () => {
  const cases: Readonly<Record<string, readonly [values: object, said: readonly string[]]>> = {
    "all that is missing, at once": [
      { agent: { enabled: true }, certificate: { source: "secret" } },
      [
        "operator.image: must name an image that has /opt/svc/bin/svc-operator: it is empty",
        "operator.settings.wrapperImage: must name an image that has /opt/svc: it is empty",
        "agent.image: must name an image with the agent if agent.enabled is true: it is empty",
        "certificate.secret: must name a Secret if certificate.source is secret: it is empty",
      ],
    ],
    "an invalid prefix": [
      withValues({ settings: { annotationPrefix: "Svc'" } }),
      [
        'operator.settings.annotationPrefix: must be a DNS name, for example svc.internal: got "Svc\'"',
      ],
    ],
    "a network policy that would cut off the API server": [
      withValues({ operator: { networkPolicy: { enabled: true } } }),
      ["operator.networkPolicy.apiServer: must name the address of the API server: it is empty"],
    ],
    "namespaces without access": [
      withValues({ operator: { pullSecrets: { namespaces: ["shop"] } } }),
      ["operator.pullSecrets.namespaces: must be empty unless", 'the access is "none"'],
    ],
    "rights in no namespace": [
      withValues({ operator: { pullSecrets: { access: "namespaces" } } }),
      ["operator.pullSecrets.namespaces: must name namespaces"],
    ],
    "a Secret that is not read": [
      withValues({ certificate: { secret: "mine" } }),
      ["certificate.secret: must be empty unless certificate.source is secret"],
    ],
    "an issuer that is not used": [
      withValues({ certificate: { issuer: { name: "x" } } }),
      ["certificate.issuer: must be empty unless certificate.source is cert-manager"],
    ],
    "a CSI driver that does not run": [
      withValues({ settings: { bundleSource: "csi" } }),
      ["agent.enabled: must be true if operator.settings.bundleSource is csi"],
    ],
    "tokens from an agent that has no volumes": [
      withValues({ settings: { tokenSource: "agent" } }),
      ["operator.settings.tokenSource: must be file unless operator.settings.bundleSource is csi"],
    ],
    "an agent that gives tokens without an audience": [
      withValues({
        settings: { tokenSource: "agent", bundleSource: "csi", tokenAudience: "none" },
        agent: { enabled: true, image: "registry.test/agent:1" },
      }),
      ['operator.settings.tokenSource: must be file if operator.settings.tokenAudience is "none"'],
    ],
    "tokens from an agent for another audience": [
      withValues({
        settings: { tokenSource: "agent", bundleSource: "csi" },
        agent: {
          ...{ enabled: true, image: "registry.test/agent:1" },
          settings: { csiTokenAudience: "bank" },
        },
      }),
      ["agent.settings.csiTokenAudience: must be operator.settings.tokenAudience"],
    ],
    "a level of the log that the agent alone has": [
      { operator: { settings: { logLevel: "debug" } } },
      ["'/operator/settings/logLevel': value must be one of '', 'info', 'warn', 'error'"],
    ],
    "an invalid duration": [
      withValues({ settings: { shutdownDelay: "5 sec" } }),
      ["'/operator/settings/shutdownDelay': '5 sec' does not match pattern"],
    ],
    "an item of a list with a comma": [
      withValues({ settings: { architectures: ["amd64,arm64"] } }),
      ["'/operator/settings/architectures/0': 'amd64,arm64' does not match pattern"],
    ],
  };
  for (const [name, [values, said]] of Object.entries(cases)) {
    test(name, async () => {
      const { exitCode, stderr } = await runHelm(["template", "x", operatorChart], { values });
      expect(exitCode).not.toBe(0);
      for (const line of said) expect(stderr).toContain(line);
    });
  }
});
