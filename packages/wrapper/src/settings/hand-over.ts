import { SIGHUP } from "@svc/kernel";
import { complain, type RotationMode } from "@svc/settings";
import { isGiven, labelOf, type Reading, type WrapperKey } from "./reading.ts";
import { wrapperVariables } from "./variables.ts";

/** Settings that need a wrapper beside the program, and the value that does not. */
const needSupervisor: readonly (readonly [WrapperKey, isFree: (value: unknown) => boolean])[] = [
  ["rotationMode", (value) => value === "none"],
  ["restartPolicy", (value) => value === "never"],
  ["delivery", (value) => value !== "inject"],
  ["follow", (value) => value === "auto" || value === "off"],
  ["agentAddress", () => false],
  ["agentNodeIp", () => false],
  ["requireAgent", (value) => value === false],
];

/** Complains about each setting that a wrapper cannot keep once it has become the program. */
export function checkHandOver(reading: Reading): void {
  if (reading.values.supervise !== "never") return;
  for (const [key, isFree] of needSupervisor) {
    const { name } = wrapperVariables[key];
    const value: unknown = reading.values[key];
    if (!isGiven(reading, key) || value === undefined || isFree(value)) continue;
    const label = labelOf(reading, key, name);
    complain(reading, {
      variable: label,
      wanted: "left out if SVC_SUPERVISE is never",
      found: "it needs the wrapper beside the program",
    });
  }
}

/**
 * A wrapper that becomes the program looks for no changes. Files can be read again without a restart:
 * if there is nothing else, the program is told by SIGHUP, unless that asks it to end. Descriptors cannot
 * be replaced in it.
 */
export function readRotation(reading: Reading, onlyFiles: boolean): RotationMode {
  const { supervise, rotationMode, stopSignal, fileMap = [] } = reading.values;
  if (supervise === "never") return "none";
  const isChosen = isGiven(reading, "rotationMode") || stopSignal === SIGHUP;
  const isFixed = fileMap.flat().some(({ anyPath }) => anyPath);
  return onlyFiles && !isChosen && !isFixed ? "sighup" : rotationMode;
}
