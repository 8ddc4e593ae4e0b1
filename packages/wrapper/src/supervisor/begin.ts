import { type Arrival, arrive } from "./arrival.ts";
import { type CommandLine, cutCommandLine } from "./command-line.ts";
import { earlySetting } from "./early-setting.ts";
import { openRegions, type Regions } from "./regions.ts";
import { type Courier, startCourier } from "./start-courier.ts";
import { takeToken } from "./take-token.ts";

/** What the supervisor has once the courier is on its way. */
export interface Beginning {
  readonly arrival: Arrival;
  readonly regions: Regions;
  readonly tokenLength: number;
  readonly commandLine: CommandLine;
  readonly courier: Courier;
}

/**
 * The supervisor's first steps, up to the courier's start. Kept apart from the rest, which is
 * loaded while the courier boots.
 */
export function begin(words: readonly Uint8Array[]): Beginning {
  const arrival = arrive();
  const regions = openRegions();
  const tokenLength = takeToken(arrival.environment, regions.token);
  const commandLine = cutCommandLine(words);
  const courier = startCourier(arrival, regions, {
    programWords: commandLine.programWords,
    mayTrace: mayTrace(commandLine, arrival),
  });
  return { arrival, regions, tokenLength, commandLine, courier };
}

/** A seccomp filter may kill for ptrace: whoever chose another delivery never gets to it. */
function mayTrace({ flags }: CommandLine, { environment }: Arrival): boolean {
  const name = { flag: "--delivery", variable: "SVC_DELIVERY" };
  const asked = earlySetting({ flags, environment }, name);
  return asked === undefined || asked === "auto" || asked === "inject";
}
