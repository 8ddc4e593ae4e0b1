import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseOperatorFlags } from "@svc/operator";
import { version } from "@svc/protocol";
import { choicesOf, type Variable } from "@svc/settings";
import { type KubernetesObject, temporaryFolder } from "@svc/testing";
import {
  operatorSettings,
  settingsFromTheChart,
} from "../../scripts/generate/chart/operator-settings.ts";
import { settingName } from "../../scripts/generate/chart/setting-value.ts";
import { objectOf, runHelm } from "../harness/kubernetes/helm.ts";
import { environmentOf } from "../harness/kubernetes/job-parts.ts";
import {
  everything,
  neededValues,
  operatorChart,
  renderOperatorChart,
  withValues,
} from "../harness/kubernetes/operator-chart.ts";

const enforcedLevel = "pod-security.kubernetes.io/enforce";
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

  test("have the operator's own defaults", async () => {
    const given = argumentsOf(await renderOperatorChart());
    const fewest = [...given].filter(([flag]) => isOfTheChart(flag) || flag === "--wrapper-image");
    expect(parse(given)).toEqual(parse(new Map(fewest)));
    expect(parse(given).kind).toBe("process");
  });

  const certificates: Readonly<Record<string, readonly [object, object]>> = {
    "its own certificate": [
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

  test("are left out if they are empty, so that the operator's defaults hold", async () => {
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

/** The operator's settings from the variables and flags that the kubelet passes. */
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
  // The chart refuses logins that have no namespaces.
  if (row.name === "--registry-login-namespaces") return { value: { "*": "shop" }, text: "*=shop" };
  // These have choices that go with a kernel agent alone.
  if (row.name === "--bundle-source") return { value: "copy", text: "copy" };
  if (row.name === "--token-source") return { value: "file", text: "file" };
  const choice = choicesOf(row.parse)?.at(-1);
  if (choice !== undefined) return { value: choice, text: choice };
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

  test("has no user if the platform gives one", async () => {
    const objects = await renderOperatorChart(withValues({ operator: { runAsUser: null } }));
    const { securityContext } = podOf(deploymentOf(objects));
    expect(Object.keys(securityContext).toSorted()).toEqual(["runAsNonRoot", "seccompProfile"]);
  });

  test("has a budget if there are others beside it", async () => {
    const kinds = async (replicas: number) =>
      (await renderOperatorChart(withValues({ operator: { replicas } }))).map(({ kind }) => kind);
    expect(await kinds(1)).not.toContain("PodDisruptionBudget");
    expect(await kinds(2)).toContain("PodDisruptionBudget");
  });

  test("listens at the port that Service, probes and network policy send to", async () => {
    const objects = await renderOperatorChart(everything);
    const [{ ports, readinessProbe, livenessProbe }] = podOf(deploymentOf(objects)).containers;
    expect(ports).toEqual([
      { name: "https", containerPort: 8443 },
      { name: "permits", containerPort: 8444 },
    ]);
    expect(argumentsOf(objects).get("--listen-addr")).toBe(":8443");
    expect(argumentsOf(objects).get("--permits-listen-addr")).toBe(":8444");
    expect(readinessProbe.httpGet).toEqual({ path: "/readyz", port: "https", scheme: "HTTPS" });
    expect(livenessProbe.httpGet).toEqual({ path: "/healthz", port: "https", scheme: "HTTPS" });
    const service = Object(objectOf(objects, "Service")["spec"]);
    expect(service.ports).toEqual([
      { name: "https", port: 443, targetPort: "https" },
      { name: "permits", port: 8444, targetPort: "permits" },
    ]);
    const [api, permits] = Object(objectOf(objects, "NetworkPolicy")["spec"]).ingress;
    expect([api.ports[0].port, permits.ports[0].port]).toEqual(["https", "permits"]);
    // Wrappers of every namespace ask for permits.
    expect([api.from, permits.from]).toEqual([expect.anything(), undefined]);
  });
});

describe("other programs of the chart", () => {
  test("get their settings by variables: the agent", async () => {
    const settings = { enforceMode: true, reactiveKill: false, platformEndpoint: "https://p.test" };
    const agent = { enabled: true, image: "registry.test/agent:1", settings };
    const pod = podOf(objectOf(await renderOperatorChart(withValues({ agent })), "DaemonSet"));
    const [node, ...variables] = pod.containers[0].env;
    expect(node).toMatchObject({ valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } });
    // All variables with a value, by name. The chart leaves other settings to the agent.
    expect(variables).toEqual([
      { name: "ADMIN_SOCKET_PATH", value: "/var/lib/svc/agent-admin.sock" },
      { name: "BPF_PROGRAM_STATS", value: "false" },
      { name: "EBPF_OBJECT_PATH", value: "/opt/svc/secret_monitor.o" },
      { name: "ENFORCE_DEADLINE", value: "5m" },
      { name: "ENFORCE_DRY_RUN", value: "false" },
      { name: "ENFORCE_MODE", value: "true" },
      { name: "ENFORCE_NODE", value: "true" },
      { name: "GLOBAL_PRIVESC_DETECT", value: "true" },
      { name: "GRPC_LISTEN_ADDR", value: "0.0.0.0:9443" },
      { name: "GRPC_SOCKET_PATH", value: "/var/run/svc/agent.sock" },
      { name: "GRPC_TOKEN_AUDIENCE", value: "svc-agent" },
      { name: "HEALTH_LISTEN_ADDR", value: "0.0.0.0:9090" },
      { name: "KEEP_OUT_OF_SWAP", value: "true" },
      { name: "KUBELET_FOLDER", value: "/var/lib/kubelet" },
      { name: "LOG_ALL", value: "false" },
      { name: "LOG_LEVEL", value: "info" },
      { name: "PLATFORM_COMPRESSION", value: "gzip" },
      { name: "PLATFORM_ENDPOINT", value: "https://p.test" },
      { name: "PLATFORM_TIMEOUT", value: "10s" },
      { name: "POLICY_RESOURCES", value: "true" },
      { name: "REACTIVE_KILL", value: "false" },
      { name: "REGISTRATION_UNITS", value: "svc-wrapper@*.service" },
      { name: "REGISTRATION_USERS", value: "root" },
      { name: "REGISTRY_PATH", value: "/var/lib/svc/agent-registry" },
      { name: "SPOOL_MAX_BYTES", value: "64Mi" },
      { name: "SPOOL_PATH", value: "/var/lib/svc/spool" },
    ]);
  });

  test("the agent may ask whose a token is if it has a certificate for wrappers over TCP, and not else", async () => {
    const agentOf = async (settings: object) => {
      const agent = { enabled: true, image: "registry.test/agent:1", settings };
      return renderOperatorChart(withValues({ agent }));
    };
    const grpc = { grpcTlsCert: "/etc/tls/tls.crt", grpcTlsKey: "/etc/tls/tls.key" };
    const asks = ({ metadata }: KubernetesObject) => metadata.name.endsWith("-agent");
    const roles = async (settings: object) =>
      (await agentOf(settings)).filter(({ kind }) => kind === "ClusterRole").filter(asks);
    expect(await roles({})).toEqual([]);
    expect(await roles(grpc)).toMatchObject([
      { rules: [{ resources: ["tokenreviews"], verbs: ["create"] }] },
    ]);
    for (const [settings, mounted] of [
      [{}, false],
      [grpc, true],
    ] as const) {
      const pod = podOf(objectOf(await agentOf(settings), "DaemonSet"));
      expect(pod.automountServiceAccountToken).toBe(mounted);
    }
  });

  test("it may list SvcPolicies and pods if it enforces, or if it is told to", async () => {
    const agentOf = async (settings: object) => {
      const agent = { enabled: true, image: "registry.test/agent:1", settings };
      return renderOperatorChart(withValues({ agent }));
    };
    for (const [settings, follows] of [
      [{}, false],
      [{ enforceMode: true }, true],
      [{ enforceMode: true, policyResources: false }, false],
      [{ policyResources: true }, true],
    ] as const) {
      const objects = await agentOf(settings);
      const roles = objects.filter(({ metadata }) => metadata.name === "svc-agent-policies");
      expect(roles.map(({ kind }) => kind)).toEqual(
        follows ? ["ClusterRole", "ClusterRoleBinding"] : [],
      );
      const pod = podOf(objectOf(objects, "DaemonSet"));
      expect(pod.automountServiceAccountToken).toBe(follows);
      const variable = { name: "POLICY_RESOURCES", value: "true" };
      if (follows) expect(pod.containers[0].env).toContainEqual(variable);
      else expect(pod.containers[0].env).not.toContainEqual(variable);
    }
  });

  test("no profile of the runtime confines the agent, and the operator has all of them", async () => {
    const agent = { enabled: true, image: "registry.test/agent:1" };
    const objects = await renderOperatorChart(withValues({ agent }));
    const unconfined = { type: "Unconfined" };
    expect(podOf(objectOf(objects, "DaemonSet")).securityContext).toEqual({
      seccompProfile: unconfined,
      appArmorProfile: unconfined,
    });
    const operator = podOf(deploymentOf(objects));
    const contexts = [operator, ...operator.containers].map((part) => part.securityContext ?? {});
    for (const { appArmorProfile } of contexts) expect(appArmorProfile).toBeUndefined();
    const levels = Object.fromEntries(
      objects
        .filter(({ kind }) => kind === "Namespace")
        .map(({ metadata }) => [metadata.name, Object(metadata["labels"])[enforcedLevel]]),
    );
    expect(levels).toEqual({ "svc-agent": "privileged" });
  });

  test("get their settings by variables: the store's command", async () => {
    const job = objectOf(await renderOperatorChart(everything), "Job");
    expect(environmentOf(job)).toMatchObject({ STORE_ADDR: "https://vault.vault:8200" });
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

test("the store's chart is part of it only if it is enabled", async () => {
  const kinds = (await renderOperatorChart()).map(({ kind }) => kind);
  expect(kinds).not.toContain("Job");
});
