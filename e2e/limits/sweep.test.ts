import { afterAll, describe, expect, test } from "bun:test";
import { temporaryFolder } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { wrapperPath } from "../harness/wrapper/wrapper-process.ts";
import { callPoints } from "./call-points.ts";
import { faultOf } from "./judge-start.ts";
import { knownGapOf, knownGaps } from "./known-gaps.ts";
import { limitPoints } from "./limit-points.ts";
import { loadedBytes } from "./loaded-bytes.ts";
import { putPrograms, runPoint, startsAlone, statusFor } from "./run-point.ts";
import type { SweepPoint } from "./sweep-point.ts";

// Every place that refuses something: a seccomp filter that refuses one call of the wrapper's list,
// and each resource limit in small steps. Either the program runs with its value, or the wrapper
// ends with 125, 126 or 127 and the true cause. It never ends as if its program had ended well, it
// never hangs, and no signal ends it.
//
// SVC_SWEEP=all runs every point: the step "limits, every point". Otherwise a sample of them runs.

const all = process.env["SVC_SWEEP"] === "all";
const TIMEOUT_MS = all ? 3_600_000 : 180_000;
const AT_ONCE = 4;
/** Arguments, environment and the C library's start. */
const FIRST_STACK_BYTES = 32 << 10;
/** The sample has one point of that many: of calls, and of limits. */
const [SAMPLE_OF_CALLS, SAMPLE_OF_LIMITS] = [8, 40];

const { store, environment, password } = oneSecretStore();
const folder = temporaryFolder();
afterAll(async () => {
  await store.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

const programs = putPrograms(folder.path);
const wanted = statusFor(password);
const loaded = loadedBytes(wrapperPath);
const neededGaps = new Set<unknown>();

const kinds = ["static", "dynamic"] as const;
const groups = Map.groupBy(
  [...sample(callPoints(kinds), SAMPLE_OF_CALLS), ...sample(limitPoints(kinds), SAMPLE_OF_LIMITS)],
  ({ limit, of }) => (limit === undefined ? "a refused call" : `a limit of ${of}`),
);

describe("a start fails closed, by name, under", () => {
  for (const [name, points] of groups) {
    test(
      name,
      async () => {
        expect(await faultsOf(points)).toEqual([]);
      },
      TIMEOUT_MS,
    );
  }

  if (all) {
    test("and each known gap is one", () => {
      const tried = [...groups.values()].flat();
      const rows = knownGaps.filter(
        (gap) => gap.isRare !== true && tried.some(({ of }) => of === gap.of),
      );
      expect(rows.filter((gap) => !neededGaps.has(gap))).toEqual([]);
    });
  }
});

/** Takes another error of each call. */
function sample(points: readonly SweepPoint[], one: number): readonly SweepPoint[] {
  return all ? points : points.filter((_, index) => (index + Math.floor(index / one)) % one === 0);
}

async function faultsOf(points: readonly SweepPoint[]): Promise<readonly string[]> {
  const faults: string[] = [];
  const rest = points[Symbol.iterator]();
  const work = async () => {
    for (const point of rest) {
      const fault = await faultAt(point);
      if (fault !== undefined) faults.push(`${point.name}: ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return faults.sort();
}

async function faultAt(point: SweepPoint): Promise<string | undefined> {
  const end = await runPoint(point, programs, environment);
  const fault = faultOf(point, end, wanted);
  if (fault === undefined || isBeforeTheWrapper(point, end.stderr)) return undefined;
  const gap = knownGapOf(point);
  if (gap !== undefined) {
    neededGaps.add(gap);
    return undefined;
  }
  // The kernel may refuse the program itself.
  return (await startsAlone(point, programs)) ? fault : undefined;
}

/**
 * The kernel kills a process whose executable or first stack does not fit its limits, without a word.
 */
function isBeforeTheWrapper({ of, limit = Infinity }: SweepPoint, stderr: string): boolean {
  if (stderr !== "") return false;
  const least: Readonly<Record<string, number>> = {
    as: loaded.all,
    data: loaded.writable,
    stack: FIRST_STACK_BYTES,
  };
  return limit < (least[of] ?? 0);
}
