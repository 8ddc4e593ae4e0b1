import { signals } from "../machine/signals.ts";
import { PROGRAM } from "../world/start-wrapper.ts";
import type { Invariant } from "./invariant.ts";

/** The promises about the program's surroundings. */
export const surroundingsInvariants: readonly Invariant[] = [
  {
    name: "same surroundings",
    promise: "The program finds the signals, descriptors and limits that the wrapper has found.",
    broken({ scenario: { arrival }, starts }) {
      const found = starts.at(-1)?.found;
      if (arrival === undefined || found === undefined) return undefined;
      const given = { words: [PROGRAM], ...arrival };
      for (const name of ["words", "ignored", "blocked", "fds", "descriptorLimit"] as const) {
        const [here, there] = [JSON.stringify(found[name]), JSON.stringify(given[name])];
        if (here !== there) return `its ${name} are ${here}, and the wrapper's are ${there}`;
      }
      return undefined;
    },
  },
  {
    name: "same environment",
    promise: "The program has the wrapper's other variables and its secrets, and nothing else.",
    broken({ starts, scenario: { story } }) {
      const environment = starts.at(-1)?.environment;
      // A story names all variables.
      if (environment === undefined || story !== undefined) return undefined;
      const names = [...environment.keys()].sort().join(" ");
      if (names !== NAMES) return `it has ${names}`;
      return environment.get("PATH") === "/bin" ? undefined : "PATH is another one";
    },
  },
  {
    name: "a program without a supervisor",
    promise:
      "A program that the wrapper becomes adopts no orphans, and by default outlives its parent.",
    broken({ isHandedOver, starts, scenario: { endsWithParent = false } }) {
      const found = starts.at(-1)?.found;
      if (!isHandedOver || found === undefined) return undefined;
      if (found.isSubreaper) return "it adopts orphans";
      const wanted = endsWithParent ? signals.SIGTERM : 0;
      const { parentDeathSignal } = found;
      return parentDeathSignal === wanted ? undefined : `its parent's end is ${parentDeathSignal}`;
    },
  },
  {
    name: "random digest keys",
    promise: "The digests of values are made with a random key, which lies before the token.",
    atEnd: true,
    broken({ sessions }) {
      const found = sessions.find((bytes) =>
        bytes.subarray(0, KEY_BYTES).every((byte) => byte === 0),
      );
      return found && "a session's key is zero";
    },
  },
  {
    name: "no region in the supervisor",
    promise: "The supervisor maps no region once its first program has started.",
    broken({ wrapper, starts, isHandedOver }) {
      // One that becomes the program hands the values over.
      if (starts.length === 0 || isHandedOver) return undefined;
      const { sharedRanges } = wrapper.memory;
      return sharedRanges === 0 ? undefined : `it maps ${sharedRanges}`;
    },
  },
  {
    name: "no secret on its way",
    promise: "No call ever gives the supervisor a value, or a token for the vault or the operator.",
    broken({ secretInSupervisor, isHandedOver, scenario: { settings } }) {
      if (isHandedOver || settings["SVC_SUPERVISE"] === "never") return undefined;
      return secretInSupervisor && `it gets ${secretInSupervisor}`;
    },
  },
  {
    name: "no secret in the supervisor",
    promise: "The supervisor keeps no value and no token mapped, nor in its first stack.",
    atEnd: true,
    broken({ wrapper, starts, isHandedOver, scenario: { errand } }) {
      if (starts.length === 0 || isHandedOver || errand !== undefined) return undefined;
      const found = wrapper.memory.mapped.find((bytes) => CANARY.test(decoder.decode(bytes)));
      return found && `${found.length} bytes have one`;
    },
  },
];

/** The length of the digest key of a session. */
const KEY_BYTES = 32;
const CANARY = /(?:user|password|key|root-token|jwt)-canary/;
const decoder = new TextDecoder("latin1");
const NAMES = "API_KEY DB_PASSWORD DB_USER PATH";
