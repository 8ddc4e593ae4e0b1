// Sets the control that its argument names and prints prctl(2)'s later value.
import { ptr } from "bun:ffi";
import { readFileSync } from "node:fs";
import { libc } from "#native";
import {
  adoptOrphans,
  forbidDumps,
  isDumpable,
  parentPid,
  setParentDeathSignal,
  setProcessName,
} from "../src/index.ts";

const PR_GET_PDEATHSIG = 2;
const PR_GET_CHILD_SUBREAPER = 37;

const controls: Readonly<Record<string, () => void>> = {
  forbidDumps,
  adoptOrphans,
  setProcessName: () => setProcessName("a-name"),
  setParentDeathSignal: () => setParentDeathSignal(9),
  clearParentDeathSignal: () => {
    setParentDeathSignal(9);
    setParentDeathSignal(0);
  },
};

controls[process.argv[2] ?? ""]?.();
process.stdout.write(
  JSON.stringify({
    dumpable: isDumpable(),
    subreaper: readInto(PR_GET_CHILD_SUBREAPER),
    parentDeathSignal: readInto(PR_GET_PDEATHSIG),
    parent: parentPid(),
    name: readFileSync("/proc/self/comm", "utf8").trim(),
  }),
);

function readInto(option: number): number | undefined {
  const value = new Int32Array(1);
  libc.prctl(option, ptr(value), 0, 0, 0);
  return value[0];
}
