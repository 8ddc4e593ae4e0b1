import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper } from "../harness/wrapper/wrapper-process.ts";

// The runtime of AddressSanitizer ends a program in which another library is loaded before it.

const { environment, at, password } = setStage();
const source = `#include <stdio.h>
#include <stdlib.h>
int main(void) { puts(getenv("DB_PASSWORD")); return 0; }
`;

test("a program with AddressSanitizer gets its secrets by auto, as a user", async () => {
  const { exitCode, stdout, stderr } = await runSanitized({});
  expect(exitCode, stderr).toBe(0);
  expect(stdout.toString()).toBe(`${password}\n`);
  expect(stderr).not.toContain("deliver by preload");
});

test("by preload it is refused, and the reason is given", async () => {
  const { exitCode, stderr } = await runSanitized({ SVC_DELIVERY: "preload" });
  expect(exitCode).toBe(125);
  expect(stderr).toContain("DELIVERY_IMPOSSIBLE");
  expect(stderr).toMatch(/libasan\S* \(AddressSanitizer\) has to be loaded first/);
});

function runSanitized(more: Readonly<Record<string, string>>) {
  // In the folder of all: the user who runs it may not look into the test's own.
  const program = `/tmp/svc-sanitized-${crypto.randomUUID()}`;
  const path = at("sanitized.c");
  writeFileSync(path, source);
  const command = ["gcc", "-fsanitize=address", "-o", program, path];
  expect(Bun.spawnSync(command).exitCode).toBe(0);
  return runWrapper({
    program: [program],
    environment: { ...environment, ...more },
    startsAs: [...unprivileged],
  }).finally(() => Bun.file(program).delete());
}
