import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "@svc/protocol";
import type { Variable } from "@svc/settings";
import { type KubernetesObject, temporaryFolder } from "@svc/testing";
import { parseOperatorFlags } from "../../packages/operator/src/flags/parse-operator-flags.ts";
import {
  operatorSettings,
  settingsFromTheChart,
} from "../../scripts/generate/chart/operator-settings.ts";
import { settingName } from "../../scripts/generate/chart/setting-value.ts";
import { objectOf, runHelm } from "./helm.ts";
import {
  everything,
  neededValues,
  operatorChart,
  renderOperatorChart,
  withValues,
} from "./operator-chart.ts";

const deploymentOf = (objects: readonly KubernetesObject[]) => objectOf(objects, "Deployment");
const podOf = (workload: KubernetesObject) => Object(workload["spec"]).template.spec;
const argumentsOf = (objects: readonly KubernetesObject[]): ReadonlyMap<string, string> => {
  const words: readonly string[] = podOf(deploymentOf(objects)).containers[0].args;
  return new Map(words.map((word) => cut(word)));
};
const cut = (word: string): readonly [string, string] => {
  const equals = word.indexOf("=");
  return [word.slice(0, equals), word.slice(equals + 1)];
};

describe("the operator's flags", () => {
  test("have a value each, and nothing else is an argument", async () => {
    const samples = operatorSettings.map((row) => [settingName(row), sampleOf(row).value] as const);
    const objects = await renderOperatorChart(
      withValues({ settings: Object.fromEntries(samples) }),
    );
    const wanted = operatorSettings.map((row) => [row.name, sampleOf(row).text] as const);
    const given = [...argumentsOf(objects)].filter(([flag]) => !isOfTheChart(flag));
    expect(Object.fromEntries(given)).toEqual(Object.fromEntries(wanted));
  });

  test("mean, where nothing is said, what the operator means without them", async () => {
    const given = argumentsOf(await renderOperatorChart());
    const fewest = [...given].filter(([flag]) => isOfTheChart(flag) || flag === "--wrapper-image");
    expect(parse(given)).toEqual(parse(new Map(fewest)));
    expect(parse(given).kind).toBe("process");
  });

  const certificates: Readonly<Record<string, readonly [object, object]>> = {
    "a certificate of its own": [
      {},
      { "--certificate-source": "self-made", "--certificate-secret": "svc-operator-tls" },
    ],
    "cert-manager": [
      { source: "cert-manager" },
      {
        "--certificate-source": "files",
        "--certificate-file": "/etc/svc/certificate/tls.crt",
        "--certificate-key-file": "/etc/svc/certificate/tls.key",
      },
    ],
    "a Secret of the user's": [
      { source: "secret", secret: "mine", authorityKey: "ca.pem" },
      {
        "--certificate-source": "files",
        "--certificate-file": "/etc/svc/certificate/tls.crt",
        "--certificate-key-file": "/etc/svc/certificate/tls.key",
        "--certificate-ca-file": "/etc/svc/certificate/ca.pem",
      },
    ],
  };
  for (const [name, [certificate, wanted]] of Object.entries(certificates)) {
    test(`follow from the other values: ${name}`, async () => {
      const given = argumentsOf(await renderOperatorChart(withValues({ certificate })));
      const ofCertificate = [...given].filter(([flag]) => /^--certificate-(?!life)/.test(flag));
      expect(Object.fromEntries(ofCertificate)).toEqual(Object(wanted));
      expect(parse(given).kind).toBe("process");
    });
  }

  for (const access of ["none", "namespaces", "cluster"]) {
    test(`say whether pull secrets may be read: ${access}`, async () => {
      const pullSecrets = { access, namespaces: access === "namespaces" ? ["shop"] : [] };
      const given = argumentsOf(
        await renderOperatorChart(withValues({ operator: { pullSecrets } })),
      );
      expect(given.get("--read-pull-secrets")).toBe(String(access !== "none"));
    });
  }

  test("are left out where they are empty, so that the operator's defaults hold", async () => {
    const empty = { architectures: [], logLevel: "", maxInFlight: null, copyCommand: [] };
    const given = argumentsOf(await renderOperatorChart(withValues({ settings: empty })));
    for (const flag of ["architectures", "log-level", "max-in-flight", "copy-command"]) {
      expect([...given.keys()]).not.toContain(`--${flag}`);
    }
  });

  test("take resources away by null", async () => {
    const wrapperRequests = { cpu: null, memory: null };
    const objects = await renderOperatorChart(withValues({ settings: { wrapperRequests } }));
    expect(argumentsOf(objects).get("--wrapper-requests")).toBe("none");
  });
});

