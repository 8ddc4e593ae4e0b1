import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { type Launch, runWrapper } from "../harness/wrapper/wrapper-process.ts";

const { environment, at } = setStage();

describe("the program has the same surroundings as without the wrapper", () => {
  writeFileSync(at("some-file"), "open before\n");
  mkdirSync(at("some folder"));
  const [HUP, QUIT, USR1, PIPE, TERM, RTMIN] = ["1", "3", "10", "13", "15", "34"];

  const cases: Readonly<Record<string, readonly string[]>> = {
    "in plain surroundings": [],
    "with a umask of 027": ["-u", "027"],
    "with a umask of 0": ["-u", "0"],
    "in another working directory": ["-d", at("some folder")],
    "with a lowered soft NOFILE limit": ["-l", "nofile=512"],
    "with a core limit": ["-l", "core=4096"],
    "with a lowered MEMLOCK limit": ["-l", "memlock=1048576"],
    "with HUP and PIPE ignored": ["-i", HUP, "-i", PIPE],
    "with TERM, QUIT and a real-time signal ignored": ["-i", TERM, "-i", QUIT, "-i", RTMIN],
    "with USR1 and TERM blocked": ["-b", USR1, "-b", TERM],
    "with a descriptor 7 that the caller opened": ["-o", `7=${at("some-file")}`],
    "with descriptors 3, 4, 5 and 6 that the caller opened": [3, 4, 5, 6].flatMap((fd) => [
      "-o",
      `${fd}=${at("some-file")}`,
    ]),
    "with descriptors 16, 34 and 64 that the caller opened": [16, 34, 64].flatMap((fd) => [
      "-o",
      `${fd}=${at("some-file")}`,
    ]),
    "without standard input": ["-c", "0"],
    "without standard error": ["-c", "2"],
    "without standard input, output and error": ["-c", "0", "-c", "1", "-c", "2"],
    "with a system call filter": ["-n", "mlock=1"],
  };
  for (const [what, startsAs] of Object.entries(cases)) {
    test(what, async () => {
      const bare = await stateAfter({ startsAs, instead: [fixture("prints-state")] });
      const [byEnv, byInject] = await Promise.all(
        ["--delivery=env", "--delivery=inject"].map((flag) =>
          stateAfter({ startsAs, program: [fixture("prints-state")], flags: [flag] }),
        ),
      );
      // The program ends with its wrapper.
      const wrapped = { ...bare, leadsGroup: true, parentDeathSignal: 9 };
      expect(byEnv).toEqual(wrapped);
      // The region is a page of the program's that is never swapped. A filter announces each
      // execve.
      expect(byInject).toEqual({ ...wrapped, VmLck: "4 kB", Seccomp: "2" });
    });
  }

  async function stateAfter(launch: Launch): Promise<object> {
    // As long as the others', for the environment block to have one size.
    const stateFile = at(`state-${crypto.randomUUID()}`);
    writeFileSync(stateFile, "");
    const more = launch.instead === undefined ? environment : {};
    const { exitCode, stderr } = await runWrapper({
      ...launch,
      environment: { ...more, STATE_FILE: stateFile },
    });
    expect(exitCode, stderr).toBe(0);
    const state: unknown = JSON.parse(readFileSync(stateFile, "utf8"));
    if (typeof state !== "object" || state === null)
      throw new TypeError("the state is not an object");
    return state;
  }
});
