import { describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { needsRoot, waitFor, writeSecret } from "@svc/testing";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { compileOnce } from "../harness/programs/compile-once.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import {
  type Ended,
  type Launch,
  runWrapper,
  startWrapper,
  wrapperPath,
} from "../harness/wrapper/wrapper-process.ts";

// Surroundings in which little is allowed, and little is there. The wrapper delivers all the same,
// or ends with 125 and names the missing thing.

const { store, environment, at, password } = setStage();
const reads = ["/usr/bin/printenv", "DB_PASSWORD"];

/** By the way that is asked for. */
function deliver(delivery: string, launch: Launch): Promise<Ended> {
  const more = { SVC_DELIVERY: delivery, ...launch.environment };
  return runWrapper({ program: reads, ...launch, environment: { ...environment, ...more } });
}

function expectDelivered({ exitCode, stdout, stderr }: Ended): void {
  expect(exitCode, stderr).toBe(0);
  expect(stdout.toString()).toBe(`${password}\n`);
}

describe("limits", () => {
  const limits: Readonly<Record<string, readonly string[]>> = {
    "32 descriptors": ["-l", "nofile=32:32"],
    "64 MB of addresses": ["-l", "as=64000000"],
    "no locked memory, as a user without capabilities": ["-l", "memlock=0", ...unprivileged],
    "64 KiB of locked memory": ["-l", "memlock=65536", ...unprivileged],
  };
  for (const [what, startsAs] of Object.entries(limits)) {
    for (const delivery of ["env", "inject", "preload"]) {
      test(`${what}, by ${delivery}`, async () => {
        expectDelivered(await deliver(delivery, { startsAs }));
      });
    }
  }

  const inherits = ["-o", "9=/dev/null", "-o", "17=/dev/null", "-o", "60=/dev/null"];
  for (const [delivery, opened, what] of [
    ["env", [], ""],
    ["inject", [], ""],
    ["preload", [], ""],
    ["env", inherits, ", beside inherited descriptors,"],
    ["inject", inherits, ", beside inherited descriptors,"],
  ] as const) {
    test(`the smallest limit of descriptors that ${delivery} takes${what} is enough for a rotation`, async () => {
      const path = `secret/data/rotates-by-${delivery}${opened.length}`;
      const secrets = { SVC_SECRET_PATHS: path, SVC_DELIVERY: delivery };
      const fast = {
        RENEWAL_INTERVAL: "1s",
        SVC_ROTATION_MIN_INTERVAL: "0s",
        SVC_ROTATION_SPLAY: "0s",
      };
      const target = { address: store.address, rootToken: store.token };
      await writeSecret(target, path, { password: "first" });
      const refused: string[] = [];
      for (let limit = 8; ; limit += 1) {
        await using wrapper = await startWrapper({
          program: ["/bin/sh", "-c", "/usr/bin/printenv DB_PASSWORD; exec /bin/sleep 600"],
          environment: { ...environment, ...secrets, ...fast },
          startsAs: [...opened, "-l", `nofile=${limit}:${limit}`],
        });
        const isRefused = wrapper.ended.then(() => true);
        if (await Promise.race([isRefused, wrapper.prints("first\n").then(() => false)])) {
          refused.push(wrapper.stderr().toString());
          continue;
        }
        await writeSecret(target, path, { password: "second" });
        await wrapper.prints("second\n");
        break;
      }
      expect(refused.at(-1)).toContain("checks of the secrets need");
    });
  }

  test("too few descriptors end the start, and the limit is named", async () => {
    const ended = await deliver("env", { startsAs: ["-l", "nofile=6:6"] });
    expect(ended.exitCode).toBe(125);
    expect(ended.stderr).toContain("RLIMIT_NOFILE");
  });

  needsRoot(test)("a single process ends the start, and the limit is named", async () => {
    const ended = await deliver("env", { startsAs: ["-l", "nproc=1", "-U", "65533"] });
    expect(ended.exitCode).toBe(125);
    expect(ended.stderr).toContain("PROCESS_LIMIT");
    expect(ended.stderr).toContain("pids.max");
  });

  needsRoot(test)("two processes are enough: the wrapper's and the program's", async () => {
    expectDelivered(await deliver("inject", { startsAs: ["-l", "nproc=2", "-U", "64007"] }));
  });

  needsRoot(test)("without a process for checks the program is not ready", async () => {
    await using wrapper = await startWrapper({
      program: ["/bin/sleep", "600"],
      environment: { ...environment, RENEWAL_INTERVAL: "1s" },
      startsAs: ["-l", "nproc=2", "-U", "64008"],
    });
    await wrapper.says("health server listens");
    const port = /"port":(\d+)/.exec(wrapper.stderr())?.[1];
    const isStale = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
      return answer.status === 503 && (await answer.text()).includes("could not be started");
    };
    await waitFor(isStale, { deadlineMs: 60_000, what: "the answer" });
  });

  needsRoot(test)("16 MiB of memory for wrapper and program together", async () => {
    const { group, limit } = memoryGroup();
    mkdirSync(group);
    try {
      writeFileSync(join(group, limit), String(16 << 20));
      const enter = `echo $$ > ${group}/cgroup.procs; exec "$@"`;
      const instead = ["/bin/sh", "-c", enter, "sh", wrapperPath, "--", ...reads];
      expectDelivered(await deliver("inject", { instead }));
    } finally {
      rmdirSync(group);
    }
  });
});

