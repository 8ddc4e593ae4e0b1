import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { freePort, waitFor } from "@svc/testing";
import {
  changingStore,
  deadline,
  linesOf,
  logs,
  recorder,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { at } = setLifecycleStage();

for (const delivery of ["inject", "preload", "env"] as const) {
  test.concurrent(`a changed secret replaces the program: ${delivery}`, async () => {
    await using changing = changingStore();
    const first = changing.value();
    await using wrapper = await startWrapper({
      program: [recorder],
      environment: { ...changing.environment, SVC_DELIVERY: delivery },
    });
    await wrapper.prints(`start ${first}`);
    const second = await changing.change();
    await wrapper.prints(`start ${second}`);
    const third = await changing.change();
    await wrapper.prints(`start ${third}`);
    expect(linesOf(wrapper)).toEqual([
      `start ${first}`,
      "term -",
      `start ${second}`,
      "term -",
      `start ${third}`,
    ]);
    wrapper.kill(15);
    expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
  });
}

test.concurrent("a program that ignores SIGTERM is replaced once the grace is over", async () => {
  await using changing = changingStore();
  await using wrapper = await startWrapper({
    program: [recorder, "-i"],
    environment: { ...changing.environment, SVC_STOP_GRACE: "200ms" },
  });
  await wrapper.prints("start ");
  await wrapper.prints(`start ${await changing.change()}`);
  expect(wrapper.stderr()).toContain("ignored SIGTERM: sent SIGKILL");
});

test.concurrent("a new version with the same values changes nothing", async () => {
  await using changing = changingStore();
  const { environment } = changing;
  await using wrapper = await startWrapper({ program: [recorder], environment });
  await wrapper.prints("start ");
  await changing.write({ password: changing.value(), other: "x" });
  const second = await changing.change();
  await wrapper.prints(`start ${second}`);
  expect(linesOf(wrapper)).toHaveLength(3);
});

test.concurrent("values that cannot be delivered leave the program alone", async () => {
  await using changing = changingStore();
  const { environment } = changing;
  await using wrapper = await startWrapper({ program: [recorder], environment });
  await wrapper.prints("start ");
  await changing.write({ passwort: "misspelt" });
  await logs(wrapper, "FIELD_MISSING", 3);
  expect(linesOf(wrapper)).toHaveLength(1);
  await wrapper.prints(`start ${await changing.change()}`);
});

test.concurrent("a program that has vanished when it is to be started again is 127", async () => {
  await using changing = changingStore();
  const script = at("vanishes");
  writeFileSync(script, `#!/bin/sh\nexec ${recorder}\n`, { mode: 0o755 });
  await using wrapper = await startWrapper({
    program: [script],
    environment: changing.environment,
  });
  await wrapper.prints("start ");
  await Bun.file(script).delete();
  await changing.change();
  await logs(wrapper, "PROGRAM_NOT_FOUND");
  expect(linesOf(wrapper)).toHaveLength(1);
});

test.concurrent("with none the vault is left alone after the start", async () => {
  await using changing = changingStore();
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...changing.environment, SVC_ROTATION: "none" },
  });
  await wrapper.prints("start ");
  await changing.store.stop();
  wrapper.kill(15);
  const { exitCode, stderr } = await wrapper.ended;
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain("could not be checked");
});

test.concurrent("SIGTERM in the middle of a rotation ends it all", async () => {
  await using changing = changingStore();
  await using wrapper = await startWrapper({
    program: [recorder, "-i"],
    environment: { ...changing.environment, SVC_STOP_GRACE: "1s" },
  });
  await wrapper.prints("start ");
  await changing.change();
  await logs(wrapper, "the program is replaced");
  wrapper.kill(15);
  expect(await wrapper.ended).toMatchObject({ exitCode: 137 });
  expect(linesOf(wrapper)).toHaveLength(1);
});

test.concurrent("SVC_RESTART=on-failure starts a failed program again, after a pause", async () => {
  await using changing = changingStore();
  const there = at("there");
  await using wrapper = await startWrapper({
    program: [recorder, "-o", there],
    environment: { ...changing.environment, SVC_RESTART: "on-failure" },
  });
  await logs(wrapper, "it is started again", 1);
  const second = await changing.change();
  writeFileSync(there, "");
  await wrapper.prints(`start ${second}`);
  wrapper.kill(15);
  expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
});

test.concurrent("SIGTERM during the pause before a restart ends the wrapper", async () => {
  await using changing = changingStore();
  await using wrapper = await startWrapper({
    program: [recorder, "-x", "3"],
    environment: { ...changing.environment, SVC_RESTART: "always" },
  });
  await logs(wrapper, "it is started again");
  await waitFor(() => linesOf(wrapper).length === 1, deadline("the first run"));
  wrapper.kill(15);
  expect(await wrapper.ended).toMatchObject({ exitCode: 143 });
});

test.concurrent("a wrapper with nothing left to do waits for the program all the same", async () => {
  await using changing = changingStore();
  await using wrapper = await startWrapper({
    program: ["/bin/sleep", "1.5"],
    environment: {
      ...changing.environment,
      SVC_ROTATION: "none",
      HEALTH_ADDR: "off",
    },
  });
  const { exitCode, durationMs } = await wrapper.ended;
  expect([exitCode, durationMs > 1500]).toEqual([0, true]);
});

test.concurrent("the time until a program is ready is measured at each start", async () => {
  await using changing = changingStore();
  const port = freePort();
  const server = `setTimeout(() => Bun.serve({ port: ${port}, fetch: () => new Response("") }), 700)`;
  await using wrapper = await startWrapper({
    program: [process.execPath, "-e", server],
    environment: {
      ...changing.environment,
      HEALTH_ADDR: "off",
      SVC_READINESS_PROBE: JSON.stringify({ port }),
    },
  });
  await logs(wrapper, "the program is ready");
  await changing.change();
  const log = await logs(wrapper, "the program is ready", 2);
  const lines = log.split("\n").filter((line) => line.includes("the program is ready"));
  const tookMs = lines.map((line) => Number(JSON.parse(line).afterMs));
  expect(tookMs.filter((ms) => ms >= 700)).toHaveLength(2);
});
