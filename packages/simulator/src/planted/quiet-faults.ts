import type { PlantedFault } from "./planted-fault.ts";

const processes = "wrapper/src/processes";
const courier = "wrapper/src/courier";

/** Faults with which the program runs all the same: only a story, or its surroundings, show them. */
export const quietFaults: readonly PlantedFault[] = [
  // The program's surroundings, causes that are named, and secrets that are leased.
  {
    name: "signals that were ignored are not ignored by the program",
    file: `${courier}/become-program.ts`,
    from: "for (const signal of ignored) setIgnored(signal, true);",
    to: "void ignored;",
  },
  {
    name: "descriptors that were inherited do not reach the program",
    file: `${courier}/become-program.ts`,
    from: "for (const fd of jobMessage.inheritedFds) setCloseOnExec(fd, false);",
    to: "",
  },
  {
    name: "the terminal stays with the group of the program",
    file: `${processes}/terminal-control.ts`,
    from: "if (foregroundGroup(fd) === programGroup) setForegroundGroup(fd, ours);",
    to: "",
  },
  {
    name: "a limit of processes is a call that was refused",
    file: `${processes}/start-courier.ts`,
    from: 'error.code !== "EAGAIN"',
    to: 'error.code === "EAGAIN"',
  },
  {
    name: "the digests of values are made with a key of zeroes",
    file: `${processes}/take-token.ts`,
    from: "crypto.getRandomValues(mapping.bytes.subarray(0, digestKeyLength));",
    to: "",
  },
  {
    name: "a lease near its longest life is renewed for ever",
    file: `${courier}/renew-leases.ts`,
    from: "if (ttlMs >= durationMs * LEAST_PART) {",
    to: "if (ttlMs >= 0) {",
  },
  {
    name: "the wrapper outlives its parent",
    file: "wrapper/src/lifecycle/end-with-parent.ts",
    from: "    sendSignal(processId(), SIGTERM);\n",
    to: "",
  },
];
