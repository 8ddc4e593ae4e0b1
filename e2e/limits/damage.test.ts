import { describe, expect, test } from "bun:test";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { setStage } from "../harness/wrapper/stage.ts";
import { startWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";
import { type DamagedEnd, damagedEnd, spreadOver } from "./judge-damage.ts";
import { putPrograms, statusFor } from "./run-point.ts";

// A damaged executable: one byte of its file is another one, at places that are spread over it. The
// wrapper does its work all the same, or ends with 125 and says that it is damaged
// (docs/decisions/0122-a-damaged-executable.md).
//
// SVC_SWEEP=all tries ten times as many places: the step "limits, every point".

const all = process.env["SVC_SWEEP"] === "all";
const PLACES = all ? 560 : 56;
const AT_ONCE = 3;
const TIMEOUT_MS = 600_000;
/** Three times SVC_START_DEADLINE. */
const LONGEST_MS = 12_000;
/** The headers of an ELF file: the kernel may refuse one that is damaged. */
const HEADER_BYTES = 4096;
/** In the code that runs before `main`, damage ends a process without a word. */
const MOST_WITHOUT_A_WORD = Math.ceil(PLACES / 50);

const { environment, password, at: pathOf } = setStage();
const { static: program } = putPrograms(pathOf(""));
const wanted = statusFor(password);
const executable = readFileSync(wrapperPath);
/** engine/host/src/sys/image/payload.rs has the form of a payload. */
const payload = executable.indexOf("svc payload here");
const number = (at: number) => Number(executable.readBigUInt64LE(payload + at));
const payloadEnd = payload + number(16) + number(24);
const heap = payload + number(16) + Math.ceil(number(32) / number(16)) * number(16);
const [HEAP_BYTES_AT, SUM_AT] = [40, 80];
/** A wrapper that `--quick` built, or one for another machine, has no image. */
const hasImage = number(HEAP_BYTES_AT) !== 0;

describe("a damaged executable", () => {
  test(
    "does its work or names the damage, wherever it is",
    async () => {
      const ends = await endsOf(spreadOver(executable.length, PLACES));
      const faults = (isFault: (at: number, end: DamagedEnd) => boolean) =>
        ends.filter(([at, end]) => isFault(at, end)).map(([at, end]) => `${at}: ${end}`);
      const isPayload = (at: number) => at >= payload && at < payloadEnd;
      expect(faults((at, end) => isPayload(at) && !fine.includes(end))).toEqual([]);
      expect(faults((at, end) => at >= HEADER_BYTES && end === "refused")).toEqual([]);
      const withoutWord = faults((_, end) => !fine.includes(end) && end !== "refused");
      expect(withoutWord.length, withoutWord.join(", ")).toBeLessThanOrEqual(MOST_WITHOUT_A_WORD);
    },
    TIMEOUT_MS,
  );

  test("runs its program if only the sum itself is damaged", async () => {
    expect(await endWith("sum", (bytes) => flip(bytes, payload + SUM_AT))).toBe("unharmed");
  });

  test("names the damage if the settings are refused as well", async () => {
    const change = (bytes: Buffer) => flip(bytes, payload + SUM_AT);
    expect(await endWith("refused", change, { SVC_ENV_MAP: "" })).toBe("named");
  });

  test.skipIf(!hasImage)("names the damage if its image has no true length", async () => {
    const change = (bytes: Buffer) => flip(bytes, payload + HEAP_BYTES_AT);
    expect(await endWith("length", change)).toBe("named");
  });

  test.skipIf(!hasImage)("names the damage as the cause of a fault", async () => {
    const change = (bytes: Buffer) => void bytes.fill(0xee, heap, heap + 4096);
    expect(await endWith("heap", change)).toBe("named");
  });
});

const fine: readonly DamagedEnd[] = ["unharmed", "named"];

/** The end for each place, in the order of the places. */
async function endsOf(
  places: readonly number[],
): Promise<readonly (readonly [number, DamagedEnd])[]> {
  const ends: (readonly [number, DamagedEnd])[] = [];
  const rest = places[Symbol.iterator]();
  const work = async (_: unknown, index: number) => {
    for (const at of rest) {
      ends.push([at, await endWith(`at-once-${index}`, (bytes) => flip(bytes, at))]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ends.sort(([one], [other]) => one - other);
}

/** The end of a start of a changed copy. */
async function endWith(
  name: string,
  change: (bytes: Buffer) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<DamagedEnd> {
  const path = pathOf(name);
  const bytes = Buffer.from(executable);
  change(bytes);
  // With the mode of the executable.
  copyFileSync(wrapperPath, path);
  writeFileSync(path, bytes);
  await using wrapper = await startWrapper({
    instead: [path, "--", program],
    environment: { ...environment, SVC_START_DEADLINE: "4s", ...settings },
  });
  const timer = Promise.withResolvers<undefined>();
  const timeout = setTimeout(() => timer.resolve(undefined), LONGEST_MS);
  const ended = await Promise.race([wrapper.ended, timer.promise]);
  clearTimeout(timeout);
  return damagedEnd({ exitCode: ended?.exitCode, stderr: wrapper.stderr() }, wanted);
}

function flip(bytes: Buffer, at: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
}
