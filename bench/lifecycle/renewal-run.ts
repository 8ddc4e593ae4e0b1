import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import {
  type RenewingFleetOptions,
  renewingFleet,
  totalOf,
} from "../../e2e/chaos/renewing-fleet.ts";
import type { WrapperSample } from "../../e2e/chaos/wrapper-sample.ts";
import { summarise } from "../statistics.ts";

/** How long a run goes on. */
export interface RenewalRunOptions extends Omit<RenewingFleetOptions, "folder"> {
  readonly name: string;
  /** By all of them together. */
  readonly renewals: number;
  /** By all of them together; of these, renewals are a part. */
  readonly checks: number;
}

/** The result of a run. */
export interface RenewalRun {
  readonly name: string;
  readonly wrappers: number;
  readonly seconds: number;
  readonly renewed: number;
  readonly checks: number;
  /** Renewals that were refused or failed, checks that failed, and logins beyond the first. */
  readonly missed: number;
  /** Processor time of supervisor and courier together, for one check. */
  readonly processorMsPerCheck: number;
  /** The median of the supervisors, after a quarter of the run and in the end. */
  readonly anonymousMiB: readonly [number, number];
  readonly descriptors: readonly [number, number];
}

const PAUSE_MS = 1000;

/** Lets wrappers renew until both counts are reached. */
export async function renewalRun(options: RenewalRunOptions): Promise<RenewalRun> {
  using folder = temporaryFolder();
  const place = join(folder.path, "fleet");
  mkdirSync(place);
  await using renewing = await renewingFleet({ ...options, folder: place });
  const begun = performance.now();
  const first = await renewing.sample();
  let quarter: readonly WrapperSample[] | undefined;
  let now = first;
  for (;;) {
    await Bun.sleep(PAUSE_MS);
    now = await renewing.sample();
    const { renewed, checks } = totalOf(now);
    const done = Math.min(renewed / options.renewals, checks / options.checks);
    if (done >= 0.25) quarter ??= now;
    if (done >= 1) break;
  }
  const [before, total] = [totalOf(first), totalOf(now)];
  const middle = (samples: readonly WrapperSample[], read: (sample: WrapperSample) => number) =>
    summarise(samples.map(read)).median;
  const anonymous = ({ anonymousKiB }: WrapperSample) => anonymousKiB / 1024;
  const descriptors = (sample: WrapperSample) => sample.descriptors;
  const early = quarter ?? now;
  return {
    name: options.name,
    wrappers: options.size,
    seconds: (performance.now() - begun) / 1000,
    renewed: total.renewed,
    checks: total.checks,
    missed: total.missed + total.logins - options.size,
    processorMsPerCheck: (total.processorMs - before.processorMs) / (total.checks - before.checks),
    anonymousMiB: [middle(early, anonymous), middle(now, anonymous)],
    descriptors: [middle(early, descriptors), middle(now, descriptors)],
  };
}
