import { describe, expect, test } from "bun:test";
import { Secret, type SecretMetadata, type SecretRef, VaultError } from "@svc/vault";
import type { CheckJob, WatchedPath } from "../messages/courier-job.ts";
import { closed, field, read, secretSettings, source, unread } from "../testdata/outcomes.ts";
import { type Changes, findChanges } from "./find-changes.ts";
import { secretsState } from "./secrets-state.ts";

const APP = "secret/data/app";
const LEASED = "db/creds/app";
const digestKey = new Uint8Array(32).fill(1);
const secrets = secretSettings([
  source(APP, field("password", "PASSWORD")),
  { ...source(LEASED, field("user", "USER")), engine: "dynamic" },
]);

/** A vault with one version of a secret. */
interface Told {
  readonly value: string;
  readonly version: number;
  readonly metadata?: "DENIED" | "UNREACHABLE";
  readonly isAway?: true;
}

const timeOf = (version: number) => `2026-01-01T00:00:0${version}Z`;

const outcomeOf = ({ value, version, isAway }: Told) => {
  if (isAway) return unread(APP);
  const outcome = read(APP, { password: value });
  if (!outcome.ok) return outcome;
  return { ...outcome, secret: { ...outcome.secret, version, createdTime: timeOf(version) } };
};

/** The job after a start with this version. */
function jobAfter(value: string, version: number, more: Partial<CheckJob> = {}): CheckJob {
  const sources = secrets.sources.slice(0, 1);
  const entries = [{ variable: "PASSWORD", value: closed(value), path: APP }];
  const outcomes = [outcomeOf({ value, version })];
  const { watched, digest } = secretsState({ sources, outcomes, entries }, digestKey);
  const job = { kind: "check", token: { kind: "leave" }, leases: [], mayGoBack: false } as const;
  return { ...job, watched, digest, ...more };
}

/** Checks, and gives the paths whose values were read, too. */
async function check(told: Told, job: CheckJob): Promise<Changes & { readonly read: string[] }> {
  const paths: string[] = [];
  const metadata: SecretMetadata = {
    currentVersion: told.version,
    versions: new Map([
      [told.version, { createdTime: timeOf(told.version), deletionTime: "", destroyed: false }],
    ]),
  };
  const client = {
    readMetadata: async () => {
      if (told.metadata === undefined) return metadata;
      throw new VaultError(told.metadata, "read metadata");
    },
    readSecrets: async (_: Secret, refs: readonly SecretRef[]) => {
      paths.push(...refs.map(({ path }) => path));
      return refs.map(() => outcomeOf(told));
    },
  };
  const access = { client, token: new Secret(closed("token")) };
  const changes = await findChanges({ secrets, session: { digestKey }, access }, job);
  return { ...changes, read: paths };
}

const watchedIn = ({ watched }: Pick<Changes, "watched">) =>
  watched.map(({ by, version }: WatchedPath) => [by, version]);

describe("a check", () => {
  test("of the same version reads no value", async () => {
    const found = await check({ value: "one", version: 1 }, jobAfter("one", 1));
    expect(found).toMatchObject({ changed: false, older: false, denied: false, failures: [] });
    expect([found.read, watchedIn(found)]).toEqual([[], [["metadata", 1]]]);
  });

  test("of a new version reads its values, and makes no new lease", async () => {
    const found = await check({ value: "two", version: 2 }, jobAfter("one", 1));
    expect(found).toMatchObject({ changed: true, older: false, denied: false, failures: [] });
    expect([found.read, watchedIn(found)]).toEqual([[APP], [["metadata", 2]]]);
  });

  test("of a new version with the same values finds no change", async () => {
    const found = await check({ value: "one", version: 2 }, jobAfter("one", 1));
    expect(found).toMatchObject({ changed: false, read: [APP] });
    expect(watchedIn(found)).toEqual([["metadata", 2]]);
  });

  test("compares values from then on if metadata is refused", async () => {
    const told = { value: "two", version: 2, metadata: "DENIED" } as const;
    const found = await check(told, jobAfter("one", 1));
    expect(found).toMatchObject({ changed: true, denied: false, failures: [] });
    expect(watchedIn(found)).toEqual([["values", 2]]);
    const job = jobAfter("two", 2, { watched: found.watched });
    expect(await check(told, job)).toMatchObject({ changed: false, read: [APP] });
  });

  test("without an answer keeps its knowledge, and says why", async () => {
    const told = { value: "two", version: 2, metadata: "UNREACHABLE" } as const;
    const job = jobAfter("one", 1);
    const found = await check(told, job);
    expect(found).toMatchObject({ changed: false, denied: false, watched: job.watched, read: [] });
    expect(found.failures).toMatchObject([{ message: expect.stringContaining("read metadata") }]);
  });

  test("whose values cannot be read keeps its knowledge, and says why", async () => {
    const job = jobAfter("one", 1);
    const found = await check({ value: "two", version: 2, isAway: true }, job);
    expect(found).toMatchObject({ changed: false, watched: job.watched, read: [APP] });
    expect(found.failures).toHaveLength(1);
  });

  test("of an older version finds no change, unless it may go back", async () => {
    const told = { value: "one", version: 1 };
    const found = await check(told, jobAfter("two", 2));
    expect(found).toMatchObject({ changed: false, older: true, read: [] });
    expect(watchedIn(found)).toEqual([["metadata", 2]]);
    const back = await check(told, jobAfter("two", 2, { mayGoBack: true }));
    expect(back).toMatchObject({ changed: true, older: true, read: [APP] });
    expect(watchedIn(back)).toEqual([["metadata", 1]]);
  });

  test("by values alone finds an older version, too", async () => {
    const watched = jobAfter("two", 2).watched.map((path) => ({ ...path, by: "values" }) as const);
    const found = await check({ value: "one", version: 1 }, jobAfter("two", 2, { watched }));
    expect(found).toMatchObject({ changed: false, older: true, read: [APP] });
    expect(watchedIn(found)).toEqual([["values", 2]]);
  });
});
