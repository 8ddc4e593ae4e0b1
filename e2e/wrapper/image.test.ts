import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { setStage } from "../harness/wrapper/stage.ts";
import { runWrapper, startWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";

const { environment, password } = setStage();

const EPERM = 1;
const program = ["/bin/sh", "-c", "printenv DB_PASSWORD; exec sleep 1000"];

/** A wrapper that `--quick` built, or one for another machine, has no image. */
const hasNone = imageBytes(readFileSync(wrapperPath)) === 0n;

describe.skipIf(hasNone)("the image of the wrapper's booted script", () => {
  test("is mapped from the executable, and written only by the process's own copies", async () => {
    await using wrapper = await startWrapper({ program, environment });
    await wrapper.prints(password);
    const maps = readFileSync(`/proc/${wrapper.pid}/maps`, "utf8").split("\n");
    const image = maps.filter((line) => line.startsWith("1c3a50000000-"));
    expect(image).toHaveLength(1);
    expect(image[0]).toEndWith(`${wrapperPath}`);
    expect(image[0]).toContain(" rw-p ");
  });

  test("leaves its place in the executable to no other mapping", async () => {
    await using wrapper = await startWrapper({ program, environment });
    await wrapper.prints(password);
    const maps = readFileSync(`/proc/${wrapper.pid}/maps`, "utf8").trim().split("\n");
    const own = (line: string) => line.endsWith(wrapperPath) && !line.startsWith("1c3a50000000-");
    const ranges = maps.slice(maps.findIndex(own), maps.findLastIndex(own) + 1).map((line) =>
      line
        .split(/[- ]/)
        .slice(0, 2)
        .map((address) => Number(`0x${address}`)),
    );
    const gaps = ranges.slice(1).map(([start = 0], index) => start - (ranges[index]?.[1] ?? 0));
    // Between segments the linker may leave less than a large page.
    expect(Math.max(...gaps)).toBeLessThan(64 << 10);
  });

  test("is not needed: without it the wrapper boots from its modules", async () => {
    const startsAs = ["-n", `mremap=${EPERM}`];
    await using wrapper = await startWrapper({ program, environment, startsAs });
    await wrapper.prints(password);
    const maps = readFileSync(`/proc/${wrapper.pid}/maps`, "utf8");
    expect(maps).not.toContain("1c3a50000000-");
  });

  test("makes no other image: the flag that made it is not known", async () => {
    const flags = ["--make-image", "/dev/null"];
    const { exitCode, stderr } = await runWrapper({ flags, program: ["/bin/true"], environment });
    expect(exitCode).toBe(125);
    expect(stderr).toContain("--make-image");
  });
});

/** The length of the image's heap, in the head of the payload; engine/host/src/sys/image/mod.rs. */
function imageBytes(executable: Buffer): bigint {
  const place = executable.indexOf("svc payload here");
  if (place === -1) throw new TypeError(`${wrapperPath} has no payload`);
  return executable.readBigUInt64LE(place + 40);
}
