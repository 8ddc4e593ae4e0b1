import { expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { lockRegistry } from "./lock-registry.ts";

/** The code of the error of another process that locks it. */
async function lockElsewhere(path: string): Promise<string> {
  const program = `import { lockRegistry } from ${JSON.stringify(join(import.meta.dirname, "lock-registry.ts"))};
try { lockRegistry(${JSON.stringify(path)}); console.log("locked"); } catch (error) { console.log(error.code); }`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  return (await new Response(child.stdout).text()).trim();
}

test("one process at a time locks a registry, and its end unlocks it", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "below/registry");
  expect(await lockElsewhere(path)).toBe("locked");
  lockRegistry(path);
  expect(await lockElsewhere(path)).toBe("AGENT_RUNNING");
});

test("a lock that is a link or a folder is refused, and nothing is made behind it", () => {
  using folder = temporaryFolder();
  const [linked, occupied, target] = ["linked", "occupied", "target"].map((name) =>
    join(folder.path, name),
  ) as [string, string, string];
  symlinkSync(target, `${linked}.lock`);
  mkdirSync(`${occupied}.lock`);
  for (const path of [linked, occupied]) {
    expect(() => lockRegistry(path)).toThrow(
      expect.objectContaining({ code: "REGISTRY_UNUSABLE" }),
    );
  }
  expect(existsSync(target)).toBe(false);
});
