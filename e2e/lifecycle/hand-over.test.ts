import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { sendSignal } from "@svc/kernel";
import { freePort, runsAsRoot, waitFor } from "@svc/testing";
import { childrenOf } from "../harness/processes/process-facts.ts";
import {
  changingStore,
  deadline,
  linesOf,
  logs,
  setLifecycleStage,
  unseal,
  withoutToken,
} from "../harness/wrapper/lifecycle-stage.ts";
import {
  type Launch,
  runWrapper,
  startWrapper,
  wrapperPath,
} from "../harness/wrapper/wrapper-process.ts";

const { at } = setLifecycleStage();
const firstProcess = runsAsRoot();
const never = { SVC_SUPERVISE: "never" };
/** PR_GET_CHILD_SUBREAPER(2const) */
const GET_SUBREAPER = 37;
/** Prints its number and its value, and stays. */
const shows = 'echo "$$ has $DB_PASSWORD"; exec sleep 300';

/** For a wrapper that becomes the program. */
function becoming(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { ...environment, ...never };
}

describe("a wrapper that becomes the program", () => {
  for (const delivery of ["preload", "env"] as const) {
    test.concurrent(`keeps its number, and leaves no other process: ${delivery}`, async () => {
      await using changing = changingStore();
      await using wrapper = await startWrapper({
        program: ["/bin/bash", "-c", shows],
        environment: { ...becoming(changing.environment), SVC_DELIVERY: delivery },
        firstProcess,
      });
      const number = firstProcess ? 1 : wrapper.pid;
      await wrapper.prints(`${number} has ${changing.value()}`);
      const name = () => readFileSync(`/proc/${wrapper.pid}/comm`, "utf8").trim();
      await waitFor(() => name() === "sleep", deadline("sleep in its place"));
      expect(childrenOf(wrapper.pid)).toEqual([]);
      const values = readFileSync(`/proc/${wrapper.pid}/environ`, "utf8");
      expect(values.includes(changing.value())).toBe(delivery === "env");
    });
  }

  test.concurrent("chooses the best way without a wrapper, and says why", async () => {
    await using changing = changingStore();
    const ended = await runWrapper({
      program: ["/bin/sh", "-c", 'echo "has $DB_PASSWORD"'],
      environment: becoming(changing.environment),
    });
    expect(ended.stdout.toString()).toBe(`has ${changing.value()}\n`);
    expect(ended.stderr).toContain(
      "deliver by preload: no inject: no process of the wrapper stays",
    );
    expect(ended.exitCode).toBe(0);
  });

  test.concurrent("ends as the program does, by its status or its signal", async () => {
    await using changing = changingStore();
    for (const [script, exitCode] of [
      ["exit 7", 7],
      ["kill -SEGV $$", 139],
    ] as const) {
      const ended = await runWrapper({
        program: ["/bin/sh", "-c", script],
        environment: becoming(changing.environment),
      });
      expect(ended).toMatchObject({ exitCode });
    }
  });

  test.concurrent("gives the program the surroundings that it would have had", async () => {
    await using changing = changingStore();
    const script = `grep -E '^(SigBlk|SigIgn|SigCgt|Seccomp|NoNewPrivs|TracerPid):' /proc/self/status
      for fd in /proc/self/fd/*; do readlink "$fd"; done | grep -vE 'pipe:|/dev/null|/proc/'
      python3 -c 'import ctypes
value = ctypes.c_int()
ctypes.CDLL(None).prctl(${GET_SUBREAPER}, ctypes.byref(value), 0, 0, 0)
print("subreaper", value.value)'`;
    const launch: Launch = {
      program: ["/bin/sh", "-c", script],
      environment: { ...becoming(changing.environment), SVC_DELIVERY: "env" },
    };
    const wrapped = await runWrapper(launch);
    const alone = await runWrapper({ ...launch, instead: ["/bin/sh", "-c", script] });
    expect(wrapped.stdout.toString()).toBe(alone.stdout.toString());
    expect(alone.stdout.toString()).toContain("SigBlk");
  });

  test.concurrent("fails as always if the vault has no such field", async () => {
    await using changing = changingStore();
    const ended = await runWrapper({
      program: ["/bin/true"],
      environment: { ...becoming(changing.environment), SVC_ENV_MAP: "nothing=DB_PASSWORD" },
      firstProcess,
    });
    expect(ended).toMatchObject({
      exitCode: 125,
      stderr: expect.stringContaining("FIELD_MISSING"),
    });
  });

  test.concurrent("fails as always if the program cannot be started", async () => {
    await using changing = changingStore();
    const script = at("no-interpreter");
    writeFileSync(script, "#!/missing/interpreter\n", { mode: 0o755 });
    for (const [program, exitCode] of [
      [script, 127],
      ["/missing", 127],
      ["/etc", 126],
    ] as const) {
      const ended = await runWrapper({
        program: [program],
        environment: becoming(changing.environment),
        firstProcess,
      });
      expect([program, ended.exitCode]).toEqual([program, exitCode]);
    }
  });

  test.concurrent("ends by its stop signal while it waits for the vault", async () => {
    await using changing = changingStore();
    await using wrapper = await startWrapper({
      program: ["/bin/true"],
      environment: {
        ...becoming(changing.environment),
        VAULT_ADDR: `http://127.0.0.1:${freePort()}`,
        SVC_START_DEADLINE: "1h",
      },
      firstProcess,
    });
    await logs(wrapper, "refused");
    sendSignal(wrapper.pid, 15);
    expect(await wrapper.ended).toMatchObject({ exitCode: 143 });
  });

  test.concurrent("takes its token by POST /v1/unseal", async () => {
    await using changing = changingStore();
    const port = freePort();
    await using wrapper = await startWrapper({
      program: ["/bin/sh", "-c", shows],
      environment: {
        ...withoutToken(becoming(changing.environment)),
        VAULT_AUTH_METHOD: "token",
        HEALTH_ADDR: `127.0.0.1:${port}`,
      },
      firstProcess,
    });
    await logs(wrapper, "waiting for POST /v1/unseal");
    const base = `http://127.0.0.1:${port}`;
    expect(await unseal(base, changing.store.token)).toMatchObject([200, {}]);
    await wrapper.prints(`has ${changing.value()}`);
    expect(linesOf(wrapper)).toHaveLength(1);
  });
});

