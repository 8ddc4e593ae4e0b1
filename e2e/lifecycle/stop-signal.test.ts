import { describe, expect, test } from "bun:test";
import { processStatus, sendSignal } from "@svc/kernel";
import { signalName } from "@svc/settings";
import { freePort, runsAsRoot, waitFor } from "@svc/testing";
import {
  changingStore,
  linesOf,
  logs,
  setLifecycleStage,
  withoutToken,
} from "../harness/wrapper/lifecycle-stage.ts";
import { type Launch, runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const [INT, QUIT, USR1, TERM, STOP, WINCH, RTMIN3] = [2, 3, 10, 15, 19, 28, 37] as const;
/** nginx and PHP-FPM, PostgreSQL, HAProxy, Apache, systemd. */
const stopSignals = [QUIT, INT, USR1, WINCH, RTMIN3] as const;

setLifecycleStage();

/** Ends with 0 by the signal, as a server does that ends its work. */
const server = (signal: number) => [
  ...["/bin/sh", "-c"],
  `trap 'echo ended by ${signal}; exit 0' ${signal}
   echo "started with $DB_PASSWORD"
   while :; do sleep 0.05; done`,
];

/** A server that is started again whenever it ends by itself. */
function restarting(
  environment: Readonly<Record<string, string>>,
  signal: number,
  stopSignal: string,
): Launch {
  const settings = { SVC_RESTART: "always", SVC_STOP_SIGNAL: stopSignal };
  return { program: server(signal), environment: { ...environment, ...settings } };
}

describe("with SVC_RESTART=always, a server", () => {
  for (const signal of stopSignals) {
    test.concurrent(`ends for good by ${signalName(signal)}, its stop signal`, async () => {
      await using changing = changingStore();
      await using wrapper = await startWrapper(
        restarting(changing.environment, signal, signalName(signal)),
      );
      await wrapper.prints("started");
      sendSignal(wrapper.pid, signal);
      expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
      expect(linesOf(wrapper)).toEqual([`started with ${changing.value()}`, `ended by ${signal}`]);
    });
  }

  test.concurrent("starts again after a signal that is not its stop signal", async () => {
    await using changing = changingStore();
    await using wrapper = await startWrapper(restarting(changing.environment, USR1, "SIGQUIT"));
    await wrapper.prints("started");
    sendSignal(wrapper.pid, USR1);
    await wrapper.prints(`ended by ${USR1}\nstarted`);
  });

  const root = runsAsRoot() ? test.concurrent : test.concurrent.skip;
  root("ends for good by a container runtime's signal that the wrapper does not know", async () => {
    await using changing = changingStore();
    await using wrapper = await startWrapper({
      program: server(QUIT),
      environment: { ...changing.environment, SVC_RESTART: "always" },
      firstProcess: true,
    });
    await wrapper.prints("started");
    sendSignal(wrapper.pid, QUIT);
    expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
    expect(linesOf(wrapper)).toHaveLength(2);
  });
});

test.concurrent("SIGTERM ends the program by its stop signal, and so does a rotation", async () => {
  await using changing = changingStore();
  const first = changing.value();
  await using wrapper = await startWrapper({
    program: server(INT),
    environment: { ...changing.environment, SVC_STOP_SIGNAL: "INT" },
  });
  await wrapper.prints("started");
  const second = await changing.change();
  await wrapper.prints(`started with ${second}`);
  sendSignal(wrapper.pid, TERM);
  expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
  expect(linesOf(wrapper)).toEqual([
    ...[`started with ${first}`, `ended by ${INT}`],
    ...[`started with ${second}`, `ended by ${INT}`],
  ]);
});

for (const delivery of ["env", "inject"]) {
  test.concurrent(`a program under ${delivery} that SIGSTOP has stopped ends by itself`, async () => {
    await using changing = changingStore();
    await using wrapper = await startWrapper({
      program: [
        ...["/bin/sh", "-c"],
        "trap 'echo ended; exit 3' TERM; echo \"$$ is it\"; while :; do sleep 0.05; done",
      ],
      environment: { ...changing.environment, SVC_DELIVERY: delivery, SVC_STOP_GRACE: "10m" },
    });
    await wrapper.prints(" is it\n");
    const pid = Number(/^(\d+) is it/m.exec(wrapper.stdout().toString())?.[1]);
    sendSignal(pid, STOP);
    await waitFor(() => processStatus(pid).get("State")?.startsWith("T") ?? false, {
      deadlineMs: 60_000,
      what: "the program's stop",
    });
    sendSignal(wrapper.pid, TERM);
    expect(await wrapper.ended).toMatchObject({ exitCode: 3 });
    expect(linesOf(wrapper)).toContain("ended");
  });
}

test.concurrent("a program that ignores its stop signal gets SIGKILL after the grace", async () => {
  await using changing = changingStore();
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", "trap '' QUIT; echo started; while :; do sleep 0.05; done"],
    environment: { ...changing.environment, SVC_STOP_SIGNAL: "QUIT", SVC_STOP_GRACE: "300ms" },
  });
  await wrapper.prints("started");
  sendSignal(wrapper.pid, QUIT);
  expect(await wrapper.ended).toMatchObject({ exitCode: 137 });
  expect(wrapper.stderr()).toContain("ignored SIGQUIT: sent SIGKILL");
});

