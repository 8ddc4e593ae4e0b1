import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { readAgentTls, readAgentToken } from "./agent-proof.ts";

describe("the token for an agent", () => {
  const rows: readonly (readonly [name: string, file: string, token: string | undefined])[] = [
    ["is the file's text", "a.b.c", "a.b.c"],
    ["is without the white space around it", " a.b.c\n", "a.b.c"],
    ["is left out if the file is empty", "", undefined],
    ["is left out if it is not a header", "a\r\nb: c", undefined],
    ["is left out if it is too long", "a".repeat(16 * 1024 + 1), undefined],
  ];
  for (const [name, file, token] of rows) {
    test(name, () => {
      using folder = temporaryFolder();
      const path = join(folder.path, "token");
      writeFileSync(path, file);
      expect(readAgentToken(path)?.open([])).toBe(token);
    });
  }

  test("is left out if there is no file", () => {
    expect(readAgentToken("/nowhere/token")).toBeUndefined();
  });
});

describe("the files for TLS", () => {
  test("are those that the settings name", () => {
    using folder = temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    for (const name of ["ca", "cert", "key"]) writeFileSync(at(name), `the ${name}`);
    const paths = { caPath: at("ca"), certPath: at("cert"), keyPath: at("key") };
    const tls = readAgentTls({ tokenPath: "/t", ...paths, serverName: "agent" });
    expect({ ...tls, key: tls.key?.open([]) }).toEqual({
      ...{ ca: "the ca", cert: "the cert", key: "the key" },
      serverName: "agent",
    });
    expect(readAgentTls({ tokenPath: "/t" })).toEqual({});
  });

  test("must be there", () => {
    const read = () => readAgentTls({ tokenPath: "/t", keyPath: "/nowhere/key" });
    expect(read).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });
});