const asRoot = runsAsRoot() ? test.concurrent : test.concurrent.skip;
asRoot("an init that must be process 1 runs, and its services have the value", async () => {
  await using changing = changingStore();
  const seen = at("init-saw");
  const service = `echo "$PPID started a service with $DB_PASSWORD" > ${seen}`;
  // BusyBox' init reads /etc/inittab, which is in the mount namespace of the wrapper alone.
  const script = `mount -t tmpfs etc /etc && echo '::once:/bin/sh -c "${service.replaceAll('"', "")}"' \\
    > /etc/inittab && exec busybox init`;
  const launch: Launch = {
    program: ["/bin/sh", "-c", script],
    environment: { ...changing.environment, SVC_DELIVERY: "env" },
    firstProcess: true,
  };
  const supervised = await runWrapper(launch);
  expect(supervised.stderr).toContain("must be run as PID 1");
  await using wrapper = await startWrapper({
    ...launch,
    environment: becoming(launch.environment ?? {}),
  });
  const text = () => (existsSync(seen) ? readFileSync(seen, "utf8") : "");
  await waitFor(() => text().endsWith("\n"), deadline("the service"));
  expect(text()).toBe(`1 started a service with ${changing.value()}\n`);
  wrapper.kill(9);
});

asRoot("the operator's startup probe waits for the program, and then succeeds", async () => {
  await using changing = changingStore();
  const port = freePort();
  const health = { HEALTH_ADDR: `127.0.0.1:${port}` };
  await using wrapper = await startWrapper({
    program: ["/bin/sh", "-c", shows],
    environment: {
      ...withoutToken(becoming(changing.environment)),
      ...{ ...health, VAULT_AUTH_METHOD: "token" },
    },
    firstProcess: true,
  });
  const probe = () => {
    const inside = ["nsenter", "-t", String(wrapper.pid), "--pid", "--mount"];
    const instead = [...inside, wrapperPath, "--once-ready"];
    return runWrapper({ instead, environment: { ...never, ...health } });
  };
  await logs(wrapper, "waiting for POST /v1/unseal");
  expect((await probe()).exitCode).toBe(1);
  const base = `http://127.0.0.1:${port}`;
  expect(await unseal(base, changing.store.token)).toMatchObject([200, {}]);
  await wrapper.prints(`has ${changing.value()}`);
  expect(await probe()).toMatchObject({ exitCode: 0, stderr: "" });
});

test.concurrent("settings that need a wrapper beside the program are refused at once", async () => {
  await using changing = changingStore();
  const { exitCode, stderr } = await runWrapper({
    program: ["/bin/true"],
    environment: {
      ...becoming(changing.environment),
      SVC_ROTATION: "sighup",
      SVC_RESTART: "always",
    },
  });
  expect(exitCode).toBe(125);
  for (const name of ["SVC_ROTATION", "SVC_RESTART"]) {
    expect(stderr).toContain(`${name}: must be left out if SVC_SUPERVISE is never`);
  }
});

test.concurrent("--explain tells who is process 1", async () => {
  const explained = async (environment: Readonly<Record<string, string>>) => {
    const launch = { program: ["/bin/sh"], flags: ["--explain"], environment };
    return (await runWrapper(launch)).stdout.toString();
  };
  expect(await explained({})).not.toContain("supervision:");
  const alone = await explained(never);
  expect(alone).toStartWith("preload: no inject: no process of the wrapper stays");
  expect(alone).toContain("supervision: none: the wrapper becomes the program");
});

test.concurrent("an init that must be process 1 brings a warning", async () => {
  await using changing = changingStore();
  const init = at("systemd");
  writeFileSync(init, "#!/bin/sh\n", { mode: 0o755 });
  const supervised = await runWrapper({ program: [init], environment: changing.environment });
  expect(supervised.stderr).toContain("may run only as process 1");
  const alone = await runWrapper({ program: [init], environment: becoming(changing.environment) });
  expect(alone.stderr).not.toContain("may run only as process 1");
});

test.concurrent("a static program gets plain values, with a warning", async () => {
  await using changing = changingStore();
  const { stderr } = await runWrapper({
    program: ["busybox", "true"],
    environment: becoming(changing.environment),
  });
  expect(stderr).toContain("deliver by env: values are readable in /proc/PID/environ");
});
