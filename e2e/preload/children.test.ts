import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { needsRoot } from "@svc/testing";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { compiled, copyOf } from "../harness/programs/preload-stage.ts";
import { variantOf } from "../harness/programs/program-variants.ts";
import { shownDelivery } from "../harness/wrapper/shown-delivery.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { environment, password, store, at } = setStage();
const SHOWN = 7;
chmodSync(dirname(at("program")), 0o755);
const parents = {
  glibc: copyOf(compiled("starts-child", ["gcc"]), at("bin/starts-child-glibc")),
  musl: copyOf(compiled("starts-child", ["musl-gcc"]), at("bin/starts-child-musl")),
};
const children = {
  glibc: copyOf(variantOf("glibc, dynamic"), at("bin/shows-glibc")),
  musl: copyOf(variantOf("musl, dynamic"), at("bin/shows-musl")),
  static: copyOf(variantOf("musl, static"), at("bin/shows-static")),
  "set-user-ID": copyOf(variantOf("glibc, dynamic"), at("bin/shows-set-user-id"), 0o4755),
};
const script = at("bin/shows-script");
writeFileSync(script, `#!/bin/sh\n${children.glibc}\nexit $?\n`, { mode: 0o755 });

const ways = [
  ...["execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve"],
  ...["vfork-execve", "vfork-execl", "again-execve", "become-execve", "become-execlp"],
  ...["posix_spawn", "posix_spawn, actions", "posix_spawnp", "system", "popen"],
  ...["close-execve", "close-vfork-execvp", "threads-execve", "threads-become-execve"],
  "twice-execve",
];

describe("a child has its values, and nothing is in its /proc/PID/environ:", () => {
  for (const [library, parent] of Object.entries(parents)) {
    const own = library === "glibc" ? ["execveat", "execveat-empty", "posix_spawn, closefrom"] : [];
    for (const way of [...ways, ...own]) {
      test.concurrent(`started by ${way} of ${library}`, async () => {
        const shown = await started(parent, way, children.glibc);
        expect(shown.variables.get("DB_PASSWORD")).toBe(password);
        expectNothing(shown);
      });
    }
  }

  test.concurrent("of another C library than its parent's", async () => {
    expectNothing(await started(parents.glibc, "execve", children.musl));
    expectNothing(await started(parents.musl, "execve", children.glibc));
  });

  test.concurrent("behind a script", async () => {
    const shown = await started(parents.glibc, "execve", script);
    expect(shown.variables.get("DB_PASSWORD")).toBe(password);
    expectNothing(shown);
  });
});

describe("a child that cannot take the interposer has plain values, as it would have without:", () => {
  const rows: readonly (readonly [name: string, way: string, path: string])[] = [
    ["a static program", "execve", children.static],
    ["a static program by posix_spawn", "posix_spawn", children.static],
    ["a program that raises privileges", "execve", children["set-user-ID"]],
  ];
  for (const [name, way, path] of rows) {
    // The set-user-ID bit raises nothing for the owner of the program.
    const declare = path === children["set-user-ID"] ? needsRoot(test.concurrent) : test.concurrent;
    declare(name, async () => {
      const shown = await started(parents.glibc, way, path, unprivileged);
      expect(shown.variables.get("DB_PASSWORD")).toBe(password);
      expect(shown.variables.has("SVC_SECRET_FD")).toBe(false);
      expect(shown.descriptors.filter((target) => target.includes("secretmem"))).toEqual([]);
    });
  }
});

describe("a program's own changes of its variables stay:", () => {
  const rows: readonly (readonly [way: string, found: string | undefined])[] = [
    ["unset-execve", undefined],
    ["change-execve", "changed"],
    ["clear-execve", undefined],
    ["scrub-execve", "x".repeat(password.length)],
  ];
  for (const [way, found] of rows) {
    for (const [library, parent] of Object.entries(parents)) {
      test.concurrent(`${way} of ${library}`, async () => {
        const shown = await started(parent, way, children.glibc);
        expect(shown.variables.get("DB_PASSWORD")).toBe(found);
        expect(leaksIn(shown.block.join("\n"), [password])).toEqual([]);
      });
    }
  }
});

test("many children by vfork leave nothing in the memory of their parent", async () => {
  const { exitCode, stderr } = await runWrapper({
    program: [parents.glibc, "many", "/bin/true"],
    environment: { ...environment, SVC_DELIVERY: "preload" },
  });
  expect(exitCode, stderr).toBe(SHOWN);
});

test("the library of a program that reads its variables before main finds its value", async () => {
  const library = compiled("reads-in-constructor", ["gcc", "-shared", "-fPIC"]);
  const { stdout } = await runWrapper({
    program: [variantOf("glibc, dynamic")],
    environment: { ...environment, SVC_DELIVERY: "preload", LD_PRELOAD: library },
  });
  expect(stdout.toString()).toContain(`constructor ${password}\nenv `);
  expect(stdout.toString()).toContain(`libsvc-preload.so:${library}\n`);
});

async function started(
  parent: string,
  way: string,
  program: string,
  startsAs: readonly string[] = [],
) {
  const { exitCode, stdout, stderr } = await runWrapper({
    program: [parent, way, program],
    environment: {
      ...environment,
      PATH: `${at("bin")}:/usr/bin:/bin`,
      SVC_DELIVERY: "preload",
    },
    startsAs,
  });
  expect(exitCode, stderr).toBe(SHOWN);
  return shownDelivery(stdout, stderr);
}

function expectNothing(shown: Awaited<ReturnType<typeof started>>): void {
  expect(leaksIn(shown.block.join("\n"), [password, store.token])).toEqual([]);
  expect(shown.descriptors.filter((target) => target.includes("secretmem"))).toEqual([]);
  expect(shown.variables.has("SVC_SECRET_FD")).toBe(false);
}

test("the log names a static program that shows its values, and no other", async () => {
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", "/usr/bin/sleep 300 & /usr/bin/busybox sleep 300; wait"],
    environment: { ...environment, SVC_DELIVERY: "preload" },
  });
  await wrapper.says("the interposer is not in it");
  await wrapper.says('"missing":"');
  const told = wrapper
    .stderr()
    .split("\n")
    .filter((line) => line.includes("plain values"));
  expect(told.map((line) => JSON.parse(line).program)).toEqual(["/usr/bin/busybox"]);
  expect(leaksIn(wrapper.stderr(), [password])).toEqual([]);
  wrapper.kill(15);
  await wrapper.ended;
});
