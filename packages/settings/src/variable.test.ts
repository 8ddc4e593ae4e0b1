import { describe, expect, test } from "bun:test";
import { flagOf, flagOnly, rowOfFlag, variable } from "./variable.ts";

const common = { group: "g", type: "text", parse: undefined, meaning: "" };
const table = {
  paths: variable({ ...common, name: "SVC_SECRET_PATHS" }),
  address: variable({ ...common, name: "VAULT_ADDR" }),
  token: variable({ ...common, name: "VAULT_TOKEN", flag: false }),
  renamed: variable({ ...common, name: "SVC_LONG_NAME", flag: "short" }),
  items: flagOnly({ ...common, name: "--secrets" }),
};

const flags = [
  ["secret-paths", table.paths],
  ["vault-addr", table.address],
  ["short", table.renamed],
  ["secrets", table.items],
] as const;

describe("a flag", () => {
  for (const [flag, row] of flags) {
    test(`--${flag} is that of ${row.name}`, () => {
      expect(flagOf(row)).toBe(flag);
      expect(rowOfFlag(table, flag)).toBe(row);
    });
  }

  const unknown = ["svc-secret-paths", "vault-token", "long-name", "--secrets", "Vault-Addr", ""];
  for (const flag of unknown) {
    test(`of the name "${flag}" does not exist`, () => {
      expect(rowOfFlag(table, flag)).toBeUndefined();
    });
  }
});