const ofTheChart = settingsFromTheChart.map(({ name }) => name);
const isOfTheChart = (flag: string) => ofTheChart.includes(flag);

/** What the operator makes of what the kubelet makes of it. */
function parse(given: ReadonlyMap<string, string>) {
  const words = [...given].map(([flag, text]) => `${flag}=${text.replaceAll("$$", "$")}`);
  return parseOperatorFlags(words, undefined);
}

interface Sample {
  readonly value: unknown;
  readonly text: string;
}

/** Another value for every row, and the text that the flag has then. */
function sampleOf(row: Variable): Sample {
  const one = row.name.replaceAll("-", "");
  switch (row.type) {
    case "number":
      return { value: row.name.length, text: String(row.name.length) };
    case "boolean":
      return { value: true, text: "true" };
    case "list":
      return { value: [one, "b"], text: `${one},b` };
    case "map":
      return { value: { [`${one}:5000`]: "x", y: ["1", "2"] }, text: `${one}:5000=x,y=1,y=2` };
    case "quantities":
      return { value: { cpu: 2, memory: "1Gi" }, text: "cpu=2,memory=1Gi" };
    case "words":
      return { value: ["a b", "$(HOME)"], text: '["a b","$$(HOME)"]' };
    case "user":
      return { value: 1_000_650_000, text: "1000650000" };
    case "duration":
      return { value: "1m30s", text: "1m30s" };
    case "prefix":
      return { value: "secrets.example", text: "secrets.example" };
    default:
      return { value: `value of ${row.name}`, text: `value of ${row.name}` };
  }
}

describe("the operator's pod", () => {
  test("has no variable", async () => {
    for (const values of [neededValues, everything]) {
      const [container] = podOf(deploymentOf(await renderOperatorChart(values))).containers;
      expect(container.env).toBeUndefined();
      expect(container.envFrom).toBeUndefined();
    }
  });

  const periods: readonly (readonly [object, number])[] = [
    [{}, 30],
    [{ shutdownDelay: "1m30s" }, 115],
    [{ shutdownDelay: "0", shutdownGrace: "1.5s" }, 11],
    [{ shutdownDelay: "", shutdownGrace: null }, 30],
  ];
  for (const [settings, seconds] of periods) {
    test(`has ${seconds} s to end with ${JSON.stringify(settings)}`, async () => {
      const objects = await renderOperatorChart(withValues({ settings }));
      expect(podOf(deploymentOf(objects)).terminationGracePeriodSeconds).toBe(seconds);
    });
  }

  test("is the only one with its budget where there is one replica", async () => {
    const kinds = async (replicas: number) =>
      (await renderOperatorChart(withValues({ operator: { replicas } }))).map(({ kind }) => kind);
    expect(await kinds(1)).not.toContain("PodDisruptionBudget");
    expect(await kinds(2)).toContain("PodDisruptionBudget");
  });

  test("listens where Service, probes and network policy send to", async () => {
    const objects = await renderOperatorChart(everything);
    const [{ ports, readinessProbe, livenessProbe }] = podOf(deploymentOf(objects)).containers;
    expect(ports).toEqual([{ name: "https", containerPort: 8443 }]);
    expect(argumentsOf(objects).get("--listen-addr")).toBe(":8443");
    expect(readinessProbe.httpGet).toEqual({ path: "/readyz", port: "https", scheme: "HTTPS" });
    expect(livenessProbe.httpGet).toEqual({ path: "/healthz", port: "https", scheme: "HTTPS" });
    expect(Object(objectOf(objects, "Service")["spec"]).ports[0].targetPort).toBe("https");
  });
});

