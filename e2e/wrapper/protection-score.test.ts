import { describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { needsRoot, waitFor } from "@svc/testing";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { healthAddress } from "../harness/wrapper/lifecycle-stage.ts";
import { measuredScore } from "../harness/wrapper/protection-points.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { type Launch, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { environment, store, at } = setStage();
const tokenFile = at("token");
writeFileSync(tokenFile, store.token);
const byFile = { VAULT_TOKEN: "", VAULT_TOKEN_FILE: tokenFile };

// Another user does not reach the folder of fixtures.
const forbidsDumps = at("forbids-dumps");
copyFileSync(fixture("forbids-dumps"), forbidsDumps);
chmodSync(at("."), 0o755);

const withoutMemfdSecret = ["-n", "memfd_secret=38"];
const changesUser = ["setpriv", "--reuid=65534", "--clear-groups", "sleep", "60"];
const noAgent = { agent: 0, enforcement: 0 };
const byInject = {
  ...noAgent,
  ...{ memfd_secret: 15, mlock: 10, core_dumps: 5, token: 10, environ: 10, delivery: 15 },
};
const byEnv = { ...byInject, memfd_secret: 0, mlock: 0, environ: 0, delivery: 0 };
// The kernel gives whole dumps to a program that takes them, under any limit.
const handsDumpsOn = readFileSync("/proc/sys/kernel/core_pattern", "utf8").startsWith("|");
const degraded = { memfd_secret: 0, token: 0 };

interface Story extends Omit<Launch, "environment"> {
  readonly settings?: Readonly<Record<string, string>>;
  readonly points: Readonly<Record<string, number>>;
}

const stories: Readonly<Record<string, Story>> = {
  inject: { settings: { SVC_DELIVERY: "inject" }, points: byInject },
  preload: { settings: { SVC_DELIVERY: "preload" }, points: { ...byInject, delivery: 10 } },
  "a region that no library has opened": {
    settings: { SVC_DELIVERY: "library" },
    points: byInject,
  },
  "env with a core limit of 0": {
    settings: { SVC_DELIVERY: "env" },
    startsAs: ["-l", "core=0"],
    points: { ...byEnv, core_dumps: handsDumpsOn ? 0 : 5 },
  },
  "a shell": { program: ["/bin/sh", "-c", "sleep 60; true"], points: byInject },
  "a launcher that changes the user": { program: changesUser, points: byInject },
  "inject without memfd_secret": {
    startsAs: withoutMemfdSecret,
    points: { ...byInject, ...degraded },
  },
  "preload without memfd_secret": {
    settings: { SVC_DELIVERY: "preload" },
    startsAs: withoutMemfdSecret,
    points: { ...byInject, ...degraded, delivery: 10 },
  },
  "a courier that may not lock its memory": {
    startsAs: ["-n", "mlock2=1", "-n", "mlock=1"],
    points: { ...byInject, mlock: 0 },
  },
  "a token in a file": { settings: byFile, points: { ...byInject, token: 0 } },
  "a program as root, which cannot be told from one that is not dumpable": {
    points: { dumpable: 0 },
  },
  "a program of another user": {
    startsAs: unprivileged,
    program: ["/bin/sleep", "60"],
    points: { dumpable: 0, environ: 10 },
  },
  "a program of another user that forbids dumps": {
    startsAs: unprivileged,
    program: [forbidsDumps],
    // The wrapper cannot see an interposer's work in such a program.
    settings: { SVC_DELIVERY: "inject" },
    points: { dumpable: 5, memfd_secret: 15, environ: 10 },
  },
};

describe("the protection score of", () => {
  for (const [name, { settings = {}, points, ...launch }] of Object.entries(stories)) {
    // A courier locks all of its memory with CAP_IPC_LOCK; without, the limit of its user decides.
    const declare = points["mlock"] === 10 ? needsRoot(test.concurrent) : test.concurrent;
    declare(name, async () => {
      await using wrapper = await startWrapper({
        program: [fixture("waits")],
        ...launch,
        environment: { ...environment, SVC_LOG_FORMAT: "json", ...settings },
      });
      const measured = await measuredScore(wrapper);
      expect(measured.points).toMatchObject(points);
      const sum = Object.values(measured.points).reduce((all, one) => all + one, 0);
      expect(measured.score).toBe(sum);
      await wrapper.says(`"message":"protection score ${sum} of 100"`);
    });
  }
});

test("the log has the score in a short line, and the details at debug", async () => {
  await using wrapper = await startWrapper({
    program: [fixture("waits")],
    environment: {
      ...environment,
      SVC_LOG_FORMAT: "json",
      SVC_LOG_LEVEL: "debug",
      SVC_DELIVERY: "env",
    },
  });
  const { score, degraded: weak } = await measuredScore(wrapper);
  const lines = wrapper
    .stderr()
    .split("\n")
    .filter((line) => line.includes("protection score"));
  expect(lines).toHaveLength(1);
  const { missing } = JSON.parse(lines[0] ?? "{}") as { readonly missing: string };
  expect(missing.split(" ")).toEqual([...weak]);
  await wrapper.says("missing points of the score");
  const details = /"details":"([^"]*)"/.exec(wrapper.stderr())?.[1] ?? "";
  expect(details).toContain("delivery: env (");
  // No application's team can update the kernel or run an agent.
  expect(details).not.toMatch(/microcode|svc-agent|ENFORCE_MODE/);
  const address = await healthAddress(wrapper);
  const body = await waitFor(
    async () => {
      const answer = await fetch(`${address}/readyz`);
      return answer.status === 200 ? answer.json() : undefined;
    },
    { deadlineMs: 5000, what: "readiness" },
  );
  expect(body).toMatchObject({ status: "ready", protectionScore: score });
});