needsRoot(describe)("without /proc", () => {
  const without = 'umount -l /proc && exec "$@"';
  const instead = ["unshare", "--mount", "/bin/sh", "-c", without, "sh", wrapperPath, "--"];
  for (const delivery of ["env", "preload", "auto"]) {
    test(`by ${delivery}`, async () => {
      const ended = await deliver(delivery, { instead: [...instead, ...reads] });
      expectDelivered(ended);
      if (delivery === "auto") expect(ended.stderr).toContain("no inject: /proc is not mounted");
    });
  }

  test("inject is refused, and the reason is given", async () => {
    const ended = await deliver("inject", { instead: [...instead, ...reads] });
    expect(ended.exitCode).toBe(125);
    expect(ended.stderr).toContain("DELIVERY_IMPOSSIBLE");
    expect(ended.stderr).toContain("/proc is not mounted");
  });
});

needsRoot(describe)("in a root with the wrapper and a static program alone", () => {
  for (const delivery of ["env", "auto"]) {
    test(`by ${delivery}`, async () => {
      const root = at(`root-${delivery}`);
      mkdirSync(join(root, "svc/bin"), { recursive: true });
      copyFileSync(wrapperPath, join(root, "svc/bin/svc-wrapper"));
      copyFileSync(staticProgram(), join(root, "program"));
      const instead = ["/usr/sbin/chroot", root, "/svc/bin/svc-wrapper", "--", "/program"];
      expectDelivered(await deliver(delivery, { instead }));
    });
  }
});

needsRoot(test)("in a root that is mounted read-only", async () => {
  const mounted = 'mount -o remount,bind,ro / && exec "$@"';
  const instead = ["unshare", "--mount", "/bin/sh", "-c", mounted, "sh", wrapperPath, "--"];
  expectDelivered(await deliver("inject", { instead: [...instead, ...reads] }));
});
/** A memory cgroup of version 1 if the machine has such, else of version 2; cgroups(7). */
function memoryGroup(): { readonly group: string; readonly limit: string } {
  const name = `svc-test-${crypto.randomUUID()}`;
  return existsSync("/sys/fs/cgroup/memory")
    ? { group: `/sys/fs/cgroup/memory/${name}`, limit: "memory.limit_in_bytes" }
    : { group: `/sys/fs/cgroup/${name}`, limit: "memory.max" };
}

/** Prints the variable, and needs no library. */
function staticProgram(): string {
  const source = resolve(import.meta.dir, "../testdata/prints-password.c");
  const command = (target: string) => ["gcc", "-static", "-O1", "-o", target, source];
  return compileOnce({ name: "prints-password", from: [readFileSync(source)], command });
}