describe("the names of objects", () => {
  const releases: Readonly<Record<string, string>> = {
    svc: "svc-operator",
    "my-svc": "my-svc-operator",
    secrets: "secrets-svc-operator",
    [`r${"0".repeat(52)}`]: `r${"0".repeat(39)}-operator`,
  };
  for (const [release, name] of Object.entries(releases)) {
    test(`of release ${release} are ${name}`, async () => {
      const words = ["template", release, operatorChart, "-s", "templates/operator/service.yaml"];
      const { stdout } = await runHelm(words, { values: neededValues });
      expect(stdout).toContain(`\n  name: ${name}\n`);
    });
  }
});

describe("a mistake is named", () => {
  const cases: Readonly<Record<string, readonly [values: object, said: readonly string[]]>> = {
    "all that is missing, at once": [
      { agent: { enabled: true }, certificate: { source: "secret" } },
      [
        "operator.image: must name an image that has /opt/svc/bin/svc-operator: it is empty",
        "operator.settings.wrapperImage: must name an image that has /opt/svc: it is empty",
        "agent.image: must name an image with the agent where agent.enabled is true: it is empty",
        "certificate.secret: must name a Secret where certificate.source is secret: it is empty",
      ],
    ],
    "a prefix that is none": [
      withValues({ settings: { annotationPrefix: "Svc'" } }),
      [
        'operator.settings.annotationPrefix: must be a DNS name, for example svc.internal: got "Svc\'"',
      ],
    ],
    "a network policy that would cut off the API server": [
      withValues({ operator: { networkPolicy: { enabled: true } } }),
      ["operator.networkPolicy.apiServer: must say where the API server is: it is empty"],
    ],
    "namespaces that nobody gets rights in": [
      withValues({ operator: { pullSecrets: { namespaces: ["shop"] } } }),
      ["operator.pullSecrets.namespaces: must be empty unless", "the access is none"],
    ],
    "rights in no namespace": [
      withValues({ operator: { pullSecrets: { access: "namespaces" } } }),
      ["operator.pullSecrets.namespaces: must name namespaces"],
    ],
    "a Secret that nobody reads": [
      withValues({ certificate: { secret: "mine" } }),
      ["certificate.secret: must be empty unless certificate.source is secret"],
    ],
    "an issuer that nobody asks": [
      withValues({ certificate: { issuer: { name: "x" } } }),
      ["certificate.issuer: must be empty unless certificate.source is cert-manager"],
    ],
    "a duration that is none": [
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

test("the chart and its dependency have the version of all parts", () => {
  const text = readFileSync(join(operatorChart, "Chart.yaml"), "utf8");
  const dependencies = [expect.objectContaining({ name: "svc-secretstore", version })];
  expect(Bun.YAML.parse(text)).toMatchObject({ version, appVersion: version, dependencies });
});

test("helm lint finds nothing", async () => {
  for (const values of [neededValues, everything]) {
    const { exitCode, stdout } = await runHelm(["lint", "--strict", operatorChart], { values });
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining("0 chart(s) failed"),
    });
  }
});

test("a package of the chart has the store's chart in it, and makes the same", async () => {
  using folder = temporaryFolder();
  const packed = await runHelm(["package", operatorChart, "--destination", folder.path]);
  expect(packed).toMatchObject({ exitCode: 0 });
  const words = (path: string) => ["template", "svc", path, "--namespace", "svc-system"];
  const fromPackage = await runHelm(words(join(folder.path, `svc-${version}.tgz`)), {
    values: everything,
  });
  const fromFolder = await runHelm(words(operatorChart), { values: everything });
  expect(fromPackage.stdout).toContain("kind: Job");
  expect(fromPackage.stdout).toBe(fromFolder.stdout);
});

test("the store's chart is no part of it unless it is enabled", async () => {
  const kinds = (await renderOperatorChart()).map(({ kind }) => kind);
  expect(kinds).not.toContain("Job");
});
