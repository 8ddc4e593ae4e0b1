import { describe, expect, test } from "bun:test";
import { flagOf } from "@svc/settings";
import { agentHelp } from "./agent-help.ts";
import { type AgentSettings, parseAgentSettings } from "./agent-settings.ts";
import { agentVariables } from "./agent-variables.ts";

describe("the specification's table", () => {
  const rows: readonly (readonly [name: string, key: keyof AgentSettings, standard: unknown])[] = [
    ["EBPF_OBJECT_PATH", "objectPath", "/opt/svc/secret_monitor.o"],
    ["ENFORCE_MODE", "enforce", false],
    ["LOG_ALL", "logAll", false],
    ["REACTIVE_KILL", "reactiveKill", false],
    ["GLOBAL_PRIVESC_DETECT", "watchNode", true],
    ["GRPC_LISTEN_ADDR", "grpcListen", { host: "0.0.0.0", port: 9443 }],
    ["PLATFORM_ENDPOINT", "endpoint", undefined],
    ["NODE_NAME", "nodeName", undefined],
    ["HEALTH_LISTEN_ADDR", "healthListen", { host: "0.0.0.0", port: 9090 }],
    ["REGISTRATION_USERS", "registrationUsers", [0]],
    ["REGISTRATION_UNITS", "registrationUnits", ["svc-wrapper@*.service"]],
  ];
  for (const [name, key, standard] of rows) {
    test(`${name} unset is ${JSON.stringify(standard)}`, () => {
      expect(settingsOf({})[key]).toEqual(standard as never);
    });
  }
});

describe("values", () => {
  const rows: readonly (readonly [
    name: string,
    text: string,
    key: keyof AgentSettings,
    value: unknown,
  ])[] = [
    ["ENFORCE_MODE", "true", "enforce", true],
    ["ENFORCE_MODE", "enforce", "enforce", true],
    ["ENFORCE_MODE", "detect", "enforce", false],
    ["ENFORCE_MODE", "enforce", "reactiveKill", true],
    ["REACTIVE_KILL", "true", "reactiveKill", true],
    ["LOG_ALL", "T", "logAll", true],
    ["GLOBAL_PRIVESC_DETECT", "0", "watchNode", false],
    ["NODE_NAME", "node-1", "nodeName", "node-1"],
    ["SPOOL_MAX_BYTES", "1Gi", "spoolBytes", 1024 ** 3],
    ["SPOOL_MAX_BYTES", "1048576", "spoolBytes", 1024 ** 2],
    ["PLATFORM_TIMEOUT", "1m", "requestTimeoutMs", 60_000],
    ["REGISTRATION_USERS", "root, 1000", "registrationUsers", [0, 1000]],
    ["REGISTRATION_USERS", "none", "registrationUsers", []],
    [
      "REGISTRATION_UNITS",
      "a.service,b@*.service",
      "registrationUnits",
      ["a.service", "b@*.service"],
    ],
    ["REGISTRATION_UNITS", "none", "registrationUnits", []],
    endpoint("grpcs://collector:4317", {
      protocol: "grpc",
      secure: true,
      url: "https://collector:4317",
    }),
    endpoint("grpc://[::1]:4317", { protocol: "grpc", secure: false, url: "http://[::1]:4317" }),
    endpoint("https://c:4318", { protocol: "http", secure: true, url: "https://c:4318/v1/logs" }),
    endpoint("http://c:80/otlp/logs", {
      protocol: "http",
      secure: false,
      url: "http://c:80/otlp/logs",
    }),
  ];
  for (const [name, text, key, value] of rows) {
    test(`${name}=${text} makes ${key} ${JSON.stringify(value)}`, () => {
      expect(settingsOf({ [name]: text })[key]).toEqual(value as never);
    });
  }

  test("REACTIVE_KILL may be false if ENFORCE_MODE is true", () => {
    const { enforce, reactiveKill } = settingsOf({ ENFORCE_MODE: "true", REACTIVE_KILL: "false" });
    expect({ enforce, reactiveKill }).toEqual({ enforce: true, reactiveKill: false });
  });

  test("a flag wins over its variable", () => {
    const parsed = parseAgentSettings(["--node-name=b"], new Map([["NODE_NAME", "a"]]));
    expect(parsed).toMatchObject({ settings: { nodeName: "b" } });
  });
});

