import { afterAll, beforeAll, expect, test } from "bun:test";
import { canary, type OpenBao, startOpenBao, waitFor, writeSecret } from "@svc/testing";
import {
  deadline,
  healthAddress,
  hurried,
  logs,
  recorder,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

const TIMEOUT_MS = 180_000;
setLifecycleStage();

let running: OpenBao | undefined;
beforeAll(async () => {
  running = await startOpenBao();
}, TIMEOUT_MS);
afterAll(() => running?.stop());

/** A secret of a real server, and a wrapper's environment for it. */
async function newSecret(name: string) {
  if (running === undefined) throw new TypeError("OpenBao did not start");
  const bao = running;
  const path = `secret/data/${name}`;
  const write = (fields: Readonly<Record<string, string>> = { password: canary() }) =>
    writeSecret(bao, path, fields);
  await write();
  const environment = {
    ...wrapperEnvironment(bao.address, bao.rootToken),
    ...{ ...hurried, SVC_SECRET_PATHS: path },
  };
  return { path, write, environment };
}

interface Shown {
  readonly path: string;
  readonly version: number;
  readonly since: string;
}

/** The answer of /readyz, and the samples of the two metrics in their order. */
async function versionsAt(base: string) {
  const { secrets = [] } = (await (await fetch(`${base}/readyz`)).json()) as {
    readonly secrets?: readonly Shown[];
  };
  const text = await (await fetch(`${base}/metrics`)).text();
  const found = text.matchAll(/^svc_wrapper_secret_version(\w*)\{path="([^"]*)"\} (\S+)$/gm);
  const samples = [...found].map(([, suffix, path, value]) => [suffix, path, Number(value)]);
  return { secrets, samples };
}

for (const way of ["restart", "sighup"]) {
  test.concurrent(`the version of the program is shown, and the new one after: ${way}`, async () => {
    const { path, write, environment } = await newSecret(`shown-by-${way}`);
    await using wrapper = await startWrapper({
      program: [recorder],
      environment: { ...environment, SVC_ROTATION: way, SVC_DELIVERY: "inject" },
    });
    await wrapper.prints("start ");
    const base = await healthAddress(wrapper);
    const shows = async (version: number) => {
      await waitFor(
        async () => (await versionsAt(base)).secrets[0]?.version === version,
        deadline(`version ${version}`),
      );
      const { secrets, samples } = await versionsAt(base);
      const [first] = secrets;
      expect(secrets).toEqual([{ path, version, since: expect.any(String) }]);
      const sinceSeconds = Date.parse(first?.since ?? "") / 1000;
      expect(samples).toEqual([
        ["", path, version],
        ["_since_timestamp_seconds", path, sinceSeconds],
      ]);
      return sinceSeconds;
    };
    const before = await shows(1);
    await write();
    const after = await shows(2);
    expect(after).toBeGreaterThan(before);

    // A version that cannot be delivered changes nothing: the program has the one before.
    await write({ passwort: "misspelt" });
    await logs(wrapper, "FIELD_MISSING", 2);
    expect(await shows(2)).toBe(after);
  });
}

test.concurrent("under env SIGHUP brings no version", async () => {
  const { path, write, environment } = await newSecret("env");
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...environment, SVC_ROTATION: "sighup", SVC_DELIVERY: "env" },
  });
  await wrapper.prints("start ");
  await write();
  await logs(wrapper, "keeps the values of its start");
  const base = await healthAddress(wrapper);
  const { secrets } = await versionsAt(base);
  expect(secrets).toEqual([{ path, version: 1, since: expect.any(String) }]);
});

test.concurrent("without paths the port shows versions and names no path", async () => {
  const { write, environment } = await newSecret("confidential");
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...environment, SVC_SHOW_PATHS: "false" },
  });
  await wrapper.prints("start ");
  const base = await healthAddress(wrapper);
  for (const version of [1, 2]) {
    await waitFor(
      async () => (await versionsAt(base)).secrets[0]?.version === version,
      deadline(`version ${version}`),
    );
    const { secrets, samples } = await versionsAt(base);
    expect(secrets).toEqual([{ path: "1", version, since: expect.any(String) }]);
    expect(samples[0]).toEqual(["", "1", version]);
    for (const page of ["/readyz", "/readyz/program", "/metrics", "/healthz", "/v1/check"]) {
      expect(await (await fetch(base + page)).text(), page).not.toContain("confidential");
    }
    if (version === 1) await write();
  }
});
