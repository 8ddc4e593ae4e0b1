import { describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { KEEPING_PATIENCE, parseBootstrapSettings } from "@svc/bootstrap";
import { version } from "@svc/protocol";
import { choicesOf } from "@svc/settings";
import { temporaryFolder } from "@svc/testing";
import { chartSettings } from "../../scripts/generate/chart/secretstore-settings.ts";
import { settingName } from "../../scripts/generate/chart/setting-value.ts";
import {
  chart,
  neededValues,
  objectOf,
  parseManifest,
  renderChart,
  runHelm,
} from "../harness/kubernetes/helm.ts";
import { environmentOf, podTemplate } from "../harness/kubernetes/job-parts.ts";

const root = join(import.meta.dirname, "../..");
const plain = parseManifest(
  readFileSync(join(root, "deploy/kubernetes/secretstore-init.yaml"), "utf8"),
);
const { settings: needed, ...rest } = neededValues;
const withSettings = (settings: object, more: object = {}) => ({
  ...rest,
  ...more,
  settings: { ...needed, ...settings },
});
const renderJob = async (values: object) => objectOf(await renderChart(values), "Job");

describe("the chart's values", () => {
  test("set every variable of the command's table, and no other", async () => {
    const given = chartSettings.map((row) => [settingName(row), sampleOf(row)] as const);
    const job = await renderJob(withSettings(Object.fromEntries(given)));
    const wanted = chartSettings.map((row) => [row.name, String(sampleOf(row))]);
    expect(environmentOf(job)).toEqual(Object.fromEntries(wanted));
  });

  test("have no setting that leads nowhere", () => {
    const parsed: unknown = Bun.YAML.parse(readFileSync(join(chart, "values.yaml"), "utf8"));
    expect(Object.keys(Object(parsed).settings).toSorted()).toEqual(
      chartSettings.map(settingName).toSorted(),
    );
  });

  test("have the command's own defaults", async () => {
    const environment = new Map(Object.entries(environmentOf(await renderJob(neededValues))));
    const fewest = new Map([
      ["STORE_ADDR", "https://vault.vault:8200"],
      ["STORE_NAMESPACE", "vault"],
      ["STORE_RELEASE_NAME", "vault"],
    ]);
    const parse = (variables: ReadonlyMap<string, string>) =>
      parseBootstrapSettings({ environment: variables, flags: [] });
    expect(parse(environment)).toEqual(parse(fewest));
    expect(parse(environment).kind).toBe("settings");
  });

  test("leave a variable out if they are empty or null", async () => {
    const job = await renderJob(withSettings({ kvPath: "", shamirShares: null }));
    expect(environmentOf(job)).not.toHaveProperty("BOOTSTRAP_KV_PATH");
    expect(environmentOf(job)).not.toHaveProperty("BOOTSTRAP_SHAMIR_SHARES");
  });

  test("take a list as YAML has it", async () => {
    const job = await renderJob(withSettings({ roleBoundSaNames: ["shop", "bank"] }));
    expect(environmentOf(job)).toMatchObject({ BOOTSTRAP_ROLE_BOUND_SA_NAMES: "shop,bank" });
  });

  test("put Secret, Role and binding into the store's namespace", async () => {
    const objects = await renderChart(withSettings({ namespace: "stores" }));
    const places = objects.map(({ kind, metadata }) => [kind, metadata.namespace] as const);
    expect(Object.fromEntries(places)).toEqual({
      ...{ ServiceAccount: "vault", Job: "vault" },
      ...{ Secret: "stores", Role: "stores", RoleBinding: "stores" },
    });
  });
});

/** A text that the chart takes, another one for every setting. */
function sampleOf(row: (typeof chartSettings)[number]): string | number | boolean {
  if (row.name === "STORE_ADDR") return "https://store.test:8201";
  const choice = choicesOf(row.parse)?.at(-1);
  if (choice !== undefined) return choice;
  if (row.type === "number") return row.name.length;
  return row.type === "boolean" ? true : `value of ${row.name}`;
}

describe("files from the cluster are mounted in the places that the settings name", () => {
  const cases: Readonly<Record<string, readonly [values: object, variables: object]>> = {
    "the CA of a ConfigMap": [
      { ca: { configMap: "store", key: "ca.pem" } },
      { VAULT_CACERT: "/etc/svc/ca/ca.pem" },
    ],
    "the CA of a Secret": [{ ca: { secret: "store" } }, { VAULT_CACERT: "/etc/svc/ca/ca.crt" }],
    "a client certificate": [
      { clientCertificate: { secret: "client" } },
      {
        VAULT_CLIENT_CERT: "/etc/svc/client/tls.crt",
        VAULT_CLIENT_KEY: "/etc/svc/client/tls.key",
      },
    ],
    "a reviewer's token": [
      { tokenReviewer: { secret: "reviewer" } },
      {
        BOOTSTRAP_KUBERNETES_CA_CERT: "/etc/svc/reviewer/ca.crt",
        BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE: "/etc/svc/reviewer/token",
      },
    ],
  };
  for (const [name, [values, variables]] of Object.entries(cases)) {
    test(name, async () => {
      const job = await renderJob({ ...neededValues, ...values });
      expect(environmentOf(job)).toMatchObject(variables);
      expect(podTemplate(job).spec.volumes).toHaveLength(1);
    });
  }
});

describe("a mistake is named", () => {
  const cases: Readonly<Record<string, readonly [values: object, said: readonly string[]]>> = {
    "all that is missing, at once": [
      {},
      [
        "image: must name an image that has /opt/svc/bin/svc: it is empty",
        "settings.storeAddr: must be the store's URL",
        "settings.releaseName: must be the name of the store's Helm release: it is empty",
      ],
    ],
    "an address without a port": [
      withSettings({ storeAddr: "https://vault" }),
      ['settings.storeAddr: must include scheme and port: got "https://vault"'],
    ],
    "a setting that does not exist": [withSettings({ kvpath: "x" }), ["'kvpath' not allowed"]],
    "a value that does not exist": [{ ...neededValues, images: "x" }, ["'images' not allowed"]],
    "a number that is a text": [
      withSettings({ shamirShares: "5" }),
      ["'/settings/shamirShares': got string, want integer"],
    ],
    "a duration that YAML takes for a number": [
      withSettings({ roleTtl: 60 }),
      ["'/settings/roleTtl': got number, want string"],
    ],
    "two places for the CA": [
      { ...neededValues, ca: { configMap: "a", secret: "b" } },
      ["ca.configMap, ca.secret: one of them must be empty: both are set"],
    ],
    "a file that is set twice": [
      withSettings({ vaultCacert: "/a" }, { ca: { configMap: "a" } }),
      ["settings.vaultCacert: must be empty if"],
    ],
    "a network policy that would cut off the API server": [
      { ...neededValues, networkPolicy: { enabled: true } },
      ["networkPolicy.apiServer: must name the address of the API server"],
    ],
  };
  for (const [name, [values, said]] of Object.entries(cases)) {
    test(name, async () => {
      const { exitCode, stderr } = await runHelm(["template", "x", chart], { values });
      expect(exitCode).not.toBe(0);
      for (const line of said) expect(stderr).toContain(line);
    });
  }
});

test("the chart has the version of all parts", () => {
  const parsed: unknown = Bun.YAML.parse(readFileSync(join(chart, "Chart.yaml"), "utf8"));
  expect(parsed).toMatchObject({ version, appVersion: version });
});

test("a pod has more time to end than keys in hand are tried to be stored", async () => {
  const { terminationGracePeriodSeconds } = podTemplate(await renderJob(neededValues)).spec;
  expect(terminationGracePeriodSeconds * 1000).toBeGreaterThan(KEEPING_PATIENCE.deadlineMs);
});

test("helm lint finds nothing", async () => {
  const { exitCode, stdout } = await runHelm(["lint", "--strict", chart], { values: neededValues });
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining("0 chart(s) failed"),
  });
});

