import { expect, test } from "bun:test";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";

const script = join(import.meta.dirname, "bootstrap.sh");

/** Stands for npm: leaves a separate runtime behind, after a pause in which others begin, too. */
const npm = `#!/bin/sh
for word; do case "$previous" in --prefix) prefix=$word;; esac; previous=$word; done
sleep 0.3
mkdir -p "$prefix/node_modules/@oven/bun-linux-x64/bin"
echo "$$" > "$prefix/node_modules/@oven/bun-linux-x64/bin/bun"
`;

test("bootstraps at the same moment do not move the runtime away under each other", async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at("bin"));
  writeFileSync(at("bin/npm"), npm, { mode: 0o755 });
  // The stand-in's file is not a runtime.
  writeFileSync(at("bin/sha256sum"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const env = { PATH: `${at("bin")}:/usr/bin:/bin`, XDG_CACHE_HOME: at("cache") };
  const inodes: number[] = [];
  const runs = Array.from({ length: 5 }, async () => {
    const child = Bun.spawn(["sh", script], { env, stdout: "pipe", stderr: "pipe" });
    const [said, complaints, code] = await Promise.all([
      child.stdout.text(),
      child.stderr.text(),
      child.exited,
    ]);
    expect(code, complaints).toBe(0);
    inodes.push(statSync(said.trim()).ino);
  });
  await Promise.all(runs);
  expect(new Set(inodes).size).toBe(1);
});
