import { describe, expect, test } from "bun:test";
import {
  type Environment,
  type Extras,
  messagesOf,
  permits,
  settingsOf,
  warningsOf,
} from "./testdata/least-environment.ts";

const file: Environment = {
  SVC_SECRET_PATHS: "file:/run/credentials/app/db",
  SVC_ENV_MAP: "db=DB_PASSWORD",
  SVC_ORIGINAL_CMD: "/bin/app",
};
const bare: Environment = { SVC_ORIGINAL_CMD: "/bin/app" };
const source = { path: "/run/credentials/app/db", engine: "file" } as const;

describe("files alone need no vault", () => {
  const rows: readonly (readonly [name: string, Environment, Extras, sources: object])[] = [
    [
      "as paths",
      file,
      {},
      [{ ...source, mappings: [{ kind: "field", field: "db", variable: "DB_PASSWORD" }] }],
    ],
    [
      "as items of --secrets",
      bare,
      { flags: ["--secrets=A=file:/run/credentials/app/db,B=file:/run/credentials/app/db#db"] },
      [
        {
          ...source,
          mappings: [
            { kind: "sole", variable: "A" },
            { kind: "field", field: "db", variable: "B" },
          ],
        },
      ],
    ],
    [
      "as paths in which keys are looked up",
      { ...bare, SVC_SECRET_PATHS: "file:/run/credentials/app/db" },
      { flags: ["--secrets=db"] },
      [{ ...source, mappings: [] }],
    ],
    [
      "as items beside paths in which nothing is looked for",
      { ...bare, SVC_SECRET_PATHS: "secret/data/app" },
      { flags: ["--secrets=A=file:/run/credentials/app/db"] },
      [{ ...source, mappings: [{ kind: "sole", variable: "A" }] }],
    ],
  ];
  for (const [name, environment, extras, sources] of rows) {
    test(name, () => {
      const settings = settingsOf(environment, extras);
      expect<unknown>(settings.secrets.sources).toEqual(sources);
      expect(settings.vault).toBeUndefined();
    });
  }

  test("and hints have no vault to be about", () => {
    const settings = settingsOf({ ...file, ...permits, SVC_HINTS: "true" });
    expect(settings.rotation.hints).toBeUndefined();
  });
});

describe("settings of a vault", () => {
  test("are wanted for one path of several", () => {
    const mixed = { ...file, SVC_SECRET_PATHS: "file:/a,secret/data/b", SVC_ENV_MAP: "a=A;b=B" };
    expect(messagesOf(mixed)).toEqual([
      "VAULT_ADDR: must be set: it is not set",
      "VAULT_AUTH_ROLE: must be set when the method is kubernetes: it is not set",
    ]);
  });

  test("are wanted for a bare key of --secrets", () => {
    expect(messagesOf(bare, { flags: ["--secrets=A,B=file:/b"] })[0]).toBe(
      "VAULT_ADDR: must be set: it is not set",
    );
  });

  test("are named in one warning if they have no effect", () => {
    const set = { VAULT_ADDR: "https://vault.example:8200", VAULT_AUTH_ROLE: "app" };
    expect(warningsOf({ ...file, ...set }, { tokenPresent: true })).toEqual([
      "VAULT_ADDR, VAULT_AUTH_ROLE, VAULT_TOKEN: have no effect: every secret is a file",
    ]);
    expect(warningsOf({ ...file, VAULT_NAMESPACE: "team" })).toEqual([
      "VAULT_NAMESPACE: has no effect: every secret is a file",
    ]);
    expect(warningsOf(file)).toEqual([]);
  });

  test("are refused if they are wrong, although they have no effect", () => {
    expect(messagesOf({ ...file, VAULT_ADDR: "nowhere" })).toHaveLength(1);
  });
});

describe("every wrong path is named at once, and no vault is asked for", () => {
  const wanted = "must be an absolute path behind file:, such as file:/run/credentials/app/db";
  const rows: readonly (readonly [name: string, Environment, Extras, ...messages: string[]])[] = [
    [
      "in SVC_SECRET_PATHS",
      {
        ...file,
        SVC_SECRET_PATHS: "file:db,file:/run/../etc/shadow,file:/a#3",
        SVC_ENV_MAP: "a=A;b=B;c=C",
      },
      {},
      `SVC_SECRET_PATHS: ${wanted} (item 1): got "file:db"`,
      `SVC_SECRET_PATHS: ${wanted}, without .., a double slash and control characters (item 2): got "file:/run/../etc/shadow"`,
      'SVC_SECRET_PATHS: must be a file without #, for it has no versions (item 3): got "file:/a#3"',
    ],
    [
      "in --secrets",
      bare,
      { flags: ["--secrets=A=file:/a#a#3,B=file:/b#4"] },
      '--secrets: must be KEY or VAR=mount/data/path#field: a file without #, for it has no versions (item 1): got "A=file:/a#a#3"',
      '--secrets: must be KEY or VAR=mount/data/path#field with the name of a field behind # (item 2): got "B=file:/b#4"',
    ],
  ];
  for (const [name, environment, extras, ...messages] of rows) {
    test(name, () => expect(messagesOf(environment, extras)).toEqual(messages));
  }
});
