import { describe, expect, test } from "bun:test";
import type { WrapperSettings } from "../settings.ts";
import {
  type Environment,
  least,
  permits,
  settingsOf,
  warningsOf,
} from "./testdata/least-environment.ts";

const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const agentToken = "/var/run/secrets/svc.internal/agent/token";

describe("the defaults", () => {
  test("are those of the reference", () => {
    expect(settingsOf(least)).toEqual({
      vault: {
        requestTimeoutMs: 10_000,
        address: "https://vault.example:8200",
        auth: {
          method: "kubernetes",
          role: "app",
          mountPath: "kubernetes",
          jwt: { kind: "file", path: "/var/run/secrets/kubernetes.io/serviceaccount/token" },
        },
        tls: { skipVerify: false },
      },
      secrets: {
        sources: [
          {
            path: "secret/data/app",
            mappings: [{ kind: "field", field: "password", variable: "DB_PASSWORD" }],
          },
        ],
        searchedKeys: [],
        allowReferences: false,
      },
      program: { kind: "variables", words: ["/bin/app"] },
      rotation: {
        mode: "restart",
        renewalIntervalMs: 30_000,
        debounceMs: 1000,
        splayMs: 10_000,
        minIntervalMs: 60_000,
        staleAfterMs: 3_600_000,
        by: "program",
        drainMs: 0,
      },
      restart: { policy: "never", maxDelayMs: 300_000 },
      agent: { names: {}, required: false, tls: { tokenPath: agentToken } },
      health: { host: "", port: 8199 },
      showPaths: true,
      memory: { requireMlock: false, requireMemfdSecret: false },
      delivery: "auto",
      follow: "auto",
      passEnv: [],
      stopGraceMs: 25_000,
      stopSignal: 15,
      supervise: "always",
      startDeadlineMs: 120_000,
      log: { level: "info", format: "auto" },
      terminationLogPath: "/dev/termination-log",
    });
  });

  test("come with no warning", () => {
    expect(warningsOf(least)).toEqual([]);
  });
});

