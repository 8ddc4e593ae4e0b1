import { describe, expect, test } from "bun:test";
import {
  type Environment,
  messagesOf,
  settingsOf,
  warningsOf,
} from "./testdata/least-environment.ts";

const key = { field: "tls.key", path: "/etc/tls/key", mode: 0o400, base64: false };
const onlyFiles: Environment = {
  VAULT_ADDR: "https://vault.example:8200",
  VAULT_AUTH_ROLE: "app",
  SVC_SECRET_PATHS: "secret/data/app",
  SVC_FILE_MAP: "tls.key=/etc/tls/key",
  SVC_ORIGINAL_CMD: "/bin/app",
};
const both: Environment = { ...onlyFiles, SVC_ENV_MAP: "password=DB_PASSWORD" };
const two: Environment = { ...both, SVC_SECRET_PATHS: "secret/data/app,secret/data/tls" };
const password = { kind: "field", field: "password", variable: "DB_PASSWORD" };

describe("the sources have their files", () => {
  const rows: readonly (readonly [name: string, Environment, sources: readonly object[]])[] = [
    ["alone", onlyFiles, [{ path: "secret/data/app", mappings: [], files: [key] }]],
    ["beside variables", both, [{ path: "secret/data/app", mappings: [password], files: [key] }]],
    [
      "of another secret than the variables",
      { ...two, SVC_FILE_MAP: ";tls.key=/etc/tls/key", SVC_ENV_MAP: "password=DB_PASSWORD;" },
      [
        { path: "secret/data/app", mappings: [password] },
        { path: "secret/data/tls", mappings: [], files: [key] },
      ],
    ],
  ];
  for (const [name, environment, sources] of rows) {
    test(name, () => {
      expect<unknown>(settingsOf(environment).secrets.sources).toEqual(sources);
    });
  }

  test("beside --secrets, whose items have their own paths", () => {
    const settings = settingsOf(onlyFiles, { flags: ["--secrets=A=secret/data/other#a"] });
    expect(settings.secrets.sources.map(({ path, files = [] }) => [path, files.length])).toEqual([
      ["secret/data/app", 1],
      ["secret/data/other", 0],
    ]);
    expect(settings.onlyFiles).toBeUndefined();
  });

  test("beside --secrets, whose keys are looked up in the same paths", () => {
    const { secrets } = settingsOf(onlyFiles, { flags: ["--secrets=password"] });
    expect(secrets.searchedKeys).toEqual(["password"]);
    expect<unknown>(secrets.sources[0]?.files).toEqual([key]);
  });
});

describe("a rotation of files alone", () => {
  const rows: readonly (readonly [name: string, Environment, mode: string])[] = [
    ["is a SIGHUP", onlyFiles, "sighup"],
    ["is what SVC_ROTATION says", { ...onlyFiles, SVC_ROTATION: "restart" }, "restart"],
    ["is a restart if SIGHUP asks to end", { ...onlyFiles, SVC_STOP_SIGNAL: "SIGHUP" }, "restart"],
    [
      "does not happen if the wrapper becomes the program",
      { ...onlyFiles, SVC_SUPERVISE: "never" },
      "none",
    ],
    ["is a restart beside variables", both, "restart"],
    [
      "is a restart if a descriptor will do",
      { ...onlyFiles, SVC_FILE_MAP: "a=/x/a#env=A#any-path" },
      "restart",
    ],
  ];
  for (const [name, environment, mode] of rows) {
    test(name, () => {
      expect<string>(settingsOf(environment).rotation.mode).toBe(mode);
    });
  }
});

test("settings of a delivery have no effect on files alone, and a warning says so", () => {
  const warnings = warningsOf({ ...onlyFiles, SVC_DELIVERY: "inject", SVC_FOLLOW: "trace" });
  expect(warnings).toEqual([
    "SVC_DELIVERY: has no effect: every secret becomes a file",
    "SVC_FOLLOW: has no effect: every secret becomes a file",
  ]);
  expect(warningsOf({ ...both, SVC_DELIVERY: "inject" })).toEqual([]);
});

describe("problems of the map", () => {
  const rows: readonly (readonly [name: string, Environment, messages: readonly string[]])[] = [
    [
      "another number of groups",
      { ...both, SVC_FILE_MAP: "a=/x/a;b=/x/b" },
      [
        "SVC_FILE_MAP: must be a map with one group for each path of SVC_SECRET_PATHS: got 2 groups for 1 path",
      ],
    ],
    [
      "a secret from which nothing is taken",
      { ...two, SVC_FILE_MAP: "a=/x/a;", SVC_ENV_MAP: "b=B;" },
      [
        "SVC_FILE_MAP: must be a map that has something of each path, or SVC_ENV_MAP has it: group 2, of secret/data/tls, is empty in both",
      ],
    ],
    [
      "no paths",
      { ...onlyFiles, SVC_SECRET_PATHS: "" },
      ["SVC_SECRET_PATHS: must be set: it is not set"],
    ],
    [
      "a variable of the wrapper",
      { ...both, SVC_FILE_MAP: "a=/x/a#env=LD_PRELOAD" },
      [
        "SVC_FILE_MAP: must be a map without variables of the wrapper and the dynamic loader: it names LD_PRELOAD",
      ],
    ],
    [
      "a variable of a secret",
      { ...both, SVC_FILE_MAP: "a=/x/a#env=DB_PASSWORD" },
      [
        "SVC_FILE_MAP: must be a map whose variables are of files alone: DB_PASSWORD, for /x/a, is the variable of a secret, too",
      ],
    ],
  ];
  for (const [name, environment, messages] of rows) {
    test(name, () => {
      expect(messagesOf(environment)).toEqual([...messages]);
    });
  }

  test("an empty group of SVC_ENV_MAP alone is refused as before", () => {
    const { SVC_FILE_MAP: _, ...without } = two;
    expect(messagesOf({ ...without, SVC_ENV_MAP: "a=A;" })).toEqual([
      "SVC_ENV_MAP: must be a map without empty mappings: mapping 1 of group 2 is empty",
    ]);
  });

  test("--secrets without paths", () => {
    const { SVC_SECRET_PATHS: _, ...without } = onlyFiles;
    expect(messagesOf(without, { flags: ["--secrets=A=secret/data/other#a"] })).toEqual([
      "SVC_FILE_MAP: must be set together with SVC_SECRET_PATHS: it is not set",
    ]);
  });
});
