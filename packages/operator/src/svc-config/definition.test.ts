import { expect, test } from "bun:test";
import { configFields } from "../inject/config-fields.ts";
import { spec } from "./definition-schema.ts";
import { parseSvcConfig } from "./parse-svc-config.ts";

const metadata = { namespace: "shop", name: "default" };

test("the definition has every field that a SvcConfig can say in place of an annotation", () => {
  const fields = configFields.map(({ field }) => field);
  expect(fields.filter((field) => !(field in spec.properties))).toEqual([]);
});

test("every field of the definition is checked when a SvcConfig is read", () => {
  for (const field of Object.keys(spec.properties)) {
    // No field is of this kind.
    const parsed = parseSvcConfig({ metadata, spec: { [field]: () => undefined } });
    expect([field, parsed]).toMatchObject([field, { ok: false }]);
  }
});

test("a SvcConfig is read without foreign fields", () => {
  const object = {
    apiVersion: "svc.internal/v1alpha1",
    metadata: { ...metadata, uid: "1", labels: {} },
    spec: { vaultAddress: "https://vault.example:8200", unknown: 1 },
  };
  const { vaultAddress } = object.spec;
  expect(parseSvcConfig(object)).toMatchObject({
    ok: true,
    config: { ...metadata, spec: { vaultAddress } },
  });
  expect(parseSvcConfig({ metadata })).toEqual({ ok: true, config: { ...metadata, spec: {} } });
});

test("everything that is wrong is said at once, without values", () => {
  const secretSpec = {
    vaultAddress: 7,
    secretPaths: "hunter2",
    selector: { matchLabels: { a: 1 } },
  };
  const parsed = parseSvcConfig({ metadata: { name: "x" }, spec: secretSpec });
  expect(parsed.ok ? [] : parsed.problems).toHaveLength(4);
  expect(JSON.stringify(parsed)).not.toContain("hunter2");
});
