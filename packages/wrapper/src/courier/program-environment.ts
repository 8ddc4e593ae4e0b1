import { cString, type EnvironmentEntry, processId, valueBytes, valueText } from "@svc/kernel";
import { placeholderValue } from "@svc/protocol";
import { deliveryTraits } from "../program/delivery-traits.ts";
import { interposerPath } from "../program/find-delivery.ts";
import { followingTraits } from "../program/following-traits.ts";
// Not through settings.ts: the courier has no use for the tables, and loading them takes time.
import { isWrapperVariable } from "../settings/wrapper-variable.ts";
import type { ReadyDelivery } from "./delivery.ts";

/** The environment that execve gets. */
export interface ProgramEnvironment {
  /**
   * Entries of ours are C strings; the others are addresses of C strings, secrets in the region.
   */
  readonly entries: readonly (Uint8Array | number)[];
  /** The index of the first secret, or of the first placeholder; the others follow it. */
  readonly firstSecret: number;
  /** The names of the wrapper's own variables that the program does not get. */
  readonly removed: readonly string[];
}

const COLON = 0x3a;

/**
 * The program's own entries, unchanged at the kernel's addresses, without the wrapper's
 * variables; then the additions of the chosen delivery.
 */
export function programEnvironment(ready: ReadyDelivery): ProgramEnvironment {
  const { choice, environment, region, variables } = ready;
  const traits = deliveryTraits[choice.delivery];
  const paths = pathsOfFiles(ready);
  const replaced = new Set([
    ...(traits.variables === "absent" ? [] : variables),
    ...paths.map(({ variable }) => variable),
  ]);
  if (traits.isInterposed) replaced.add(preloadVariable);
  const kept = environment
    .filter((entry) => !replaced.has(entry.name) && isForProgram(entry, ready))
    .map((entry) => keep(entry, ready.jobMessage.supervisorPid));
  const own = [
    ...kept,
    ...paths.map(({ variable, path }) => cString(`${variable}=${path}`)),
    ...(traits.isInterposed ? [preloadEntry(ready)] : []),
  ];
  const { staysTraced } = followingTraits[choice.follow];
  const hands = variables.length > 0 && (traits.isOpened || traits.isInterposed || staysTraced);
  return {
    entries: [
      ...own,
      ...secretEntries(ready),
      ...(hands ? [cString(`SVC_SECRET_FD=${region.fd}`)] : []),
    ],
    firstSecret: own.length,
    removed: environment
      .filter((entry) => !isForProgram(entry, ready))
      .map(({ name, writtenAs = name }) => writtenAs),
  };
}

/** `#env=VARIABLE` of SVC_FILE_MAP. */
function pathsOfFiles({ jobMessage, passedFiles }: ReadyDelivery) {
  if (passedFiles !== undefined) return passedFiles;
  const files = jobMessage.settings.secrets.sources.flatMap((source) => source.files ?? []);
  return files.flatMap(({ variable, path }) =>
    variable === undefined ? [] : [{ variable, path }],
  );
}

const preloadVariable = "LD_PRELOAD";

function isForProgram(
  { name, writtenAs = name }: EnvironmentEntry,
  { jobMessage }: ReadyDelivery,
): boolean {
  return !isWrapperVariable(name) || jobMessage.settings.passEnv.includes(writtenAs);
}

function secretEntries({
  choice,
  region,
  variables,
}: ReadyDelivery): readonly (Uint8Array | number)[] {
  switch (deliveryTraits[choice.delivery].variables) {
    case "absent":
      return [];
    case "values":
      return region.addresses;
    case "placeholders":
      return variables.map((variable) => cString(`${variable}=${placeholderValue}`));
  }
}

/** The interposer first; the program's own libraries stay. */
function preloadEntry({ environment }: ReadyDelivery): Uint8Array {
  const ours = new TextEncoder().encode(`${preloadVariable}=${interposerPath()}`);
  const entry = environment.find(({ name }) => name === preloadVariable);
  const theirs = entry === undefined ? new Uint8Array(0) : valueBytes(entry);
  if (theirs.length === 0) return cString(ours);
  return cString(Uint8Array.from([...ours, COLON, ...theirs]));
}

/** Descriptors that systemd passed on are meant for the process that LISTEN_PID names. */
function keep(entry: EnvironmentEntry, supervisorPid: number): Uint8Array | number {
  if (entry.name !== "LISTEN_PID" || valueText(entry) !== String(supervisorPid)) {
    return entry.address;
  }
  return cString(`LISTEN_PID=${processId()}`);
}
