import { afterAll, expect, test } from "bun:test";
import { startOpenBao, temporaryFolder } from "@svc/testing";
import { faultProxy } from "../harness/faults/fault-proxy.ts";
import { seededRandom } from "../harness/faults/seeded-random.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { faultSchedule } from "./fault-schedule.ts";
import { startFleet } from "./fleet.ts";
import type { FleetMember } from "./fleet-member.ts";
import { fleetPlan } from "./fleet-plan.ts";
import { issuedTokens } from "./issued-tokens.ts";
import { monotonicClock } from "./monotonic-clock.ts";
import { valueHistory } from "./value-history.ts";
import { secretPath, setUpVault } from "./vault-set-up.ts";

const seed = Number(process.env["SVC_CHAOS_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const faults = Number(process.env["SVC_CHAOS_FAULTS"] ?? 500);
const size = Number(process.env["SVC_CHAOS_FLEET"] ?? 50);

/** For the schedule, in proportion to its length. */
const limitMs = Math.max(60_000, faults * 120);
/** Black holes hold a courier for ten seconds, and failed rotations are tried again ever later. */
const CONVERGE_MS = 60_000;
/**
 * The longest that a value is on its way: an answer that is held, and a wrapper that is stopped.
 */
const WINDOW_MS = 8000;

/** SVC_CHAOS_FOLDER keeps the logs and records of a run. */
const kept = process.env["SVC_CHAOS_FOLDER"];
const folder = temporaryFolder();
const place = kept ?? folder.path;
afterAll(() => folder[Symbol.dispose]());
expectNothingLeft();

/** Stops one wrapper in five. The returned function lets them go on. */
function stopSome(members: readonly FleetMember[], chance: () => number): () => void {
  const stopped = members.filter(({ end }) => chance() < 0.2 && end() === undefined);
  for (const { kill } of stopped) kill("SIGSTOP");
  return () => {
    for (const { kill } of stopped) kill("SIGCONT");
  };
}

test(
  `a fleet of ${size} lives through ${faults} faults: SVC_CHAOS_SEED=${seed}`,
  async () => {
    const [ofRequests, ofStretches] = [seededRandom(seed), seededRandom(seed + 1)];
    const ofWrites = seededRandom(seed + 2);
    const now = monotonicClock();
    await using bao = await startOpenBao();
    await using vault = await setUpVault(bao, { loginTtlS: 5, loginMaxTtlS: 20 });
    const history = valueHistory(() => bao, secretPath, now);
    await history.change();
    const schedule = faultSchedule(ofRequests, ofStretches);
    const tokens = issuedTokens();
    await using proxy = faultProxy({
      vaultPort: () => Number(new URL(bao.address).port),
      faultOf: schedule.faultOf,
      onAnswer: tokens.onAnswer,
    });
    const members: FleetMember[] = [];
    let nextChangeMs = now() + 3000;
    const storm = schedule.run(faults, {
      proxy,
      limitMs,
      stopSome: () => stopSome(members, ofStretches.next),
      onPause: async () => {
        if (now() < nextChangeMs) return;
        await history.change();
        nextChangeMs = now() + ofWrites.between(2000, 6000);
      },
    });
    await using fleet = await startFleet(fleetPlan(size), {
      folder: place,
      vaultAddress: proxy.address,
      vault,
      environment: {
        RENEWAL_INTERVAL: "1s",
        SVC_ROTATION_SPLAY: "1s",
        SVC_ROTATION_MIN_INTERVAL: "1s",
      },
    });
    members.push(...fleet.members);
    await storm;
    const last = await history.change();
    const calm = performance.now();
    await fleet.converge(last, CONVERGE_MS);
    const convergedMs = performance.now() - calm;
    await fleet.end();
    process.stderr.write(
      `${JSON.stringify({
        seed,
        fleet: size,
        faults: Object.fromEntries(schedule.counts()),
        total: schedule.total(),
        requests: proxy.requests(),
        values: history.values().length,
        starts: countLines(fleet.members, "start"),
        hangups: countLines(fleet.members, "hangup"),
        logins: tokens.all().length,
        healthAnswers: fleet.answers(),
        convergedMs: Math.round(convergedMs),
      })}\n`,
    );
    const verdict = { values: history.values(), windowMs: WINDOW_MS, tokens: tokens.all() };
    expect(fleet.judge(verdict)).toEqual([]);
    expect(schedule.total()).toBeGreaterThanOrEqual(faults);
  },
  limitMs + CONVERGE_MS + 60_000,
);

function countLines(members: readonly FleetMember[], wanted: string): number {
  return members.flatMap(({ lines }) => lines()).filter(({ word }) => word === wanted).length;
}
