import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { enterTargetFolder } from "./target-folder.ts";

const own = "x86_64-unknown-linux-gnu/release/.fingerprint/svc-engine-0123456789abcdef/bin";
const others = "x86_64-unknown-linux-gnu/release/.fingerprint/tokio-0123456789abcdef/lib";

test("another checkout, and a fresh build, compile our crates again, and no others", async () => {
  using folder = temporaryFolder();
  const target = join(folder.path, "engine-crates-pinned-0123456789abcdef");
  const isThere = (path: string) => existsSync(join(target, path));
  const compile = () => Promise.all([own, others].map((path) => Bun.write(join(target, path), "")));

  await compile();
  for (const [checkout, fresh, keeps] of [
    ["/one", false, false],
    ["/one", false, true],
    ["/one", true, false],
    ["/one", false, true],
    ["/other", false, false],
  ] as const) {
    await compile();
    enterTargetFolder(target, checkout, fresh);
    expect([own, others].map(isThere)).toEqual([keeps, true]);
  }
});

test("of the folders of the same compilers the two that were used last stay", async () => {
  using folder = temporaryFolder();
  const names = ["pinned-1", "pinned-2", "machine-1", "pinned-3"].map(
    (name) => `engine-crates-${name}${"0".repeat(15)}`,
  );
  for (const name of names) {
    await Bun.write(join(folder.path, name, "x"), "");
    enterTargetFolder(join(folder.path, name), "/one", false);
    await Bun.sleep(10);
  }
  expect(readdirSync(folder.path).toSorted()).toEqual(names.slice(1).toSorted());
});
