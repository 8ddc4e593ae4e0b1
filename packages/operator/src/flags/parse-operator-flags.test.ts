import { describe, expect, test } from "bun:test";
import { flagOf } from "@svc/settings";
import { dockerHub } from "../image/default-registry.ts";
import { operatorDefaults } from "../inject/operator-settings.ts";
import { operatorFlags, operatorHelp } from "./operator-flags.ts";
import type { OperatorProcess } from "./operator-process.ts";
import { parseOperatorFlags } from "./parse-operator-flags.ts";

const IMAGE = "--wrapper-image=registry.test/svc:1";
const ALL = "--registry-login-namespaces=*=*";

function parsed(...flags: readonly string[]): OperatorProcess {
  const result = parseOperatorFlags([IMAGE, ...flags], "svc-system");
  if (result.kind !== "process") throw new TypeError(JSON.stringify(result));
  return result.process;
}

function problems(...flags: readonly string[]): readonly string[] {
  const result = parseOperatorFlags(flags, "svc-system");
  return result.kind === "problems" ? result.problems.map(({ message }) => message) : [];
}

test("the image alone is enough, and everything else is the default", () => {
  const { operator, images, certificate, cluster, serving, defaultConfig } = parsed();
  expect(operator).toEqual({
    prefix: "svc.internal",
    bundle: {
      kind: "copy",
      image: "registry.test/svc:1",
      command: operatorDefaults.copyCommand,
      user: operatorDefaults.user,
      mountsWherePossible: true,
    },
    resources: operatorDefaults.resources,
    imagePullSecrets: [],
    wellKnownSidecars: operatorDefaults.wellKnownSidecars,
    allowedAddresses: [],
    tokenAudience: "vault",
    tokenSource: "file",
    insecureVaultNamespaces: [],
    agentFolder: "/var/run/svc",
    permits: undefined,
    hints: false,
    whenImpossible: "deny",
  });
  expect(defaultConfig).toBeUndefined();
  expect(images.registries.defaultRegistry).toEqual(dockerHub);
  expect(images).toMatchObject({ architectures: ["amd64", "arm64"], readPullSecrets: false });
  expect(certificate).toEqual({
    source: "self-made",
    service: "svc-operator",
    names: ["svc-operator.svc-system.svc"],
    configuration: "svc-operator",
    secret: "svc-operator-tls",
    lifeMs: 7_776_000_000,
  });
  expect(cluster).toMatchObject({
    namespace: "svc-system",
    server: { host: "kubernetes.default.svc", port: "443" },
    lease: "svc-operator",
  });
  expect(serving).toMatchObject({ hostname: "", port: 8443, inFlight: 256, logLevel: "info" });
});

test("logins have a rule for each pattern, with the namespaces of that pattern and of all", () => {
  const { logins } = parsed(
    "--registry-logins=*.azurecr.io=azure,a.test/team=docker-config",
    "--registry-login-namespaces=a.test/team=shop,a.test/team=bank,*=ops",
    "--docker-config=/etc/docker/config.json",
  );
  expect(logins.rules).toMatchObject([
    { pattern: { host: "*.azurecr.io" }, source: "azure", namespaces: ["ops"] },
    {
      pattern: { host: "a.test", path: "/team" },
      ...{ source: "docker-config", namespaces: ["shop", "bank", "ops"] },
    },
  ]);
  expect([logins.dockerConfig, logins.helperFolder]).toEqual([
    "/etc/docker/config.json",
    undefined,
  ]);
  expect(parsed().logins.rules).toEqual([]);
});

