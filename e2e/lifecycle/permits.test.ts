import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { canary, certificateAuthority, freePort, waitFor } from "@svc/testing";
import {
  changingStore,
  deadline,
  healthAddress,
  linesOf,
  logs,
  recorder,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { go, permitDesk, wait } from "./permit-desk.ts";

const { at } = setLifecycleStage();

/** A token file with a canary, which nothing may say. */
function tokenFile(): { readonly path: string; readonly token: string } {
  const token = canary();
  const path = at(`permits-${crypto.randomUUID()}`);
  writeFileSync(path, token);
  return { path, token };
}

test.concurrent("a program is replaced once the operator permits it, and the operator hears of it", async () => {
  const { path, token } = tokenFile();
  await using desk = await permitDesk(path);
  await using changing = changingStore();
  desk.answer(() => wait("1 of 6 pods are away"));
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...changing.environment, ...desk.environment, SVC_LOG_LEVEL: "debug" },
  });
  await wrapper.prints("start ");
  const value = await changing.change();
  await waitFor(() => desk.heard("ask") >= 3, deadline("three questions"));
  await logs(wrapper, "the rotation waits for a permit: 1 of 6 pods are away");
  expect(linesOf(wrapper)).toHaveLength(1);
  desk.answer(go);
  await wrapper.prints(`start ${value}`);
  await waitFor(() => desk.heard("done") === 1, deadline("the wrapper to say that it is done"));
  expect(desk.questions()[0]).toEqual({ token, say: "ask", by: "program" });
  expect(wrapper.stderr()).not.toContain(token);
});

test.concurrent("a value that is changed back gives the permit back", async () => {
  const { path } = tokenFile();
  await using desk = await permitDesk(path);
  await using changing = changingStore();
  const first = changing.value();
  desk.answer(() => wait("later"));
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: { ...changing.environment, ...desk.environment },
  });
  await wrapper.prints("start ");
  await changing.change();
  await waitFor(() => desk.heard("ask") >= 1, deadline("a question"));
  await changing.write({ password: first });
  desk.answer(go);
  await waitFor(() => desk.heard("kept") === 1, deadline("the permit to be given back"));
  expect(linesOf(wrapper)).toEqual([`start ${first}`]);
});

test.concurrent("an operator that refuses, is another, or is away keeps the program as it is", async () => {
  const { path, token } = tokenFile();
  await using desk = await permitDesk(path);
  await using changing = changingStore();
  const refusal = { error: { code: "UNPROVEN", message: "the token is not bound to a pod" } };
  desk.answer(() => Response.json(refusal, { status: 403 }));
  const other = await certificateAuthority("another authority");
  const changes: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{}, "HTTP 403: the token is not bound to a pod"],
    [{ SVC_PERMITS_CACERT_BYTES: other.certificatePem }, "unknown authority"],
    [{ SVC_PERMITS_ADDR: `https://127.0.0.1:${freePort()}` }, "refused"],
    [{ SVC_PERMITS_TOKEN_FILE: at("no-such-file") }, "ENOENT"],
  ];
  await Promise.all(
    changes.map(async ([change, why]) => {
      await using wrapper = await startWrapper({
        program: [recorder],
        environment: { ...changing.environment, ...desk.environment, ...change },
      });
      await wrapper.prints("start ");
      const before = linesOf(wrapper).length;
      await changing.change();
      const log = await logs(wrapper, "the rotation waits: ");
      expect(log).toContain(why);
      expect(log).not.toContain(token);
      expect(linesOf(wrapper)).toHaveLength(before);
    }),
  );
});

test.concurrent("clients leave the program before it is ended, and the program says when it is ready", async () => {
  const { path } = tokenFile();
  await using desk = await permitDesk(path);
  await using changing = changingStore();
  let status = 200;
  await using program = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    // Without a status it never answers.
    fetch: () =>
      status === 0 ? Promise.withResolvers<Response>().promise : new Response(null, { status }),
  });
  await using wrapper = await startWrapper({
    program: [recorder],
    environment: {
      ...changing.environment,
      ...desk.environment,
      SVC_ROTATION_DRAIN: "3s",
      SVC_READINESS_PROBE: JSON.stringify({ port: program.port, path: "/ready" }),
    },
  });
  await wrapper.prints("start ");
  const address = await healthAddress(wrapper);
  const asked = async () => {
    const response = await fetch(`${address}/readyz/program`);
    return { status: response.status, ...Object(await response.json()) };
  };
  expect(await asked()).toMatchObject({ status: "ready" });
  status = 500;
  // An answer holds for a moment.
  const isUnready = async () => (await asked()).reason === "the program answers 500";
  await waitFor(isUnready, deadline("the program to be unready"));
  status = 0;
  const isSilent = async () => (await asked()).reason?.endsWith("no answer in time");
  await waitFor(isSilent, deadline("the question to end without an answer"));
  status = 200;
  const value = await changing.change();
  await waitFor(
    async () => (await asked()).status === "draining",
    deadline("the program to drain"),
  );
  // It runs on meanwhile.
  expect(linesOf(wrapper)).toHaveLength(1);
  await wrapper.prints(`start ${value}`);
  await waitFor(
    async () => (await asked()).status === "ready",
    deadline("the program to be ready"),
  );
});