describe("what is refused", () => {
  const rows: readonly (readonly [
    environment: Readonly<Record<string, string>>,
    message: string,
  ])[] = [
    [{ ENFORCE_MODE: "yess" }, 'ENFORCE_MODE: must be true, false, enforce or detect: got "yess"'],
    [{ EBPF_OBJECT_PATH: "a.o" }, "EBPF_OBJECT_PATH: must be an absolute path"],
    [{ PLATFORM_ENDPOINT: "collector:4317" }, "PLATFORM_ENDPOINT: must be a URL with a port"],
    [{ PLATFORM_ENDPOINT: "grpc://c" }, "PLATFORM_ENDPOINT: must be a URL with a port"],
    [{ PLATFORM_ENDPOINT: "grpc://c:1/x" }, "PLATFORM_ENDPOINT: must be a URL without a path"],
    [{ SPOOL_MAX_BYTES: "64MB" }, "SPOOL_MAX_BYTES: must be a number of bytes"],
    [{ SPOOL_MAX_BYTES: "1000" }, "SPOOL_MAX_BYTES: must be a number of bytes"],
    [{ REGISTRATION_USERS: "alice" }, "REGISTRATION_USERS: must be root, the number of a user"],
    [{ REGISTRATION_USERS: "4294967295" }, "REGISTRATION_USERS: must be root, the number"],
    [{ REGISTRATION_UNITS: "app" }, "REGISTRATION_UNITS: must be the name of a service"],
    [{ REGISTRATION_UNITS: "/a.service" }, "REGISTRATION_UNITS: must be the name of a service"],
    [{ GRPC_TLS_CERT: "/c" }, "GRPC_TLS_CERT: must be set together with GRPC_TLS_KEY"],
    [{ GRPC_TLS_CLIENT_CA: "/c" }, "GRPC_TLS_CLIENT_CA: must be set together with GRPC_TLS_CERT"],
    [
      { PLATFORM_HEADERS_FILE: "/h" },
      "PLATFORM_HEADERS_FILE: must be set together with PLATFORM_ENDPOINT",
    ],
  ];
  for (const [environment, message] of rows) {
    test(`${JSON.stringify(environment)}: ${message}`, () => {
      expect(problemsOf(environment)).toEqual([expect.stringContaining(message)]);
    });
  }

  test("all at once, and no password of a URL is shown", () => {
    const found = problemsOf({
      LOG_ALL: "maybe",
      GRPC_LISTEN_ADDR: "9443",
      PLATFORM_ENDPOINT: "https://user:hunter2@c:1",
    });
    expect(found).toHaveLength(3);
    expect(found.join()).not.toContain("hunter2");
  });
});

test("a misspelt name is warned of", () => {
  const parsed = parseAgentSettings([], new Map([["ENFORCE_MODES", "true"]]));
  expect(parsed).toMatchObject({ warnings: [expect.stringContaining("ENFORCE_MODE")] });
});

test("the help names every variable that has a flag", () => {
  const help = agentHelp();
  for (const row of Object.values(agentVariables)) {
    if (flagOf(row) !== undefined) expect(help).toContain(row.name);
  }
});

function endpoint(text: string, value: object) {
  return ["PLATFORM_ENDPOINT", text, "endpoint", value] as const;
}

function parse(environment: Readonly<Record<string, string>>) {
  return parseAgentSettings([], new Map(Object.entries(environment)));
}

function settingsOf(environment: Readonly<Record<string, string>>): AgentSettings {
  const parsed = parse(environment);
  if (parsed.kind !== "settings") throw new TypeError(JSON.stringify(parsed));
  return parsed.settings;
}

function problemsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const parsed = parse(environment);
  return parsed.kind === "problems" ? parsed.problems.map(({ message }) => message) : [];
}
