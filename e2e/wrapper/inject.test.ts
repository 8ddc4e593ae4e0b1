import { describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { needsRoot } from "@svc/testing";
import { recordingProxy } from "../harness/faults/recording-proxy.ts";
import { findInMemory, leaksIn } from "../harness/processes/leak-search.ts";
import { childrenOf, environOf } from "../harness/processes/process-facts.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { goVariant, variantOf, variants } from "../harness/programs/program-variants.ts";
import { shownDelivery } from "../harness/wrapper/shown-delivery.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { environment, password, store, at } = setStage();
const injected = { ...environment, SVC_DELIVERY: "inject" };
// Also other users run programs from here.
chmodSync(dirname(at("program")), 0o755);

describe("inject delivers to", () => {
  const programs = { ...Object.fromEntries(variants.map((name) => [name, () => variantOf(name)])) };
  for (const [name, build] of Object.entries({ ...programs, "Go, static": goVariant })) {
    const program = build();

    test.concurrent(`a program of ${name}`, async () => {
      const { exitCode, stdout, stderr } = await runWrapper({
        program: [program],
        environment: { ...injected, OWN: "kept" },
      });
      const shown = shownDelivery(stdout, stderr);
      expect(exitCode).toBe(7);
      expect(shown.variables.get("DB_PASSWORD")).toBe(password);
      expect(shown.variables.get("OWN")).toBe("kept");
      expect(shown.block).toContain("DB_PASSWORD=svc:protected");
      expect(leaksIn(shown.block.join("\n"), [password, store.token])).toEqual([]);
      expect(shown.descriptors.filter((target) => target.includes("secretmem"))).toEqual([]);
      expect([...shown.variables.keys()].filter((key) => /^(SVC|VAULT)_/.test(key))).toEqual([]);
      expect(shown.pageBytes).toBe(4096);
    });
  }

  test.concurrent("a user without any capability", async () => {
    const { stdout, stderr } = await runWrapper({
      program: [copyOf(variantOf("glibc, dynamic"), 0o755)],
      environment: injected,
      startsAs: unprivileged,
    });
    expect(shownDelivery(stdout, stderr).variables.get("DB_PASSWORD")).toBe(password);
  });

  // It makes a PID namespace.
  needsRoot(test.concurrent)("a program as the first process of its namespace", async () => {
    const { stdout, stderr } = await runWrapper({
      program: [variantOf("musl, static")],
      environment: injected,
      firstProcess: true,
    });
    expect(shownDelivery(stdout, stderr).variables.get("DB_PASSWORD")).toBe(password);
  });

  test.concurrent("memory that the kernel does not protect, if it has no other", async () => {
    const { stdout, stderr } = await runWrapper({
      program: [variantOf("glibc, dynamic")],
      environment: injected,
      startsAs: ["-n", "memfd_secret=38"],
    });
    const shown = shownDelivery(stdout, stderr);
    expect(shown.variables.get("DB_PASSWORD")).toBe(password);
    expect(leaksIn(shown.block.join("\n"), [password])).toEqual([]);
    expect(shown.descriptors.filter((target) => target.includes("memfd:svc-secrets"))).toEqual([]);
  });
});

// It reads the memory of the wrapper, which is not dumpable.
needsRoot(test)("a program that copies nothing has no value outside the region", async () => {
  await using wrapper = await startWrapper({
    program: [variantOf("glibc, dynamic")],
    environment: { ...injected, SHOW_WAIT: "1", SHOW_QUIETLY: "1" },
  });
  await wrapper.prints("argv 1");
  const [program = 0] = childrenOf(wrapper.pid);
  const secrets = [password, store.token];
  expect(findInMemory(wrapper.pid, secrets)).toEqual([]);
  expect(leaksIn(environOf(program), secrets)).toEqual([]);
});

test("if ptrace is forbidden auto takes preload, and env for static programs", async () => {
  const startsAs = ["-n", "ptrace=1"];
  const [dynamic, fixed] = await Promise.all(
    (["glibc, dynamic", "glibc, static"] as const).map((variant) =>
      runWrapper({ program: [variantOf(variant)], environment, startsAs }),
    ),
  );
  expect(dynamic?.stderr).toContain("deliver by preload: no inject: ptrace: EPERM");
  expect(fixed?.stderr).toContain("deliver by env");
  for (const ended of [dynamic, fixed]) {
    const { variables } = shownDelivery(ended?.stdout ?? Buffer.alloc(0), ended?.stderr ?? "");
    expect(variables.get("DB_PASSWORD")).toBe(password);
  }
});

describe("inject refuses, and starts nothing,", () => {
  const rows: Readonly<
    Record<
      string,
      { program: () => string; startsAs?: readonly string[]; why: string; declare?: typeof test }
    >
  > = {
    "a set-user-ID program": {
      program: () => copyOf("/bin/true", 0o4755),
      startsAs: unprivileged,
      why: "raises privileges",
      // The file has to belong to another user.
      declare: needsRoot(test.concurrent),
    },
    "a program that may be executed and not read": {
      program: () => copyOf("/bin/true", 0o111),
      startsAs: unprivileged,
      why: "cannot be read",
    },
    "if ptrace is forbidden": {
      program: () => "/bin/true",
      startsAs: ["-n", "ptrace=1"],
      why: "ptrace: EPERM",
    },
  };
  for (const [name, row] of Object.entries(rows)) {
    const { program, startsAs, why, declare = test.concurrent } = row;
    declare(name, async () => {
      await using proxy = recordingProxy(store.address);
      const ended = await runWrapper({
        program: [program()],
        environment: { ...injected, VAULT_ADDR: proxy.address },
        ...(startsAs === undefined ? {} : { startsAs }),
      });
      expect(ended.exitCode).toBe(125);
      expect(ended.stderr).toContain("DELIVERY_IMPOSSIBLE");
      expect(ended.stderr).toContain(why);
      expect(proxy.paths()).toEqual([]);
    });
  }
});

describe("a program that cannot be executed gives its own error under inject:", () => {
  const rows: Readonly<Record<string, { text: string; exitCode: number }>> = {
    "a script whose interpreter is missing": { text: "#!/nonexistent/sh\n", exitCode: 127 },
    "a file without a magic number": { text: "echo hello\n", exitCode: 126 },
    "an empty file": { text: "", exitCode: 126 },
  };
  for (const [name, { text, exitCode }] of Object.entries(rows)) {
    test.concurrent(name, async () => {
      const path = at(`broken-${crypto.randomUUID()}`);
      writeFileSync(path, text, { mode: 0o755 });
      const ended = await runWrapper({ program: [path], environment });
      expect(ended.exitCode, ended.stderr).toBe(exitCode);
    });
  }

  test.concurrent("an ELF file whose segments make no sense", async () => {
    const path = copyOf("/bin/true", 0o755);
    const bytes = new Uint8Array(await Bun.file(path).arrayBuffer());
    // The addresses of the segments, which make the kernel map them over each other or not at all.
    const view = new DataView(bytes.buffer);
    const start = Number(view.getBigUint64(32, true));
    for (let at = start; at < start + 56 * 13; at += 56) view.setBigUint64(at + 16, 1n, true);
    writeFileSync(path, bytes);
    const ended = await runWrapper({ program: [path], environment });
    expect(ended.exitCode).toBeGreaterThanOrEqual(126);
  });
});

function copyOf(program: string, mode: number): string {
  const path = at(`copy-${crypto.randomUUID()}`);
  copyFileSync(program, path);
  chmodSync(path, mode);
  return path;
}
