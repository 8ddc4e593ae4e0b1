import { describe, expect, test } from "bun:test";
import { parseEnvMap } from "./env-map.ts";
import { parseKvPath } from "./kv-path.ts";
import { parseList } from "./list.ts";
import { everyRefusal } from "./parsed.ts";
import { parseServerUrl } from "./server-url.ts";

describe("refusals", () => {
  test("of a URL with a password do not repeat it", () => {
    const texts = [
      "https://u:hunter2@vault.example",
      "u:hunter2@vault:8200",
      "https://vault.example:8200?token=hunter2",
      "https://vault.example:8200#hunter2",
    ];
    for (const text of texts) {
      const parsed = parseServerUrl(text);
      expect(parsed.ok || parsed.got === undefined).toBe(false);
      expect(JSON.stringify(parsed)).not.toContain("hunter2");
    }
  });

  test("of an environment map name every fault with its place", () => {
    const parsed = parseEnvMap("a=A,b;,c=1*;d=A");
    const faults = parsed.ok ? [] : everyRefusal(parsed);
    expect(faults).toEqual([
      {
        ok: false,
        wanted: "a mapping field=VARIABLE (mapping 2 of group 1)",
        got: "b",
        hint: "write b=B; for , or ; in the name of a field write %2C or %3B",
      },
      { ok: false, wanted: "a map without empty mappings", found: "mapping 1 of group 2 is empty" },
      {
        ok: false,
        wanted:
          "a mapping to a variable name of printable characters without = and * (mapping 2 of group 2)",
        got: "c=1*",
        hint: "every field of a secret is *=PREFIX_*",
      },
      {
        ok: false,
        wanted: "a map that names each variable once",
        found: "A is in mapping 1 of group 1 and in mapping 1 of group 3",
      },
    ]);
  });

  test("of a list name every item at fault", () => {
    const parsed = parseList(parseKvPath)("secret/app,secret/data/app,");
    const faults = parsed.ok ? [] : everyRefusal(parsed);
    expect(faults.map(({ wanted, got }) => [wanted, got])).toEqual([
      ["a path of the form mount/data/path (item 1)", "secret/app"],
      ["a list without empty items (item 3)", ""],
    ]);
  });
});
