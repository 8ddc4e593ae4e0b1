import { expect, test } from "bun:test";
import {
  changingStore,
  linesOf,
  logs,
  recorder,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

setLifecycleStage();

for (const [what, delivery, program] of [
  ["inject", "inject", [recorder]],
  ["inject behind a shell", "inject", ["/bin/sh", "-c", `exec ${recorder}`]],
  ["preload", "preload", [recorder]],
] as const) {
  test.concurrent(`new values are readable when SIGHUP arrives: ${what}`, async () => {
    await using changing = changingStore();
    const first = changing.value();
    await using wrapper = await startWrapper({
      program,
      environment: {
        ...changing.environment,
        SVC_ROTATION: "sighup",
        SVC_DELIVERY: delivery,
      },
    });
    await wrapper.prints(`start ${first}`);
    const values = [first];
    for (let round = 0; round < 3; round += 1) {
      const value = await changing.change();
      values.push(value);
      await wrapper.prints(`hangup ${value}`);
    }
    expect(linesOf(wrapper)).toEqual([
      `start ${first}`,
      ...values.slice(1).map((value) => `hangup ${value}`),
    ]);
    wrapper.kill(15);
    expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
  });
}

test.concurrent("with env the program gets the signal and keeps its values, and the log says so", async () => {
  await using changing = changingStore();
  const first = changing.value();
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...changing.environment, SVC_ROTATION: "sighup", SVC_DELIVERY: "env" },
  });
  await wrapper.prints(`start ${first}`);
  await changing.change();
  await wrapper.prints(`hangup ${first}`);
  await wrapper.says("keeps the values of its start");
  expect(wrapper.stderr()).not.toContain("has its new values");
});

for (const [what, shell, isWarned] of [
  ["waits for the program", `${recorder}; true`, true],
  ["becomes the program", `exec ${recorder}`, false],
] as const) {
  test.concurrent(`the start says whether SIGHUP ends a shell that ${what}`, async () => {
    await using changing = changingStore();
    await using wrapper = await startWrapper({
      program: ["/bin/sh", "-c", shell],
      environment: { ...changing.environment, SVC_ROTATION: "sighup" },
    });
    await wrapper.prints("start ");
    // It is said in the same moment.
    await wrapper.says("protection");
    const warning = "SVC_ROTATION=sighup: the program has no handler for SIGHUP";
    expect(wrapper.stderr().includes(warning)).toBe(isWarned);
  });
}

test.concurrent("a variable that is gone leaves the program its values", async () => {
  await using changing = changingStore();
  const { environment } = changing;
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...environment, SVC_ROTATION: "sighup", SVC_ENV_MAP: "*=DB_*" },
  });
  await logs(wrapper, "deliver by");
  await changing.write({ user: "x" });
  await logs(wrapper, "RESTART_NEEDED");
  expect(linesOf(wrapper)).toHaveLength(1);
});
