import { expect, test } from "bun:test";
import { annotations } from "./secret-format.ts";
import { readBack, reserved, storedKeys } from "./testdata/secret-objects.ts";
import { writePhase } from "./write-phase.ts";
import { writtenOver } from "./written-over.ts";

const ours = writePhase(reserved);
const managed = "app.kubernetes.io/managed-by";
const made = readBack(ours, {
  labels: { [managed]: "Helm", team: "shop" },
  annotations: { ...ours.annotations, "meta.helm.sh/release-name": "svc" },
});
const written = writtenOver(writePhase(storedKeys), made);

test("foreign metadata of a Secret stays when keys are written over it", () => {
  expect(written.labels).toMatchObject({ [managed]: "Helm", team: "shop" });
  expect(written.annotations).toMatchObject({ "meta.helm.sh/release-name": "svc" });
});

test("nothing of a reservation stays when keys are written over it", () => {
  expect(written.annotations[annotations.holder]).toBeUndefined();
  expect(written.annotations[annotations.phase]).toBe("initialised");
  expect(written.data.size).toBe(4);
});
