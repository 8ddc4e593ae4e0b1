import { expect, test } from "bun:test";
import { closeDescriptor, createPlainMemory } from "@svc/kernel";
import { readStatusPage, StatusPage } from "./status-page.ts";

const readiness = { status: "sealed", reason: "why" } as const;

test("a status page says the newest status, whole, however long the ones before were", () => {
  const { fd } = createPlainMemory("test");
  expect(readStatusPage(fd)).toBeUndefined();
  const page = new StatusPage(fd);
  for (const metrics of ["first", "a longer second one, grün", "", "4"]) {
    page.write({ readiness, metrics });
    expect(readStatusPage(fd)).toEqual({ readiness, metrics });
  }
  closeDescriptor(fd);
});

test("a status page leaves a status that is too long unsaid", () => {
  const { fd } = createPlainMemory("test");
  const page = new StatusPage(fd);
  page.write({ readiness, metrics: "short" });
  page.write({ readiness, metrics: "x".repeat(300_000) });
  expect(readStatusPage(fd)).toEqual({ readiness, metrics: "short" });
  closeDescriptor(fd);
});
