import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendSignal } from "@svc/kernel";
import { runsAsRoot, temporaryFolder, waitFor } from "@svc/testing";
import { expectNothingLeft, mark } from "../harness/processes/leftovers.ts";
import {
  childrenOf,
  commandLineOf,
  processesWith,
  stateOf,
} from "../harness/processes/process-facts.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import {
  type Launch,
  type RunningWrapper,
  runWrapper,
  startWrapper,
  wrapperPath,
} from "../harness/wrapper/wrapper-process.ts";

const TIMEOUT_MS = 180_000;
const [KILL, USR2, TERM, CHLD, CONT, STOP, URG, WINCH] = [9, 12, 15, 17, 18, 19, 23, 28] as const;
/**
 * Signals that do not end a process by signal(7): CHLD, CONT, STOP, TSTP, TTIN, TTOU, URG, WINCH.
 */
const HARMLESS = new Set([17, 18, 19, 20, 21, 22, 23, 28]);
/** Cannot be caught, or are the wrapper's own affair. */
const KEPT = new Set<number>([KILL, STOP, CHLD]);
const SIGNALS = Array.from({ length: 31 }, (_, index) => index + 1);

const { store, environment, password } = oneSecretStore();
const folder = temporaryFolder();
afterAll(async () => {
  await store.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

// An ordinary user may not make a PID namespace: the wrapper is a process among others then.
const asFirst = (
  program: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Launch => ({
  program,
  environment: { ...environment, ...more },
  firstProcess: runsAsRoot(),
});

async function exitCodeOf(...program: readonly string[]): Promise<number | null> {
  return (await runWrapper(asFirst(program))).exitCode;
}

describe("the program's end is the wrapper's end", () => {
  test(
    "each of the 256 exit codes arrives",
    async () => {
      const codes = Array.from({ length: 256 }, (_, code) => code);
      const arrived = codes.map((code) => exitCodeOf(fixture("exits-with"), String(code)));
      expect(await Promise.all(arrived)).toEqual(codes);
    },
    TIMEOUT_MS,
  );

  test(
    "death by each signal n whose default is to kill is 128 + n",
    async () => {
      const deadly = SIGNALS.filter((signal) => !HARMLESS.has(signal));
      const arrived = deadly.map((signal) => exitCodeOf(fixture("dies-by-signal"), String(signal)));
      expect(await Promise.all(arrived)).toEqual(deadly.map((signal) => 128 + signal));
    },
    TIMEOUT_MS,
  );

  test(
    "a signal whose default is harmless ends neither the program nor the wrapper",
    async () => {
      const harmless = [CHLD, CONT, URG, WINCH];
      const arrived = harmless.map((signal) =>
        exitCodeOf(fixture("dies-by-signal"), String(signal)),
      );
      expect(await Promise.all(arrived)).toEqual(harmless.map(() => 1));
    },
    TIMEOUT_MS,
  );
});

describe("signals", () => {
  const forwarded = SIGNALS.filter((signal) => !KEPT.has(signal));
  const realTime = Array.from({ length: 31 }, (_, index) => 34 + index);

  test(
    "each signal sent to the wrapper reaches the program exactly once, CHLD never",
    async () => {
      await using wrapper = await startWrapper(asFirst([fixture("reports-signals")]));
      await wrapper.prints("ready\n");
      wrapper.kill(CHLD);
      for (const signal of [...forwarded, ...realTime]) {
        wrapper.kill(signal);
        await wrapper.prints(`\n${twoDigits(signal)}\n`);
      }
      expect(reportsOf(wrapper)).toEqual([...forwarded, ...realTime]);
    },
    TIMEOUT_MS,
  );

  test(
    "a value of sigqueue(3) reaches the program once with its signal, all 64 bits of it",
    async () => {
      await using wrapper = await startWrapper(asFirst([fixture("reports-signals")]));
      await wrapper.prints("ready\n");
      const sent = [
        [10, 0x0123_4567_89ab_cdefn],
        [34, 2n ** 64n - 1n],
        [64, 0n],
      ] as const;
      const lines = sent.map(([signal, value]) => `${signal} ${hexOf(value)}`);
      for (const [index, [signal, value]] of sent.entries()) {
        sendSignal(wrapper.pid, signal, value);
        await wrapper.prints(`\n${lines[index]}\n`);
      }
      // Signals keep their order: another copy of one would stand before this.
      wrapper.kill(USR2);
      await wrapper.prints(`\n${USR2}\n`);
      expect(wrapper.stdout().toString()).toBe(["ready", ...lines, `${USR2}`, ""].join("\n"));
    },
    TIMEOUT_MS,
  );

  test(
    "each signal reaches the program with an RLIMIT_NOFILE of 32, and none ends the wrapper",
    async () => {
      const program = [fixture("reports-signals")];
      const startsAs = ["-l", "nofile=32:32"];
      await using wrapper = await startWrapper({ program, environment, startsAs });
      await wrapper.prints("ready\n");
      for (const signal of [...forwarded, ...realTime]) {
        wrapper.kill(signal);
        await wrapper.prints(`\n${twoDigits(signal)}\n`);
      }
      expect(reportsOf(wrapper)).toEqual([...forwarded, ...realTime]);
    },
    TIMEOUT_MS,
  );

  test("an RLIMIT_NOFILE of 12 is refused, and named", async () => {
    const startsAs = ["-l", "nofile=12:12"];
    const { exitCode, stderr } = await runWrapper({
      program: ["/bin/true"],
      environment,
      startsAs,
    });
    expect([exitCode, stderr]).toEqual([125, expect.stringContaining("RLIMIT_NOFILE")]);
  });

  // The kernel lets CONT discard pending stop signals and the other way round (signal(7)): CONT is
  // left out.
  const bursts = {
    "signals 1 to 31": forwarded.filter((signal) => signal !== CONT),
    "real-time signals": realTime,
    "signals that have no name in JS, and USR1": [10, 16, 40, 64],
  };
  for (const [what, signals] of Object.entries(bursts)) {
    test(
      `${what} that arrive together each reach the program exactly once, and no other does`,
      async () => {
        await using wrapper = await startWrapper(asFirst([fixture("reports-signals")]));
        await wrapper.prints("ready\n");
        for (const signal of signals) wrapper.kill(signal);
        const count = (wanted: number) =>
          waitFor(() => reportsOf(wrapper).length >= wanted, {
            deadlineMs: 5000,
            what: `${wanted} signals to be reported`,
          });
        await count(signals.length);
        // Signals that came too often come before this one.
        wrapper.kill(WINCH);
        await count(signals.length + 1);
        expect([...reportsOf(wrapper)].sort((one, other) => one - other)).toEqual(
          [...signals, WINCH].sort((one, other) => one - other),
        );
      },
      TIMEOUT_MS,
    );
  }

  function reportsOf(wrapper: RunningWrapper): readonly number[] {
    const [, ...lines] = wrapper.stdout().toString().trim().split("\n");
    return lines.map(Number);
  }

  function hexOf(value: bigint): string {
    return value.toString(16).padStart(16, "0");
  }

  function twoDigits(signal: number): string {
    return String(signal).padStart(2, "0");
  }
});

describe("stopping", () => {
  test("a program that ends on TERM with 7 gives 7", async () => {
    await using wrapper = await startWrapper(asFirst([fixture("exits-on-signal"), "15", "7"]));
    await wrapper.prints("ready");
    wrapper.kill(TERM);
    expect((await wrapper.ended).exitCode).toBe(7);
  });

  test("a program that ignores TERM gets KILL after SVC_STOP_GRACE", async () => {
    const launch = asFirst([fixture("ignores-sigterm")], { SVC_STOP_GRACE: "400ms" });
    await using wrapper = await startWrapper(launch);
    await wrapper.prints("ready");
    const sent = performance.now();
    wrapper.kill(TERM);
    expect((await wrapper.ended).exitCode).toBe(137);
    expect(performance.now() - sent).toBeGreaterThan(390);
    expect(wrapper.stderr()).toContain("ignored SIGTERM");
  });

  test("a second TERM does not put KILL off", async () => {
    const launch = asFirst([fixture("ignores-sigterm")], { SVC_STOP_GRACE: "3s" });
    await using wrapper = await startWrapper(launch);
    await wrapper.prints("ready");
    const sent = performance.now();
    wrapper.kill(TERM);
    await waitFor(() => performance.now() - sent > 2500, { deadlineMs: 5000, what: "most of it" });
    wrapper.kill(TERM);
    expect((await wrapper.ended).exitCode).toBe(137);
    expect(performance.now() - sent).toBeWithin(2900, 5400);
  });

  test("a program that stopped and is continued does not end the wrapper", async () => {
    await using wrapper = await startWrapper(asFirst([fixture("stops-itself"), "3"]));
    await wrapper.prints("stopping");
    const program = await waitFor(() => childrenOf(wrapper.pid)[0], {
      deadlineMs: 2000,
      what: "the program",
    });
    await waitFor(() => stateOf(program) === "T", { deadlineMs: 2000, what: "the stop" });
    expect(stateOf(wrapper.pid)).not.toBe("T");
    wrapper.kill(CONT);
    const { exitCode, stdout } = await wrapper.ended;
    expect([exitCode, stdout.toString()]).toEqual([3, "stopping\ncontinued\n"]);
  });

  test("a wrapper without a reader continues", async () => {
    const shell = "exec 1>&- 2>&-; sleep 0.05; exit 4";
    expect(await exitCodeOf("/bin/sh", "-c", shell)).toBe(4);
  });
});

describe("orphans", () => {
  test("two hundred orphans leave no zombie", async () => {
    const { stdout, exitCode } = await runWrapper(asFirst([fixture("forks-orphans"), "200"]));
    expect([stdout.toString(), exitCode]).toEqual(["0 left\n", 0]);
  });

  test("orphans are also taken in if the wrapper is not PID 1", async () => {
    const { firstProcess, ...launch } = asFirst([fixture("forks-orphans"), "5"]);
    expect((await runWrapper(launch)).stdout.toString()).toBe("0 left\n");
  });
});

describe("processes that the program leaves behind", () => {
  const standalone = (...program: readonly string[]): Launch => ({ program, environment });

  test("a daemon in a new session is ended, and the code is the program's", async () => {
    for (const firstProcess of runsAsRoot() ? [true, false] : [false]) {
      const launch = { ...standalone(fixture("leaves-daemon"), "5"), firstProcess };
      const { exitCode, stderr } = await runWrapper(launch);
      expect(exitCode).toBe(5);
      expect(stderr).toContain("left processes running");
      expect(processesOf("leaves-daemon")).toEqual([]);
    }
  });

  test("a server behind a shell that hands no signal on is ended with it", async () => {
    const script = `${fixture("waits")} & echo started; wait; true`;
    await using wrapper = await startWrapper(standalone("/bin/sh", "-c", script));
    await wrapper.prints("started");
    wrapper.kill(TERM);
    expect((await wrapper.ended).exitCode).toBe(143);
    expect(processesOf("waits")).toEqual([]);
  });

  test("one that ignores TERM gets KILL after SVC_STOP_GRACE", async () => {
    await using wrapper = await startWrapper({
      program: ["/bin/sh", "-c", `${fixture("ignores-sigterm")} & sleep 0.5; exit 7`],
      environment: { ...environment, SVC_STOP_GRACE: "400ms" },
    });
    const { exitCode, stderr } = await wrapper.ended;
    expect(exitCode).toBe(7);
    expect(stderr).toContain("ignored SIGTERM: sent SIGKILL");
    expect(processesOf("ignores-sigterm")).toEqual([]);
  });

  test("one that ignores TERM gets KILL at once when the wrapper is asked again", async () => {
    await using wrapper = await startWrapper({
      program: ["/bin/sh", "-c", `${fixture("ignores-sigterm")} & sleep 0.5; exit 7`],
      environment: { ...environment, SVC_STOP_GRACE: "10m" },
    });
    await wrapper.says("left processes running");
    wrapper.kill(TERM);
    expect((await wrapper.ended).exitCode).toBe(7);
  });

  for (const delivery of ["env", "preload", "inject"]) {
    test(`KILL of the wrapper takes the program with it under ${delivery}`, async () => {
      await using wrapper = await startWrapper({
        program: [fixture("reports-signals")],
        environment,
        flags: [`--delivery=${delivery}`],
      });
      await wrapper.prints("ready\n");
      wrapper.kill(KILL);
      const isGone = () => processesOf("reports-signals").length === 0;
      await waitFor(isGone, { deadlineMs: 60_000, what: "the program to be gone" });
    });
  }

  test("a process that was there before the wrapper is left alone", async () => {
    const script = '/bin/sleep 40 >/dev/null 2>&1 & echo "$!"; exec "$0" -- /bin/true';
    await using wrapper = await startWrapper({
      environment,
      instead: ["/bin/sh", "-c", script, wrapperPath],
    });
    const { exitCode, stdout } = await wrapper.ended;
    expect(exitCode).toBe(0);
    const stranger = Number(stdout.toString());
    expect(stateOf(stranger)).toBe("S");
    process.kill(stranger, "SIGKILL");
  });
});

/** The processes of this file that run a fixture. */
function processesOf(name: string): readonly number[] {
  return processesWith(mark).filter((pid) => commandLineOf(pid).includes(fixture(name)));
}

describe("programs that cannot be started", () => {
  const at = (name: string) => join(folder.path, name);
  writeFileSync(at("not-executable"), "#!/bin/sh\n", { mode: 0o644 });
  writeFileSync(at("no-shebang"), "exit 0\n", { mode: 0o755 });
  writeFileSync(at("no-interpreter"), "#!/nonexistent/interpreter\n", { mode: 0o755 });
  writeFileSync(at("torn-elf"), "\x7fELF\x02\x01\x01", { mode: 0o755 });
  writeFileSync(at("closed"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  chmodSync(at("closed"), 0o000);
  mkdirSync(at("directory"));

  const cases = [
    { what: "a path that does not exist", program: at("missing"), exitCode: 127 },
    { what: "a name that is not in PATH", program: "svc-no-such-program", exitCode: 127 },
    { what: "a missing interpreter", program: at("no-interpreter"), exitCode: 127 },
    { what: "an empty name", program: "", exitCode: 127 },
    { what: "a path below a file", program: at("no-shebang/program"), exitCode: 127 },
    { what: "a file without execute permission", program: at("not-executable"), exitCode: 126 },
    { what: "a file without any permission", program: at("closed"), exitCode: 126 },
    { what: "a directory", program: at("directory"), exitCode: 126 },
    { what: "a script without #!", program: at("no-shebang"), exitCode: 126 },
    { what: "a torn executable", program: at("torn-elf"), exitCode: 126 },
  ];
  for (const { what, program, exitCode } of cases) {
    test(`${what} gives ${exitCode} and says so`, async () => {
      const ended = await runWrapper(asFirst([program]));
      expect(ended.exitCode).toBe(exitCode);
      expect(ended.stderr).toContain(`start ${JSON.stringify(program).replaceAll('"', '\\"')}`);
      expect(ended.stderr).toContain(
        exitCode === 127 ? "PROGRAM_NOT_FOUND" : "PROGRAM_NOT_EXECUTABLE",
      );
    });
  }

  test("a failure of the wrapper's own gives 125", async () => {
    const { exitCode } = await runWrapper(asFirst(["/bin/true"], { SVC_ENV_MAP: "" }));
    expect(exitCode).toBe(125);
  });
});

describe("the program's words", () => {
  const words: readonly Uint8Array[] = [
    ...["", " ", "two  spaces", "'single'", '"double"', "$HOME $(id) `id`", "back\\slash"],
    ...["new\nline", "tab\t", "*", "~", "--", "-c", "--secrets=X", "--help", "&& || ; # !", "grün"],
  ].map((word) => Buffer.from(word));
  const odd = [
    Buffer.from([0xff, 0xfe, 0x80, 0xc0]),
    Buffer.from("ä", "latin1"),
    Buffer.alloc(100_000, 0x78),
  ];

  test("reach it to the byte: quotes, newlines, empty, not UTF-8, 100 KB", async () => {
    const bytes = Buffer.concat([...words, ...odd].flatMap((word) => [word, Buffer.of(0)]));
    const file = join(folder.path, "arguments");
    writeFileSync(file, bytes);
    const launch = asFirst([fixture("prints-argv")]);
    const { stdout, exitCode } = await runWrapper({ ...launch, startsAs: ["-a", file] });
    expect(exitCode).toBe(0);
    expect(stdout.equals(bytes)).toBe(true);
  });

  test("come from SVC_ORIGINAL_CMD and SVC_ORIGINAL_ARGS if no -- is given", async () => {
    const original = {
      SVC_ORIGINAL_CMD: fixture("prints-argv"),
      SVC_ORIGINAL_ARGS: JSON.stringify(["a b", "", "$HOME", 'q"']),
    };
    const launch = { environment: { ...environment, ...original }, firstProcess: runsAsRoot() };
    expect((await runWrapper(launch)).stdout.toString()).toBe('a b\0\0$HOME\0q"\0');
  });

  test("can name a shell that becomes another program", async () => {
    const shell = 'test "$DB_PASSWORD" = "$1" && exec "$2" 9';
    expect(await exitCodeOf("/bin/sh", "-c", shell, "sh", password, fixture("exits-with"))).toBe(9);
  });
});