describe("a flag is understood:", () => {
  const rows: readonly (readonly [
    flag: string,
    got: (process: OperatorProcess) => unknown,
    unknown,
  ])[] = [
    ["--annotation-prefix=a.test", ({ operator }) => operator.prefix, "a.test"],
    [
      "--bundle-source=image-volume",
      ({ operator }) => operator.bundle,
      { kind: "image-volume", image: "registry.test/svc:1" },
    ],
    ["--bundle-source=csi", ({ operator }) => operator.bundle, { kind: "csi" }],
    ["--copy-user=none", ({ operator }) => Object(operator.bundle).user, undefined],
    ["--copy-user=1000", ({ operator }) => Object(operator.bundle).user, 1000],
    [
      '--copy-command=["/copy","a b"]',
      ({ operator }) => Object(operator.bundle).command,
      ["/copy", "a b"],
    ],
    [
      "--wrapper-requests=cpu=1,memory=64Mi,example.test/thing=2",
      ({ operator }) => operator.resources.requests,
      { cpu: "1", memory: "64Mi", "example.test/thing": "2" },
    ],
    ["--wrapper-limits=none", ({ operator }) => operator.resources.limits, {}],
    [
      "--allowed-addresses=https://a.test:8200, https://b.test:8200/",
      ({ operator }) => operator.allowedAddresses,
      ["https://a.test:8200", "https://b.test:8200"],
    ],
    [
      "--default-config=svc-system/default",
      ({ defaultConfig }) => defaultConfig,
      { namespace: "svc-system", name: "default" },
    ],
    [
      "--default-registry=hub.test",
      ({ images }) => images.registries.defaultRegistry,
      { name: "hub.test", aliases: [], server: "hub.test", namespace: undefined },
    ],
    [
      "--default-registry=none",
      ({ images }) => images.registries.defaultRegistry,
      { ...dockerHub, server: undefined },
    ],
    [
      "--default-registry-server=cache.test:5000",
      ({ images }) => images.registries.defaultRegistry,
      { ...dockerHub, server: "cache.test:5000" },
    ],
    [
      "--registry-mirrors=index.docker.io=m.test,docker.io=n.test",
      ({ images }) => images.registries.mirrors,
      { "docker.io": ["m.test", "n.test"] },
    ],
    [
      "--registry-ca-files=docker.io=/ca.pem,a.test=/a.pem",
      ({ images }) => images.authorityFiles,
      { "registry-1.docker.io": ["/ca.pem"], "a.test": ["/a.pem"] },
    ],
    [
      "--insecure-registries=docker.io=skip-verify",
      ({ images }) => images.registries.insecureRegistries,
      { "registry-1.docker.io": "skip-verify" },
    ],
    [
      "--default-registry=index.docker.io",
      ({ images }) => images.registries.defaultRegistry,
      dockerHub,
    ],
    [
      "--registry-mirrors=a.test=m.test:5000/p,a.test=n.test,b.test=m.test",
      ({ images }) => images.registries.mirrors,
      { "a.test": ["m.test:5000/p", "n.test"], "b.test": ["m.test"] },
    ],
    [
      "--registry-mirrors=hub.test=mirror.test:5000/proxy/hub,hub.test=[::1]:5000/",
      ({ images }) => images.registries.mirrors,
      { "hub.test": ["mirror.test:5000/proxy/hub", "[::1]:5000/"] },
    ],
    [
      "--registry-trusted-hosts=10.0.0.1:5001",
      ({ images }) => images.registries.trustedHosts,
      ["10.0.0.1:5001"],
    ],
    [
      "--insecure-registries=a.test=http,b.test:5000=skip-verify",
      ({ images }) => images.registries.insecureRegistries,
      { "a.test": "http", "b.test:5000": "skip-verify" },
    ],
    [
      "--registry-ca-files=*=/etc/ca.pem,a.test=/etc/a.pem",
      ({ images }) => images.authorityFiles,
      { "*": ["/etc/ca.pem"], "a.test": ["/etc/a.pem"] },
    ],
    ["--listen-addr=[::1]:9000", ({ serving }) => [serving.hostname, serving.port], ["::1", 9000]],
    [
      "--kubernetes-server=https://[fd00::1]:6443",
      ({ cluster }) => cluster.server,
      { host: "fd00::1", port: "6443" },
    ],
    ["--namespace=other", ({ certificate }) => certificate.names, ["svc-operator.other.svc"]],
    ["--certificate-names=a.test", ({ certificate }) => certificate.names, ["a.test"]],
  ];
  for (const [flag, got, value] of rows) {
    test(flag, () => expect(got(parsed(flag))).toEqual(value));
  }

  test("certificates of files", () => {
    const flags = ["source=files", "file=/c.pem", "key-file=/k.pem", "ca-file=/ca.pem"];
    const { certificate } = parsed(...flags.map((flag) => `--certificate-${flag}`));
    expect(certificate).toMatchObject({
      source: "files",
      certificateFile: "/c.pem",
      keyFile: "/k.pem",
      authorityFile: "/ca.pem",
    });
  });
});

