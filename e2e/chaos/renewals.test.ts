import { afterAll, expect, test } from "bun:test";
import { temporaryFolder } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { renewingFleet, totalOf } from "./renewing-fleet.ts";

const size = 4;
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
expectNothingLeft();

test("tokens of one second live on by renewals, and nothing grows", async () => {
  const options = { size, folder: folder.path, ttlS: 1, renewalInterval: "10m" };
  await using renewing = await renewingFleet(options);
  await renewing.renewals(20, 30_000);
  const before = await renewing.sample();
  await renewing.renewals(100, 60_000);
  const after = await renewing.sample();
  const { missed, logins, renewed } = totalOf(after);
  // A busy machine misses the second of a token. Then it logs in once, and goes on.
  expect(logins).toBe(size + missed);
  expect(missed).toBeLessThan(renewed / 4);
  const descriptors = (samples: typeof after) => Math.max(...samples.map((one) => one.descriptors));
  // A courier may be under way at either moment, with some descriptors.
  expect(descriptors(after)).toBeLessThan(descriptors(before) + 12);
  await renewing.fleet.end();
  const values = renewing.history.values();
  expect(renewing.fleet.judge({ values, windowMs: 10_000, tokens: [] })).toEqual([]);
}, 120_000);
