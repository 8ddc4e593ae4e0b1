import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, temporaryFolder } from "@svc/testing";
import { callNumbers } from "../../scripts/generate/system-calls/call-numbers.ts";
import { machines } from "../../scripts/generate/system-calls/machines.ts";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import {
  changingStore,
  hurried,
  recorder,
  unseal,
  withoutToken,
} from "../harness/wrapper/lifecycle-stage.ts";
import { type Launch, runWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { replaceFile } from "./file-stage.ts";

const profilePath = join(import.meta.dirname, "../../deploy/seccomp/svc-wrapper.json");
const [SIGSYS, TERM] = [31, 15] as const;
/** The calls of the test's own programs: records-values.c, starts-as.c and the dynamic loader. */
const ofPrograms = ["clock_nanosleep", "pause", "rt_sigsuspend"];

const changing = changingStore();
afterAll(() => changing[Symbol.asyncDispose]());
expectNothingLeft();

const names = namesIn(profilePath);

/** Starts the wrapper under a filter that kills a process for each other call. */
function under(allowed: readonly string[], launch: Launch): Launch {
  const header = machines[0]?.numberings[0]?.header;
  if (header === undefined) throw new TypeError("there is no header of x86-64");
  const numbers = callNumbers(header, [...allowed, ...ofPrograms]);
  return { ...launch, startsAs: ["-k", [...numbers.values()].join(",")] };
}

// The numbers are those of x86-64: docs/decisions/0119.
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

  test("a file is delivered, and its next value too", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "db");
    writeFileSync(path, "first");
    const launch = {
      flags: [`--secrets=DB_PASSWORD=file:${path}`],
      program: [recorder],
      environment: { ...hurried, HEALTH_ADDR: "127.0.0.1:0" },
    };
    await using wrapper = await startWrapper(under(names, launch));
    await wrapper.prints("start first");
    replaceFile(path, "second");
    await wrapper.prints("start second");
    wrapper.kill(TERM);
    expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
  });

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
    const base = `http://127.0.0.1:${port}`;
    expect(await unseal(base, changing.store.token)).toMatchObject([200, {}]);
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
