import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@svc/testing";
import { callNumbers } from "../../scripts/generate/system-calls/call-numbers.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { changingStore, recorder, withoutToken } from "../harness/wrapper/lifecycle-stage.ts";
import { type Launch, runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const profilePath = join(import.meta.dirname, "../../deploy/seccomp/svc-wrapper.json");
const [SIGSYS, TERM] = [31, 15] as const;
/** The calls of the test's own programs: records-values.c, starts-as.c and the dynamic loader. */
const ofPrograms = ["clock_nanosleep", "pause", "rt_sigsuspend", "rt_sigtimedwait"];

const changing = changingStore();
afterAll(() => changing[Symbol.asyncDispose]());
expectNothingLeft();

const names = namesIn(profilePath);

/** Starts the wrapper under a filter that kills a process for each other call. */
function under(allowed: readonly string[], launch: Launch): Launch {
  const header = {
    ...{ folder: "/usr/include/x86_64-linux-gnu", header: "asm/unistd_64.h", macros: [] },
    debianPackage: "linux-libc-dev",
  };
  const numbers = callNumbers(header, [...allowed, ...ofPrograms]);
  return { ...launch, startsAs: ["-k", [...numbers.values()].join(",")] };
}

const x64 = process.arch === "x64" ? describe : describe.skip;
x64("under a profile that kills for each call beside those of deploy/seccomp", () => {
  const deliveries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "inject, announced": { SVC_DELIVERY: "inject", SVC_FOLLOW: "notify" },
    "inject, traced": { SVC_DELIVERY: "inject", SVC_FOLLOW: "trace" },
    "inject, with new values by SIGHUP": { SVC_DELIVERY: "inject", SVC_ROTATION: "sighup" },
    preload: { SVC_DELIVERY: "preload" },
    env: { SVC_DELIVERY: "env" },
  };
  for (const [name, settings] of Object.entries(deliveries)) {
    test(`a program gets its value and a new one: ${name}`, async () => {
      const launch = { program: [recorder], environment: { ...changing.environment, ...settings } };
      await using wrapper = await startWrapper(under(names, launch));
      await wrapper.prints(changing.value());
      await wrapper.prints(await changing.change());
      wrapper.kill(TERM);
      expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
    });
  }

  test("a wrapper becomes its program", async () => {
    const environment = { ...changing.environment, SVC_SUPERVISE: "never" };
    const launch = { program: [recorder, "-x", "0"], environment };
    const { exitCode, stdout } = await runWrapper(under(names, launch));
    expect([exitCode, stdout.toString()]).toEqual([0, `start ${changing.value()}\n`]);
  });

  test("a sealed wrapper takes its token", async () => {
    const port = freePort();
    const environment = {
      ...withoutToken(changing.environment),
      ...{ VAULT_AUTH_METHOD: "token", HEALTH_ADDR: `127.0.0.1:${port}` },
    };
    const launch = { program: [recorder, "-x", "0"], environment };
    await using wrapper = await startWrapper(under(names, launch));
    await wrapper.says("waiting for POST /v1/unseal");
    const answer = await fetch(`http://127.0.0.1:${port}/v1/unseal`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: changing.store.token }),
    });
    expect(answer.status).toBe(200);
    expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
  });

  test("a call that is missing in the list kills: the test sees each one", async () => {
    const launch = { program: [recorder, "-x", "0"], environment: changing.environment };
    const fewer = names.filter((name) => name !== "memfd_create");
    expect(await runWrapper(under(fewer, launch))).toMatchObject({ exitCode: 128 + SIGSYS });
  });
});

function namesIn(path: string): readonly string[] {
  const profile: unknown = JSON.parse(readFileSync(path, "utf8"));
  const { syscalls } = Object(profile) as { readonly syscalls: readonly { names: string[] }[] };
  return syscalls.flatMap((group) => group.names);
}