describe("a wrapper without a program ends by its stop signal", () => {
  const waiting: Readonly<
    Record<string, (given: Readonly<Record<string, string>>) => Readonly<Record<string, string>>>
  > = {
    "while it waits for the vault": (given) => ({
      ...given,
      VAULT_ADDR: `http://127.0.0.1:${freePort()}`,
      SVC_START_DEADLINE: "1h",
      SVC_LOG_LEVEL: "debug",
    }),
    "while it is sealed": (given) => ({
      ...withoutToken(given),
      VAULT_AUTH_METHOD: "token",
      HEALTH_ADDR: `127.0.0.1:${freePort()}`,
    }),
  };
  for (const [name, environmentOf] of Object.entries(waiting)) {
    for (const signal of [...stopSignals, TERM]) {
      test.concurrent(`${signalName(signal)}, ${name}`, async () => {
        await using changing = changingStore();
        const stop = signal === TERM ? "SIGINT" : signalName(signal);
        await using wrapper = await startWrapper({
          program: ["/bin/true"],
          environment: { ...environmentOf(changing.environment), SVC_STOP_SIGNAL: stop },
        });
        await logs(wrapper, name.includes("sealed") ? "waiting for POST" : "refused");
        sendSignal(wrapper.pid, signal);
        const { exitCode } = await wrapper.ended;
        expect([TERM + 128, INT + 128, signal + 128]).toContain(exitCode ?? 0);
      });
    }
  }

  test.concurrent("during the pause before a restart", async () => {
    await using changing = changingStore();
    await using wrapper = await startWrapper({
      program: ["/bin/sh", "-c", "echo started; exit 3"],
      environment: {
        ...changing.environment,
        SVC_RESTART: "always",
        SVC_STOP_SIGNAL: "SIGWINCH",
      },
    });
    await logs(wrapper, "it is started again", 2);
    sendSignal(wrapper.pid, WINCH);
    expect(await wrapper.ended).toMatchObject({ exitCode: 128 + WINCH });
  });
});

test.concurrent("a stop signal that cannot be one is refused with all other problems", async () => {
  for (const [text, rotation, message] of [
    ["SIGSTOP", "restart", "SIGSTOP, which does not ask a program to end"],
    ["SIGTERN", "restart", "did you mean SIGTERM?"],
    ["HUP", "sighup", "another signal than SIGHUP if SVC_ROTATION is sighup"],
  ] as const) {
    await using changing = changingStore();
    const { exitCode, stderr } = await runWrapper({
      program: ["/bin/true"],
      environment: {
        ...changing.environment,
        ...{ SVC_STOP_SIGNAL: text, SVC_ROTATION: rotation, SVC_STOP_GRACE: "soon" },
      },
    });
    expect([exitCode, stderr]).toEqual([125, expect.stringContaining(message)]);
    expect(stderr).toContain("SVC_STOP_GRACE");
  }
});
