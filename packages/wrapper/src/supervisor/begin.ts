import { type Arrival, arrive } from "./arrival.ts";
import { type CommandLine, cutCommandLine } from "./command-line.ts";
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
  const courier = startCourier(arrival, regions, commandLine.programWords);
  return { arrival, regions, tokenLength, commandLine, courier };
}
