import { describe, expect, test } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathStatus } from "@svc/kernel";
import { temporaryFolder } from "@svc/testing";
import type { LogFields } from "../log.ts";
import type { VaultAuth } from "../settings/vault-auth.ts";
import { tokenPathOf, tokenWords, warnOfUnwatchedToken } from "./unwatched-token.ts";

const path = "/var/run/secrets/vault/token";

describe("the file of the service account token", () => {
  const login = { method: "kubernetes", role: "web", mountPath: "kubernetes" } as const;
  const rows: readonly (readonly [string, VaultAuth, string | undefined])[] = [
    ["of a login with a file is that file", { ...login, jwt: { kind: "file", path } }, path],
    [
      "of a login with the agent's socket does not exist",
      { ...login, jwt: { kind: "agent", path: "/opt/svc/login.sock" } },
      undefined,
    ],
    [
      "of a login by jwt is that file",
      { ...login, method: "jwt", jwt: { kind: "file", path } },
      path,
    ],
    [
      "of a login by approle does not exist",
      { method: "approle", roleId: "r", mountPath: "approle", secretIdPath: path },
      undefined,
    ],
    [
      "of a login with a token's file does not exist",
      { method: "token", source: { kind: "file", path } },
      undefined,
    ],
    [
      "of a login with a token in the environment does not exist",
      { method: "token", source: { kind: "environment" } },
      undefined,
    ],
  ];
  for (const [name, auth, expected] of rows) {
    test(name, () => expect(tokenPathOf(auth)).toBe(expected));
  }
});

describe("a Hello", () => {
  test("names the file's inode, and follows links to it", () => {
    using folder = temporaryFolder();
    const [file, link] = [join(folder.path, "file"), join(folder.path, "token")];
    writeFileSync(file, "a.b.c");
    symlinkSync("file", link);
    const { inode: tokenInode, device: tokenDevice } = pathStatus(file);
    expect(tokenWords(link)).toEqual({ tokenPath: link, tokenDevice, tokenInode });
  });

  for (const tokenPath of ["", "/nowhere/token"]) {
    test(`has no numbers of the file ${JSON.stringify(tokenPath)}`, () => {
      expect(tokenWords(tokenPath)).toEqual({ tokenPath, tokenDevice: 0, tokenInode: 0n });
    });
  }
});

describe("the warning about the token's file", () => {
  const rows: readonly (readonly [string, string | undefined, readonly string[], string[]])[] = [
    ["is absent while the agent reports openings", path, ["", ""], []],
    ["comes once for the same reason", path, ["no file", "no file", "", "no file"], ["no file"]],
    ["comes once for each reason", path, ["a", "b", "a", "b"], ["a", "b"]],
    ["is absent if the agent got no path", undefined, ["no file"], []],
  ];
  for (const [name, tokenPath, reasons, expected] of rows) {
    test(name, () => {
      const logged: (readonly [string, LogFields | undefined])[] = [];
      const log = {
        warn: (message: string, fields?: LogFields) => void logged.push([message, fields]),
      };
      const warn = warnOfUnwatchedToken({ tokenPath, log });
      for (const reason of reasons) warn(reason);
      const start = "the kernel agent does not report openings of the token's file: ";
      expect(logged.map(([message]) => message)).toEqual(expected.map((why) => start + why));
      for (const [, fields] of logged) {
        expect(fields).toMatchObject({ file: path });
        expect(String(fields?.["hint"])).toContain("tokenSource: agent");
      }
    });
  }
});
