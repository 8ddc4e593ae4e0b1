import { describe, expect, test } from "bun:test";
import { flagOf, type Variable } from "@svc/settings";
import {
  isReservedVariable,
  isWrapperVariable,
  parseSettings,
  wrapperVariables,
} from "../settings.ts";
import { helpText } from "./help-text.ts";

const rows: readonly Variable[] = Object.values(wrapperVariables);

function requiredness({ requiredness: value = "no" }: Variable): string {
  return typeof value === "string" ? value : value.conditional;
}

/** Names, how requiredness begins, and defaults, as they were promised to users. */
const promised: readonly (readonly [name: string, required: RegExp, standard?: string])[] = [
  ["VAULT_ADDR", /^Yes/],
  ["VAULT_TOKEN", /^Conditional/],
  ["VAULT_AUTH_METHOD", /^no$/, "kubernetes"],
  ["VAULT_AUTH_ROLE", /^Conditional/],
  ["VAULT_AUTH_MOUNT_PATH", /^no$/],
  ["VAULT_SKIP_VERIFY", /^no$/, "false"],
  ["SVC_SECRET_PATHS", /^Yes/],
  ["SVC_ENV_MAP", /^Yes/],
  ["SVC_ORIGINAL_CMD", /^Yes/],
  ["SVC_ORIGINAL_ARGS", /^no$/],
  ["SVC_POD_IP", /^no$/],
  ["SVC_READINESS_PROBE", /^no$/],
  ["SVC_REFRESH_FILE", /^no$/],
  ["SVC_ROTATION_DRAIN", /^no$/, "0s"],
  ["VAULT_USERPASS_USERNAME", /userpass/],
  ["VAULT_USERPASS_PASSWORD_FILE", /userpass/],
  ["SVC_HINTS", /^no$/, "false"],
  ["SVC_HINTED_INTERVAL", /^no$/, "10m"],
  ["SVC_PERMITS_ADDR", /^no$/],
  ["SVC_PERMITS_CACERT_BYTES", /only together/],
  ["SVC_PERMITS_TOKEN_FILE", /only together/],
  ["SVC_ROTATION_BY", /^no$/, "program"],
  ["SVC_ROTATION", /^no$/, "restart"],
  ["RENEWAL_INTERVAL", /^no$/, "30s"],
  ["SVC_EBPF_AGENT_ADDR", /^no$/],
  ["SVC_EBPF_NODE_IP", /^no$/],
  ["SVC_POD_UID", /^no$/],
  ["SVC_SECRET_FD", /^Set by the wrapper$/],
  ["HEALTH_ADDR", /^no$/, ":8199"],
  ["SVC_SHOW_PATHS", /^no$/, "true"],
  ["SVC_REQUIRE_MLOCK", /^no$/, "false"],
  ["SVC_REQUIRE_MEMFD_SECRET", /^no$/, "false"],
  ["SVC_BROKER_TLS_CERT", /^No/],
  ["SVC_BROKER_TLS_KEY", /^No/],
  ["SVC_BROKER_TLS_CA", /^No/],
  ["VAULT_TOKEN_FILE", /^no$/],
  ["VAULT_APPROLE_ROLE_ID", /^Conditional/],
  ["VAULT_APPROLE_SECRET_ID_FILE", /^no$/],
  ["VAULT_NAMESPACE", /^no$/],
  ["VAULT_CACERT", /^no$/],
  ["VAULT_CACERT_BYTES", /^no$/],
  ["VAULT_CAPATH", /^no$/],
  ["VAULT_CLIENT_CERT", /^Conditional/],
  ["VAULT_CLIENT_KEY", /^Conditional/],
  ["VAULT_TLS_SERVER_NAME", /^no$/],
  ["SVC_AUTH_JWT_PATH", /^no$/, "/var/run/secrets/kubernetes.io/serviceaccount/token"],
  ["SVC_ALLOW_REFERENCES", /^no$/, "false"],
  ["SVC_PASS_ENV", /^no$/],
  ["SVC_DELIVERY", /^no$/, "auto"],
  ["SVC_FILE_MAP", /^no$/],
  ["SVC_FOLLOW", /^no$/, "auto"],
  ["SVC_STOP_GRACE", /^no$/, "25s"],
  ["SVC_STOP_SIGNAL", /^no$/, "SIGTERM"],
  ["SVC_SUPERVISE", /^no$/, "always"],
  ["SVC_START_DEADLINE", /^no$/, "2m"],
  ["SVC_LOG_LEVEL", /^no$/, "info"],
  ["SVC_LOG_FORMAT", /^no$/, "auto"],
  ["SVC_ROTATION_SPLAY", /^no$/, "10s"],
  ["VAULT_CLIENT_TIMEOUT", /^no$/, "10s"],
  ["SVC_ROTATION_DEBOUNCE", /^no$/, "1s"],
  ["SVC_ROTATION_MIN_INTERVAL", /^no$/, "1m"],
  ["SVC_STALE_AFTER", /^no$/, "1h"],
  ["SVC_RESTART", /^no$/, "never"],
  ["SVC_RESTART_MAX_DELAY", /^no$/, "5m"],
  ["SVC_TERMINATION_LOG", /^no$/, "/dev/termination-log"],
  ["SVC_POD_NAME", /^no$/],
  ["SVC_POD_NAMESPACE", /^no$/],
  ["SVC_CONTAINER_NAME", /^no$/],
  ["SVC_REQUIRE_AGENT", /^no$/, "false"],
  ["SVC_EBPF_AGENT_CA", /^no$/],
  ["SVC_EBPF_AGENT_SERVER_NAME", /^no$/],
  ["SVC_EBPF_AGENT_TOKEN_FILE", /^no$/, "/var/run/secrets/svc.internal/agent/token"],
  ["SVC_EBPF_AGENT_CERT", /^No/],
  ["SVC_EBPF_AGENT_KEY", /^No/],
  ["--secrets", /^Instead/],
  ["--explain", /^no$/],
  ["--end-with-parent", /^no$/],
];