test("the chart is a dependency of another, whose globals it lets pass", async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "charts"));
  cpSync(chart, join(folder.path, "charts/svc-secretstore"), { recursive: true });
  const parent = { apiVersion: "v2", name: "platform", version: "1.0.0" };
  await Bun.write(join(folder.path, "Chart.yaml"), JSON.stringify(parent));
  const values = { global: { team: "x" }, "svc-secretstore": neededValues };
  const objects = await renderChart(values, folder.path);
  expect(objects.map(({ kind }) => kind)).toContain("Job");
});

describe("the plain manifest and the chart make the same", () => {
  const values = { ...neededValues, ca: { configMap: "vault-ca" } };
  const podOf = (job: Parameters<typeof podTemplate>[0]) => {
    const { serviceAccountName: _, containers, ...spec } = podTemplate(job).spec;
    const [{ env: __, image: ___, ...container }] = containers;
    return { ...spec, container };
  };

  test("pod", async () => {
    expect(podOf(objectOf(plain, "Job"))).toEqual(podOf(await renderJob(values)));
  });

  test("Job around it", async () => {
    const around = (job: object) => ({ ...Object(job).spec, template: undefined });
    expect(around(objectOf(plain, "Job"))).toEqual(around(await renderJob(values)));
  });

  test("rights and output Secret", async () => {
    const rendered = await renderChart(values);
    expect(objectOf(plain, "Role")["rules"]).toEqual(objectOf(rendered, "Role")["rules"]);
    const secretOf = (objects: typeof rendered) => {
      const { metadata, ...secret } = objectOf(objects, "Secret");
      return { ...secret, name: metadata.name, annotations: metadata["annotations"] };
    };
    expect(secretOf(plain)).toEqual(secretOf(rendered));
  });

  test("settings, as far as the plain manifest has them", async () => {
    const all = environmentOf(await renderJob(values));
    expect(all).toMatchObject(environmentOf(objectOf(plain, "Job")));
  });
});
