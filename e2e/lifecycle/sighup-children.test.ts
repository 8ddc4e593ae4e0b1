import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { canary, waitFor } from "@svc/testing";
import {
  changingStore,
  deadline,
  linesOf,
  recorder,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { at } = setLifecycleStage();
const child = at("child.sh");
const shell = at("shell.sh");
writeFileSync(
  child,
  `leaks=$(tr '\\0' '\\n' </proc/self/environ | grep -c '^DB_.*=.')
echo "child $DB_USER $DB_PASSWORD $leaks"
`,
);
// It starts a child at its start, and one for each SIGHUP.
writeFileSync(
  shell,
  `trap 'sh ${child}' HUP
sh ${child}
while :; do sleep 0.02; done
`,
);

for (const follow of ["notify", "trace"]) {
  test.concurrent(`a child that a shell starts after SIGHUP has the new values: ${follow}`, async () => {
    const user = canary();
    let password = canary();
    await using changing = changingStore({
      secrets: { "secret/data/app": { user, password } },
    });
    await using wrapper = await startWrapper({
      program: ["/bin/sh", shell],
      environment: {
        ...changing.environment,
        SVC_ROTATION: "sighup",
        SVC_ENV_MAP: "user=DB_USER,password=DB_PASSWORD",
        SVC_DELIVERY: "inject",
        SVC_FOLLOW: follow,
      },
    });
    await wrapper.prints(`child ${user} ${password} 0`);
    // The user stays the same in both generations.
    for (let round = 0; round < 4; round += 1) {
      password = canary();
      await changing.write({ user, password });
      await wrapper.prints(`child ${user} ${password} 0`);
    }
  });
}

test.concurrent("a program that the program has started finds new values if it asks for them", async () => {
  await using changing = changingStore();
  const first = changing.value();
  const group = `trap : HUP; ${recorder} & child=$!; trap 'kill -HUP $child' HUP; while :; do wait; done`;
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", group],
    environment: {
      ...changing.environment,
      SVC_ROTATION: "sighup",
      SVC_DELIVERY: "inject",
      SVC_FOLLOW: "notify",
    },
  });
  await wrapper.prints(`start ${first}`);
  for (let round = 0; round < 3; round += 1) {
    const value = await changing.change();
    await waitFor(() => linesOf(wrapper).includes(`hangup ${value}`), deadline("the new value"));
  }
  expect(linesOf(wrapper)[0]).toBe(`start ${first}`);
});