describe("the table of the wrapper's variables", () => {
  for (const [name, required, standard] of promised) {
    test(`has ${name} with its default and requiredness`, () => {
      const row = rows.find((candidate) => candidate.name === name);
      expect(row?.default).toBe(standard);
      expect(row === undefined ? "no such row" : requiredness(row)).toMatch(required);
    });
  }

  test("has no other variable", () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(
      promised.map(([name]) => name).toSorted(),
    );
  });

  test("has a flag for every variable but those that are secret or set by the wrapper", () => {
    const without = rows.filter((row) => flagOf(row) === undefined).map(({ name }) => name);
    const flags = rows.flatMap((row) => flagOf(row) ?? []);
    expect(without.toSorted()).toEqual(["SVC_SECRET_FD", "VAULT_APPROLE_ROLE_ID", "VAULT_TOKEN"]);
    expect(new Set(flags).size).toBe(flags.length);
    expect(flags).toContainAnyValues([
      "vault-addr",
      "secret-paths",
      "renewal-interval",
      "health-addr",
    ]);
  });

  test("has a meaning for every row", () => {
    expect(rows.filter(({ meaning }) => !meaning.endsWith(".")).map(({ name }) => name)).toEqual(
      [],
    );
  });
});

test("helpText shows every flag, and no line is broken by markup", () => {
  const text = helpText();
  for (const flag of rows.map(flagOf)) {
    if (flag !== undefined) expect(text).toContain(`  --${flag}`);
  }
  expect(text).not.toContain("`");
});

describe("isWrapperVariable", () => {
  test("is true for every name in the tables, older names included", () => {
    const own = rows.filter(({ flagOnly }) => !flagOnly);
    const names = own.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names.filter((name) => !isWrapperVariable(name))).toEqual([]);
  });

  const others = [
    // Kubernetes makes these for Services called svc, svc-foo and vault.
    ...["SVC_PORT", "SVC_SERVICE_HOST", "SVC_FOO_SERVICE_HOST", "VAULT_SERVICE_HOST"],
    ...["VAULT_PORT_8200_TCP_ADDR", "SVC_NAME", "VAULT_TRANSIT_KEY", "VAULT_FORMAT"],
    ...["PATH", "SVC", "MY_VAULT_ADDR", "SECRET_PATHS_X", "vault_addr"],
  ];
  test.each(others)("is false for %s, which belongs to the program", (name) => {
    expect(isWrapperVariable(name)).toBe(false);
  });
});

test("isReservedVariable knows the names that no secret may have", () => {
  expect(["SVC_SECRET_FD", "LD_PRELOAD", "GLIBC_TUNABLES"].every(isReservedVariable)).toBe(true);
  expect(["SVC_X", "VAULT_TOKEN", "PATH", "OLD_LD_"].filter(isReservedVariable)).toEqual([]);
});

describe("parseSettings fed with random texts", () => {
  const texts = [
    "",
    "0",
    "true",
    "x",
    "a=A",
    "secret/data/x",
    "[",
    '["a"]',
    ":1",
    "/f",
    "30s",
    "\u0000\ud800,;=*#",
    "https://h:1",
    "--",
    "-h=",
    "A=kv/data/x#f",
  ];
  const names = rows.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const flags = rows.map(flagOf).flatMap((flag) => (flag === undefined ? [] : [`--${flag}`]));

  /** A repeatable choice (a linear congruential generator), so that a failure can be repeated. */
  let state = 20_251_121;
  function pick<T>(choices: readonly T[]): readonly T[] {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return choices.slice(state % choices.length, (state % choices.length) + 1);
  }

  test("never throws, and gives settings or names problems", () => {
    const seen = new Set<string>();
    for (let round = 0; round < 3_000; round += 1) {
      const environment = new Map(
        names
          .flatMap((name) => pick(texts).map((text) => [name, text] as const))
          .slice(0, round % 50),
      );
      const words = Array.from({ length: round % 7 }, (_, index) =>
        pick(index % 2 === 0 ? [...flags, ...texts] : texts),
      ).flat();
      const result = parseSettings({
        environment,
        flags: words,
        program: pick(["ls", "[", ""]),
        tokenPresent: round % 2 === 0,
      });
      seen.add(result.kind);
      if (result.kind === "problems") expect(result.problems.length).toBeGreaterThan(0);
    }
    expect([...seen]).toContain("problems");
  });
});
