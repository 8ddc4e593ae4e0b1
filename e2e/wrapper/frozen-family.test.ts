import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@svc/testing";
import { type PlacedCgroup, placedCgroup } from "../harness/agent/pod-cgroup.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import {
  changingStore,
  healthAddress,
  linesOf,
  logs,
  recorder,
  setLifecycleStage,
} from "../harness/wrapper/lifecycle-stage.ts";
import { startWrapper, wrapperPath } from "../harness/wrapper/wrapper-process.ts";
import { stallingVault } from "./stalling-vault.ts";

// `docker pause` and snapshots freeze a whole family, and thaw it much later. Its stages have their
// times then as before, and the host ends none of them for the time that was lost.

setLifecycleStage();
const TIMEOUT_MS = 120_000;
const SIGTERM = 15;
const listen = process.arch === "arm64" ? 201 : 50;

/** Freezes a family for that time; cgroup.freeze of cgroups(7). */
async function freezeFor({ path }: PlacedCgroup, ms: number): Promise<void> {
  const write = (text: string) => writeFileSync(join(path, "cgroup.freeze"), text);
  write("1");
  await Bun.sleep(ms);
  write("0");
}

test(
  "a program goes on that was frozen for longer than a rotation may take",
  async () => {
    await using changing = changingStore();
    await using vault = stallingVault(changing.store.address, { path: "/never", after: () => 0 });
    await using cgroup = placedCgroup(["svc-e2e-frozen-rotation"]);
    await using wrapper = await startWrapper({
      instead: cgroup.wrapper("--", recorder),
      environment: {
        ...{ ...changing.environment, VAULT_ADDR: vault.address, SVC_DELIVERY: "env" },
        // A rotation may take 1 s, two steps of 4 s each, and 3 s.
        ...{ SVC_START_DEADLINE: "3s", SVC_STOP_GRACE: "1s", SVC_ROTATION_DEBOUNCE: "0s" },
      },
    });
    await wrapper.prints(`start ${changing.value()}`);
    const address = await healthAddress(wrapper);
    // The check reads the new value, and then the rotation does: that answer stands still.
    let reads = 0;
    vault.stallAt({
      path: "/v1/secret/data/app",
      after: (answer) => (++reads === 1 ? answer.length : 0),
    });
    const next = await changing.change();
    const rotates = async () => {
      const text = await (await fetch(`${address}/v1/check`)).text();
      return reads > 1 && text.includes("the program gets new values");
    };
    await waitFor(rotates, { deadlineMs: 30_000, what: "the rotation to fetch" });
    await freezeFor(cgroup, 15_000);
    await logs(wrapper, "the program keeps its values");
    expect(linesOf(wrapper)).toHaveLength(1);
    vault.goOn();
    await wrapper.prints(`start ${next}`);
    wrapper.kill(SIGTERM);
    const { exitCode, stderr } = await wrapper.ended;
    expect(exitCode, stderr).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  "a start that stands still ends also if it was frozen meanwhile",
  async () => {
    await using changing = changingStore();
    await using cgroup = placedCgroup(["svc-e2e-frozen-start"]);
    const words = [String(listen), wrapperPath, "--", "/bin/sleep", "600"];
    await using wrapper = await startWrapper({
      instead: cgroup.command(fixture("stands-still-at"), ...words),
      environment: {
        ...{ ...changing.environment, SVC_DELIVERY: "env" },
        ...{ SVC_START_DEADLINE: "1s", SVC_STOP_GRACE: "1s" },
      },
    });
    // The host watches from its first second on.
    await Bun.sleep(1500);
    await freezeFor(cgroup, 8000);
    const { exitCode, stderr } = await wrapper.ended;
    expect(exitCode, stderr).toBe(125);
    expect(stderr).toContain("the start deadline is over, and the wrapper stands still");
  },
  TIMEOUT_MS,
);
