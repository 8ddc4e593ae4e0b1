import { describe, expect, test } from "bun:test";
import { nextStep, type Step, withNeeds } from "./schedule.ts";
import { plans, steps } from "./steps.ts";

const step = (name: string, more: Partial<Step> = {}): Step => ({ name, command: [name], ...more });
const build = step("build", { busy: 2 });
const unit = step("unit");
const story = step("story", { needs: ["build"], busy: 0.5 });
const guest = step("guest", { alone: true });
const quiet = step("quiet", { quiet: true });
const inGuest = step("in guest", { alone: true, inGuest: true });
const beside = step("beside", { alone: true, besideGuests: true });

describe("the next step", () => {
  const rows: readonly (readonly [
    when: string,
    waiting: readonly Step[],
    running: readonly Step[],
    done: readonly string[],
    name: string | undefined,
  ])[] = [
    ["is the first", [build, unit], [], [], "build"],
    ["is one for which there is room", [build, unit], [unit], [], "unit"],
    ["waits if there is no room", [unit], [build], [], undefined],
    ["waits for its needs", [story], [], [], undefined],
    ["goes on when its needs are done", [story], [unit], ["build"], "story"],
    ["passes over one that waits", [story, unit], [], [], "unit"],
    ["is not one that wants to be alone beside another", [guest, unit], [unit], [], "unit"],
    ["is one that wants to be alone when nothing runs", [guest, unit], [], [], "guest"],
    ["waits while one is alone", [unit], [guest], [], undefined],
    ["is a quiet one beside one that is alone", [unit, quiet], [guest], [], "quiet"],
    ["is one that wants to be alone beside a quiet one", [guest], [quiet], [], "guest"],
    ["waits while two want to be alone", [guest], [step("other", { alone: true })], [], undefined],
    ["is one in a guest beside another one in a guest", [inGuest], [inGuest], [], "in guest"],
    ["is one in a guest beside one that allows it", [inGuest], [beside], [], "in guest"],
    ["is one that allows it beside one in a guest", [beside], [inGuest], [], "beside"],
    ["waits while another one allows guests", [beside], [beside], [], undefined],
    ["is not one in a guest beside one that is alone", [inGuest], [guest], [], undefined],
    ["is not an ordinary one beside one in a guest", [unit], [inGuest], [], undefined],
    [
      "is one that is larger than the machine, by itself",
      [step("huge", { busy: 9 })],
      [],
      [],
      "huge",
    ],
    ["ends when nothing waits", [], [], ["build"], undefined],
  ];
  for (const [when, waiting, running, done, name] of rows) {
    test(when, () => {
      expect(nextStep({ waiting, running, done: new Set(done) }, 2)?.name).toBe(name);
    });
  }
});

describe("the steps of a plan", () => {
  test("come with their needs, each once, in the order of the table", () => {
    const table = [build, unit, step("image", { needs: ["build"] }), story];
    const names = withNeeds(["story", "image"], table).map(({ name }) => name);
    expect(names).toEqual(["build", "image", "story"]);
    expect(() => withNeeds(["stories"], table)).toThrow('there is none called "stories"');
  });

  for (const [plan, names] of Object.entries(plans)) {
    test(`${plan} can run to its end`, () => {
      const all = withNeeds(names, steps);
      const done = new Set<string>();
      for (const _ of all) {
        const waiting = all.filter(({ name }) => !done.has(name));
        const next = nextStep({ waiting, running: [], done }, 2);
        expect(waiting.map(({ name }) => name)).toContain(next?.name ?? "none");
        done.add(next?.name ?? "");
      }
    });
  }

  test("show their output at the end if their tests are counted in it", () => {
    const counted = steps.filter(({ totals, live }) => totals !== undefined && live);
    expect(counted.map(({ name }) => name)).toEqual([]);
  });

  test("have different names", () => {
    expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length);
  });
});