describe("refused is", () => {
  const rows: readonly (readonly [flags: readonly string[], message: string])[] = [
    [[], "--wrapper-image: must be set: it is not set"],
    [[IMAGE, "--annotation-prefix=A"], "--annotation-prefix: must be a DNS name"],
    [[IMAGE, "--copy-user=0"], "--copy-user: must be the number of a user"],
    [[IMAGE, "--copy-command=cp -r"], "--copy-command: must be a JSON array"],
    [[IMAGE, "--copy-command=[]"], "--copy-command: must be a JSON array"],
    [[IMAGE, "--wrapper-limits=memory=much"], "--wrapper-limits: must be a quantity"],
    [[IMAGE, "--wrapper-limits=memory"], "--wrapper-limits: must be KEY=VALUE"],
    [[IMAGE, "--allowed-addresses=vault"], "--allowed-addresses: must be an http"],
    [[IMAGE, "--default-config=default"], "--default-config: must be NAMESPACE/NAME"],
    [[IMAGE, "--default-registry=https://a"], "--default-registry: must be a registry"],
    [
      [IMAGE, "--default-registry=none", "--default-registry-server=a.test"],
      "--default-registry-server: must be left out beside --default-registry=none",
    ],
    [[IMAGE, "--insecure-registries=a.test=yes"], "must be one of http, skip-verify"],
    [[IMAGE, "--registry-mirrors=a.test=http://m"], "must be a mirror"],
    [[IMAGE, "--registry-mirrors=a.test=mirror.test/Upper"], "must be a mirror"],
    [[IMAGE, "--registry-mirrors=a.test="], "must be a mirror"],
    [[IMAGE, "--registry-mirrors=https://hub.test=m.test"], "must be a registry"],
    [[IMAGE, "--registry-trusted-hosts=10.0.0.1:99999"], "must be a registry"],
    [[IMAGE, "--registry-logins=a.test"], "--registry-logins: must be KEY=VALUE"],
    [[IMAGE, "--registry-logins=a.test=gcp"], "must be one of aws, google, azure, docker-config"],
    [[IMAGE, "--registry-logins=https://a.test=aws"], "--registry-logins: must be a registry"],
    [[IMAGE, ALL, "--registry-logins=*=aws"], "a registry with a star only in front of"],
    [
      [IMAGE, "--registry-logins=a.test=aws"],
      "--registry-login-namespaces: must be set for a.test: no namespace may have it",
    ],
    [
      [IMAGE, "--registry-logins=a.test=aws", `${ALL},b.test=x`],
      "--registry-login-namespaces: must be a pattern of --registry-logins, or *",
    ],
    [[IMAGE, "--registry-login-namespaces=*=*"], "set together with --registry-logins"],
    [
      [IMAGE, ALL, "--registry-logins=a.test=docker-config"],
      "--docker-config: must be set if --registry-logins has docker-config",
    ],
    [[IMAGE, "--credential-helpers=/x"], "--credential-helpers: must be set together with"],
    [[IMAGE, "--docker-config=x"], "--docker-config: must be an absolute path"],
    [[IMAGE, "--kubernetes-server=http://a"], "--kubernetes-server: must be https://HOST"],
    [[IMAGE, "--context=x"], "--context: must be set together with --kubeconfig"],
    [[IMAGE, "--certificate-source=files"], "--certificate-file: must be set if"],
    [[IMAGE, "--certificate-file=/x"], "--certificate-file: must be left out if"],
    [[IMAGE, "--certificate-life=1s"], "--certificate-life: must be a duration of at least 1m"],
    [[IMAGE, "--max-in-flight=0"], "--max-in-flight: must be a whole number from 1"],
    [[IMAGE, "--nonsense"], "--nonsense: must be a known flag"],
    [[IMAGE, "nonsense"], '"nonsense": must be a flag'],
  ];
  for (const [flags, message] of rows) {
    test(flags.slice(-1).join("") || "nothing", () => {
      const [first = ""] = problems(...flags);
      expect(first).toContain(message);
    });
  }

  test("a password in the server's address, which is not shown", () => {
    const [message] = problems(IMAGE, "--kubernetes-server=https://me:hunter2@a.test");
    expect(message).toContain("--kubernetes-server");
    expect(message).not.toContain("hunter2");
  });

  test("everything at once", () => {
    expect(problems("--copy-user=0", "--log-level=x", "--lease=A_B", "--context=x")).toHaveLength(
      5,
    );
  });

  test("no namespace, if there is no service account either", () => {
    expect(parseOperatorFlags([IMAGE], undefined)).toMatchObject({
      kind: "problems",
      problems: [{ variable: "--namespace" }],
    });
    expect(parseOperatorFlags([IMAGE, "--namespace=x"], undefined).kind).toBe("process");
  });
});

test("every flag is in the help, and none has a variable", () => {
  for (const row of Object.values(operatorFlags)) {
    expect(operatorHelp()).toContain(`--${flagOf(row)}`);
    expect(row.flagOnly).toBe(true);
  }
});

test("permits are given at the service, with a certificate in a Secret, unless they are off", () => {
  expect(parsed("--rotation-permits=false").permits).toBeUndefined();
  expect(parsed().permits).toEqual({
    hostname: "",
    port: 8444,
    secret: "svc-operator-permits-tls",
    name: "svc-operator.svc-system.svc",
  });
});
