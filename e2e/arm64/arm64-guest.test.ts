import { describe, expect, test } from "bun:test";
import { canary } from "@svc/testing";
import { ensureGuestTools } from "../harness/guests/ensure-guest-tools.ts";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { type ShownDelivery, shownDelivery } from "../harness/wrapper/shown-delivery.ts";
import type { GuestEnded } from "./guest-script.ts";
import {
  commandOf,
  direct,
  ends,
  explained,
  launched,
  library,
  libraryTests,
  preloaded,
  refused,
  type Story,
  settingScope,
  underYama,
} from "./guest-stories.ts";
import { runInGuest } from "./run-in-guest.ts";

const password = canary();

ensureGuestTools();
const stories = [library, ...[direct, launched, preloaded, refused, ends].flatMap(Object.values)];
const yamaCommands = underYama.flatMap((story) => [settingScope(story.scope), commandOf(story)]);
// These come last: the kernel never lifts their restrictions again.
const commands = [
  ...stories.map(commandOf),
  libraryTests,
  ...Object.values(explained),
  ...yamaCommands,
];
const { machine, ended } = await runInGuest(commands, {
  "app/secrets.json": JSON.stringify({ DB_PASSWORD: password }),
});
process.stdout.write(`${machine}\n`);

describe("on an arm64 kernel, inject delivers to", () => {
  for (const [name, story] of Object.entries(direct)) {
    test(name, () => {
      const { exitCode, stdout, stderr } = endOf(story);
      const shown = shownDelivery(stdout, stderr);
      expect(exitCode).toBe(7);
      expectDelivered(shown, story.isTraced);
      expect(shown.block).toContain("DB_PASSWORD=svc:protected");
      expect(stderr).toContain(`"memory":"${story.memory ?? "memfd_secret"}"`);
    });
  }
});

describe("on an arm64 kernel, inject delivers to a program", () => {
  for (const [name, story] of Object.entries(launched)) {
    test(name, () => {
      const { exitCode, stdout, stderr } = endOf(story);
      const shown = shownDelivery(stdout, stderr);
      expect(exitCode).toBe(story.exitCode ?? 7);
      expectDelivered(shown);
    });
  }
});

describe("on an arm64 kernel, preload delivers to", () => {
  for (const [name, story] of Object.entries(preloaded)) {
    test(name, () => {
      const { exitCode, stdout, stderr } = endOf(story);
      const shown = shownDelivery(stdout, stderr);
      expect(exitCode).toBe(7);
      expectDelivered(shown);
      expect(stderr).toContain("deliver by preload");
    });
  }
});

describe("on an arm64 kernel, inject refuses", () => {
  for (const [name, story] of Object.entries(refused)) {
    test(name, () => {
      const { exitCode, stdout, stderr } = endOf(story);
      expect(exitCode, stderr).toBe(125);
      expect(stderr).toContain("DELIVERY_IMPOSSIBLE");
      expect(stderr).toContain(story.why);
      expect(stdout.toString()).toBe("");
    });
  }
});

test("on an arm64 kernel, the Go library delivers", () => {
  const { exitCode, stdout, stderr } = endOf(library);
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain("deliver by library");
  expect(stdout.toString()).toBe(`DB_PASSWORD=${password}\n"" false\n`);
});

test("on an arm64 kernel, the Go library's own tests pass", () => {
  const { exitCode, stdout, stderr } = resultOf(commands.indexOf(libraryTests));
  expect(exitCode, stdout.toString() + stderr).toBe(0);
  expect(stdout.toString()).toContain("--- PASS: TestACopyThatTheWriterOvertakesIsNotTaken");
});

describe("on an arm64 kernel, auto goes by kernel.yama.ptrace_scope:", () => {
  for (const [index, { scope, says, startsAs, program }] of underYama.entries()) {
    test(`${scope}, ${startsAs === undefined ? "root" : "a user"}, ${program[0]}`, () => {
      const command = yamaCommands[2 * index + 1];
      if (command === undefined) throw new TypeError("every story has a command");
      const { stdout, stderr } = resultOf(commands.indexOf(command));
      expect(stderr).toContain(says);
      expect(shownDelivery(stdout, stderr).variables.get("DB_PASSWORD")).toBe(password);
    });
  }
});

describe("on an arm64 kernel, the wrapper ends with", () => {
  for (const [name, story] of Object.entries(ends)) {
    test(name, () => {
      const { exitCode, stderr } = endOf(story);
      expect(exitCode, stderr).toBe(story.exitCode ?? 0);
    });
  }
});

describe("on an arm64 kernel, --explain begins with", () => {
  for (const [beginning, command] of Object.entries(explained)) {
    test(beginning, () => {
      const { stdout, stderr } = resultOf(commands.indexOf(command));
      expect(stdout.toString(), stderr).toStartWith(beginning);
    });
  }
});

/** @param isTraced true if everything is traced, and hands the descriptor on. */
function expectDelivered(shown: ShownDelivery, isTraced = false): void {
  expect(shown.variables.get("DB_PASSWORD")).toBe(password);
  expect(leaksIn(shown.block.join("\n"), [password])).toEqual([]);
  const handed = shown.descriptors.filter((target) => target.includes("secretmem"));
  expect(handed).toHaveLength(isTraced ? 1 : 0);
  expect(shown.descriptors).toEqual(handed);
  const own = [...shown.variables.keys()].filter((key) => /^(SVC|VAULT)_/.test(key));
  expect(own).toEqual(isTraced ? ["SVC_SECRET_FD"] : []);
}

function endOf(story: Story): GuestEnded {
  return resultOf(stories.indexOf(story));
}

function resultOf(index: number): GuestEnded {
  const result = ended[index];
  if (result === undefined) throw new TypeError(`the guest has not run command ${index}`);
  return result;
}
