import { afterAll, beforeAll } from "bun:test";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import {
  canary,
  makeToken,
  mountKv2,
  type OpenBao,
  startOpenBao,
  temporaryFolder,
  writePolicy,
  writeSecret,
} from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";

const TIMEOUT_MS = 60_000;

/** A real OpenBao, and folders; all are gone after a file's tests. */
export interface BaoStage {
  /** Makes a folder for the caller alone, and returns its path. */
  readonly folder: () => string;
  /** Writes a secret for the caller alone, and returns how a wrapper gets it. */
  readonly prepare: () => Promise<Prepared>;
}

/** One secret: a password, and a number that is too short to be shown in part. */
export interface Prepared {
  readonly environment: Readonly<Record<string, string>>;
  readonly token: string;
  /** The first value of DB_PASSWORD; it ends in `-1`. */
  readonly password: string;
  /** Gives the password another value, which ends in `-2`, and returns it. */
  readonly change: () => Promise<string>;
}

/** Sets the stage for one test file. */
export function setBaoStage(): BaoStage {
  const folder = temporaryFolder();
  let running: OpenBao | undefined;
  beforeAll(async () => {
    running = await startOpenBao();
    await mountKv2(running, "kv");
    await writePolicy(running, "app", [{ path: "kv/data/*", capabilities: ["read"] }]);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await running?.stop();
    folder[Symbol.dispose]();
  });
  expectNothingLeft();
  return {
    folder: () => mkdtempSync(join(folder.path, "story-")),
    prepare: () => {
      if (running === undefined) throw new TypeError("OpenBao did not start");
      return prepare(running);
    },
  };
}

async function prepare(bao: OpenBao): Promise<Prepared> {
  const path = `kv/data/${crypto.randomUUID()}`;
  const password = `${canary()}-1`;
  await writeSecret(bao, path, { password, pin: PIN });
  const token = await makeToken(bao, { policies: ["app"], ttl: "1h" });
  return {
    environment: {
      ...wrapperEnvironment(bao.address, token),
      SVC_SECRET_PATHS: path,
      SVC_ENV_MAP: "password=DB_PASSWORD,pin=PIN",
    },
    token,
    password,
    change: async () => {
      const next = `${canary()}-2`;
      await writeSecret(bao, path, { password: next, pin: PIN });
      return next;
    },
  };
}

const PIN = "0815";

/** Texts to search for: each secret, and a piece of it, as half a copy is a copy. */
export function searchedFor(...secrets: readonly string[]): readonly string[] {
  return secrets.flatMap((secret) => [secret, secret.slice(8, 28)]);
}
