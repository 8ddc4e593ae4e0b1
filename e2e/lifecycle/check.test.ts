import { expect, test } from "bun:test";
import { symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { waitFor } from "@svc/testing";
import {
  changingStore,
  deadline,
  healthAddress,
  logs,
  recorder,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { at } = setLifecycleStage();

/** A wrapper that has looked its token up, and checks once an hour from then on. */
async function calm(change: Readonly<Record<string, string>> = {}) {
  const stage = await seldom({ ...change, SVC_LOG_LEVEL: "debug" });
  await stage.wrapper.prints("start ");
  await logs(stage.wrapper, "the secrets were checked");
  return stage;
}

/** A wrapper whose interval is an hour. */
async function seldom(change: Readonly<Record<string, string>> = {}) {
  const changing = changingStore();
  const wrapper = await startWrapper({
    program: [recorder],
    environment: {
      ...changing.environment,
      ...{ RENEWAL_INTERVAL: "1h", HEALTH_ADDR: "127.0.0.1:0" },
      ...change,
    },
  });
  const address = `${await healthAddress(wrapper)}/v1/check`;
  return {
    changing,
    wrapper,
    ask: (method: "GET" | "POST") => fetch(address, { method }),
    state: async () => Object(await (await fetch(address)).json()).state,
    [Symbol.asyncDispose]: async () => {
      await wrapper[Symbol.asyncDispose]();
      await changing[Symbol.asyncDispose]();
    },
  };
}

test.concurrent("a check that is asked for brings a new value at once", async () => {
  await using stage = await calm();
  expect(await stage.state()).toBe("current");
  const value = await stage.changing.change();
  const answer = await stage.ask("POST");
  expect([answer.status, Object(await answer.json()).state]).toEqual([202, "checking"]);
  await stage.wrapper.prints(`start ${value}`);
  await waitFor(async () => (await stage.state()) === "current", deadline("the state current"));
});

test.concurrent("a check that is asked for while a rotation is planned keeps the plan", async () => {
  await using stage = await calm({ SVC_ROTATION_DEBOUNCE: "1h" });
  await stage.changing.change();
  await stage.ask("POST");
  const rotating = async () => (await stage.state()) === "rotating";
  await waitFor(rotating, deadline("the rotation to be planned"));
  await stage.ask("POST");
  await waitFor(rotating, deadline("the rotation to be planned again"));
});

test.concurrent("the fourth check in an hour is refused, and nothing is asked of the vault", async () => {
  await using stage = await calm();
  for (let count = 0; count < 3; count += 1) {
    expect((await stage.ask("POST")).status).toBe(202);
    await waitFor(async () => (await stage.state()) === "current", deadline("the check"));
  }
  const refused = await stage.ask("POST");
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3000);
  expect(await stage.state()).toBe("current");
});

test.concurrent("a wrapper without checks says so", async () => {
  await using stage = await seldom({ SVC_ROTATION: "none" });
  await stage.wrapper.prints("start ");
  const answer = await stage.ask("POST");
  expect([answer.status, Object(await answer.json()).state]).toEqual([200, "unchecked"]);
});

/** How a file is changed that the wrapper looks at; each changes it again. */
const changes: Readonly<Record<string, (path: string) => void>> = {
  "is made": (path) => writeFileSync(path, "1"),
  "is written": (path) => writeFileSync(path, "another text"),
  "is touched": (path) => utimesSync(path, 1, 1),
  "is a link, as in Kubernetes, that leads to another file": (path) => {
    writeFileSync(`${path}-next`, "next");
    unlinkSync(path);
    symlinkSync(`${path}-next`, path);
  },
};

for (const [name, change] of Object.entries(changes)) {
  test.concurrent(`the wrapper checks once SVC_REFRESH_FILE ${name}`, async () => {
    const path = at(crypto.randomUUID());
    if (name !== "is made") writeFileSync(path, "");
    await using stage = await calm({ SVC_REFRESH_FILE: path });
    const value = await stage.changing.change();
    change(path);
    await stage.wrapper.prints(`start ${value}`);
    expect(stage.wrapper.stderr()).toContain("a check was asked for: SVC_REFRESH_FILE");
  });
}

test.concurrent("a SVC_REFRESH_FILE that is a pipe keeps nothing waiting", async () => {
  const path = at(crypto.randomUUID());
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
  await using stage = await calm({ SVC_REFRESH_FILE: path });
  expect(await stage.state()).toBe("current");
});
