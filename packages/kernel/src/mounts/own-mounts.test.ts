import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runsAsRoot, temporaryFolder } from "@svc/testing";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);

/** Runs statements in a separate process, since its mounts stay with a process. */
function run(statements: string): { readonly lines: readonly string[]; readonly errors: string } {
  const script = at("script.ts");
  const index = join(import.meta.dir, "own-mounts.ts");
  writeFileSync(
    script,
    `import { readFileSync, readdirSync, writeFileSync } from "node:fs";
     import { detachMount, mountFolder, mountMemory, takeOwnMounts } from ${JSON.stringify(index)};
     const [home, other] = ${JSON.stringify([at("home"), at("other")])};
     ${statements}`,
  );
  const ended = Bun.spawnSync([process.execPath, script], { cwd: import.meta.dir });
  return {
    lines: ended.stdout.toString().split("\n").filter(Boolean),
    errors: ended.stderr.toString(),
  };
}

test.skipIf(!runsAsRoot())("own mounts are seen inside, and nothing of them outside", () => {
  mkdirSync(at("home"));
  mkdirSync(at("other"));
  const { lines, errors } = run(`
    takeOwnMounts();
    console.log(mountMemory(home, { bytes: 65536, files: 8 }));
    writeFileSync(home + "/file", "text");
    mountFolder(home, other);
    console.log(readFileSync(other + "/file", "utf8"));
    const mine = readFileSync("/proc/self/mountinfo", "utf8").split("\\n");
    console.log(mine.filter((line) => line.includes(home)).length);
    try { writeFileSync(home + "/large", Buffer.alloc(1 << 20)); } catch ({ code }) { console.log(code); }
    detachMount(home);
    console.log(readdirSync(home).length, readdirSync(other).length);
  `);
  const [kind = "", ...rest] = lines;
  expect(["tmpfs", "ramfs"], errors).toContain(kind);
  expect(rest).toEqual(["text", "1", ...(kind === "tmpfs" ? ["ENOSPC", "0 2"] : ["0 2"])]);
  expect(readdirSync(at("home"))).toEqual([]);
});