describe("each variable reaches its setting", () => {
  const rows: readonly (readonly [
    environment: Environment,
    read: (settings: WrapperSettings) => unknown,
    value: unknown,
  ])[] = [
    [{ VAULT_ADDR: "http://127.0.0.1:80/" }, (s) => s.vault?.address, "http://127.0.0.1:80"],
    [{ VAULT_NAMESPACE: "/team/a/" }, (s) => s.vault?.namespace, "team/a"],
    [{ VAULT_SKIP_VERIFY: "1" }, (s) => s.vault?.tls.skipVerify, true],
    [{ VAULT_CACERT: "/ca.pem" }, (s) => s.vault?.tls.caCertPath, "/ca.pem"],
    [{ VAULT_CAPATH: "/ca" }, (s) => s.vault?.tls.caPath, "/ca"],
    [{ VAULT_CACERT_BYTES: pem }, (s) => s.vault?.tls.caCertBytes, pem],
    [{ VAULT_CACERT_BYTES: pem, VAULT_CAPATH: "/ca" }, (s) => s.vault?.tls.caPath, undefined],
    [
      { VAULT_CACERT_BYTES: pem, VAULT_CACERT: "/ca.pem" },
      (s) => [s.vault?.tls.caCertPath, s.vault?.tls.caCertBytes],
      ["/ca.pem", undefined],
    ],
    [{ VAULT_CACERT: "/ca.pem", VAULT_CAPATH: "/ca" }, (s) => s.vault?.tls.caPath, undefined],
    [
      { VAULT_CLIENT_CERT: "/c.pem", VAULT_CLIENT_KEY: "/k.pem" },
      (s) => [s.vault?.tls.clientCertPath, s.vault?.tls.clientKeyPath],
      ["/c.pem", "/k.pem"],
    ],
    [{ VAULT_TLS_SERVER_NAME: "vault" }, (s) => s.vault?.tls.serverName, "vault"],
    [{ SVC_ALLOW_REFERENCES: "true" }, (s) => s.secrets.allowReferences, true],
    [{ SVC_ROTATION: "sighup" }, (s) => s.rotation.mode, "sighup"],
    [{ RENEWAL_INTERVAL: "1h30m" }, (s) => s.rotation.renewalIntervalMs, 5_400_000],
    [
      {
        SVC_EBPF_AGENT_ADDR: "unix:///var/run/svc/agent.sock",
        SVC_EBPF_NODE_IP: "10.0.0.1",
        SVC_POD_UID: "0f3b1c7e-3f6c-4a43-9c07-2f1c8a9d5b11",
        SVC_REQUIRE_AGENT: "true",
        SVC_EBPF_AGENT_CA: "/ca.pem",
        SVC_POD_NAME: "web-0",
        SVC_POD_NAMESPACE: "shop",
        SVC_CONTAINER_NAME: "web",
      },
      (s) => s.agent,
      {
        address: "unix:///var/run/svc/agent.sock",
        nodeIp: "10.0.0.1",
        podUid: "0f3b1c7e-3f6c-4a43-9c07-2f1c8a9d5b11",
        names: { podName: "web-0", podNamespace: "shop", containerName: "web" },
        required: true,
        tls: { tokenPath: agentToken, caPath: "/ca.pem" },
      },
    ],
    [{ HEALTH_ADDR: "[::1]:0" }, (s) => s.health, { host: "::1", port: 0 }],
    [{ HEALTH_ADDR: "off" }, (s) => s.health, undefined],
    [
      {
        SVC_BROKER_TLS_CERT: "/c.pem",
        SVC_BROKER_TLS_KEY: "/k.pem",
        SVC_BROKER_TLS_CA: "/ca.pem",
      },
      (s) => s.health?.tls,
      { certPath: "/c.pem", keyPath: "/k.pem", clientCaPath: "/ca.pem" },
    ],
    [{ SVC_SHOW_PATHS: "false" }, (s) => s.showPaths, false],
    [{ SVC_REQUIRE_MLOCK: "true" }, (s) => s.memory.requireMlock, true],
    [{ SVC_REQUIRE_MEMFD_SECRET: "true" }, (s) => s.memory.requireMemfdSecret, true],
    [{ SVC_DELIVERY: "library" }, (s) => s.delivery, "library"],
    [{ SVC_PASS_ENV: "VAULT_ADDR, SVC_X,VAULT_ADDR" }, (s) => s.passEnv, ["VAULT_ADDR", "SVC_X"]],
    [{ SVC_STOP_GRACE: "0" }, (s) => s.stopGraceMs, 0],
    [{ SVC_STOP_SIGNAL: "quit" }, (s) => s.stopSignal, 3],
    [{ SVC_SUPERVISE: "never" }, (s) => s.rotation.mode, "none"],
    [{ SVC_SUPERVISE: "never", SVC_ROTATION: "none" }, (s) => s.supervise, "never"],
    [{ SVC_SUPERVISE: "never", SVC_RESTART: "never" }, (s) => s.restart.policy, "never"],
    [{ SVC_SUPERVISE: "never", SVC_DELIVERY: "env" }, (s) => s.delivery, "env"],
    [{ SVC_STOP_SIGNAL: "SIGHUP" }, (s) => s.stopSignal, 1],
    [{ SVC_START_DEADLINE: "0" }, (s) => s.startDeadlineMs, 0],
    [
      { SVC_LOG_LEVEL: "debug", SVC_LOG_FORMAT: "text" },
      (s) => s.log,
      { level: "debug", format: "text" },
    ],
    [{ SVC_TERMINATION_LOG: "/tmp/end" }, (s) => s.terminationLogPath, "/tmp/end"],
  ];
  for (const [environment, read, value] of rows) {
    test(Object.keys(environment).join(" and "), () => {
      const settings = settingsOf({ ...least, ...environment });
      expect(read(settings)).toEqual(value);
      expect(JSON.parse(JSON.stringify(settings))).toEqual(settings);
    });
  }
});

describe("the interval of checks while hints come", () => {
  const rows: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
    ["is ten minutes", {}, 600_000],
    ["is half of SVC_STALE_AFTER at the most", { SVC_STALE_AFTER: "10m" }, 300_000],
    ["is never shorter than RENEWAL_INTERVAL", { RENEWAL_INTERVAL: "1h" }, 3_600_000],
  ];
  test.each(rows)("%s", (_, environment, intervalMs) => {
    const settings = settingsOf({ ...least, ...permits, SVC_HINTS: "true", ...environment });
    expect(settings.rotation.hints).toEqual({ intervalMs });
  });
});
