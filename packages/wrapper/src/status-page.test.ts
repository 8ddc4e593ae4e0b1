import { expect, test } from "bun:test";
import { closeDescriptor, createPlainMemory } from "@svc/kernel";
import { readStatusPage, StatusPage } from "./status-page.ts";

test("a status page says the newest text, whole, however long the ones before were", () => {
  const { fd } = createPlainMemory("test");
  expect(readStatusPage(fd)).toBe("");
  const page = new StatusPage(fd);
  for (const text of ["first", "a longer second one, grün", "", "4"]) {
    page.write(text);
    expect(readStatusPage(fd)).toBe(text);
  }
  closeDescriptor(fd);
});
