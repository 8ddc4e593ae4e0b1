import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import { type Launch, runWrapper } from "../harness/wrapper/wrapper-process.ts";

const { environment, password, at } = setStage();
const svc = join(import.meta.dirname, "../../dist/bin/svc");

const signals = { HUP: 1, INT: 2, PIPE: 13, TERM: 15, CHLD: 17 } as const;
const dispositions = { ignored: "-i", blocked: "-b" } as const;
const deliveries = {
  auto: {},
  inject: { SVC_DELIVERY: "inject" },
  "inject, traced for life": { SVC_DELIVERY: "inject", SVC_FOLLOW: "trace" },
  "inject, children left alone": { SVC_DELIVERY: "inject", SVC_FOLLOW: "off" },
  preload: { SVC_DELIVERY: "preload" },
  env: { SVC_DELIVERY: "env" },
  library: { SVC_DELIVERY: "library" },
} as const;
const reads = [
  "/bin/sh",
  "-c",
  "grep -E '^Sig(Blk|Ign):' /proc/self/status; echo \"$DB_PASSWORD\"",
];

// sudo and cron have started programs with SIGCHLD ignored (sudo's issue 98).
for (const [what, option] of Object.entries(dispositions)) {
  for (const [name, number] of Object.entries(signals)) {
    describe(`a parent with SIG${name} ${what}`, () => {
      const startsAs = [option, String(number)];
      for (const [delivery, settings] of Object.entries(deliveries)) {
        test.concurrent(`by ${delivery}: the program has it so, and the wrapper ends`, async () => {
          const bare = await linesOf({ startsAs, instead: reads });
          const [blocked, ignored, value] = await linesOf({
            startsAs,
            program: reads,
            environment: { ...environment, ...settings },
          });
          expect([blocked, ignored]).toEqual(bare.slice(0, 2));
          // The shell does not open the region.
          expect(value).toBe(delivery === "library" ? "" : password);
        });
      }
    });
  }
}

test.concurrent("a program that is started again has SIGCHLD ignored, too", async () => {
  const script = 'grep ^SigIgn: /proc/self/status; [ -e "$0" ] && exit 0; touch "$0"; exit 1';
  const { exitCode, stdout, stderr } = await runWrapper({
    startsAs: ["-i", String(signals.CHLD)],
    program: ["/bin/sh", "-c", script, at("was-here")],
    environment: { ...environment, SVC_RESTART: "on-failure" },
  });
  expect(exitCode, stderr).toBe(0);
  const [first, second] = stdout.toString().split("\n");
  expect([first, second]).toEqual([expect.stringContaining("SigIgn:"), first]);
});

test.concurrent("svc dev runs a program although SIGCHLD is ignored", async () => {
  writeFileSync(at("secrets.env"), "KEY=value\n");
  const { exitCode, stderr } = await runWrapper({
    startsAs: ["-i", String(signals.CHLD)],
    instead: [svc, "dev", "--secrets", at("secrets.env"), "--", fixture("exits-with"), "7"],
  });
  expect(exitCode, stderr).toBe(7);
});

async function linesOf(launch: Launch): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await runWrapper(launch);
  expect(exitCode, stderr).toBe(0);
  return stdout.toString().split("\n");
}
