import { expect, test } from "bun:test";
import { valueBytes } from "@svc/kernel";
import { entriesOf } from "../testdata/entries.ts";
import { isHidden, wipeRoleId } from "./hidden-variables.ts";

const texts = [
  "PATH=/bin",
  "VAULT_APPROLE_ROLE_ID=r-1",
  "VAULT_APPROLE_SECRET_ID_FILE=/run/s",
] as const;

test("the token and the role id are hidden, and no other variable", () => {
  const hidden = entriesOf(...texts, "VAULT_TOKEN=x", "VAULT_TOKEN_FILE=/run/t").filter(isHidden);
  expect(hidden.map(({ name }) => name)).toEqual(["VAULT_APPROLE_ROLE_ID", "VAULT_TOKEN"]);
});

test("the whole entry of the role id is wiped, and the others stay", () => {
  const entries = entriesOf(...texts);
  wipeRoleId(entries);
  const shown = entries.map((entry) =>
    Buffer.from(valueBytes({ ...entry, valueOffset: 0 })).toString("latin1"),
  );
  expect(shown).toEqual([texts[0], "\0".repeat(25), texts[2]]);
});
