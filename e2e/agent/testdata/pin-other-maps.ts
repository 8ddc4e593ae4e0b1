/**
 * Pins maps as an agent whose maps are of another shape would leave them: `bun e2e/agent/testdata/pin-other-maps.ts OBJECT FOLDER`.
 * They outlive it.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { BpfObject } from "@svc/kernel";

const [, , object = "", folder = ""] = argv;
mkdirSync(folder, { recursive: true, mode: 0o700 });
const mapPins = Object.fromEntries(["agent", "regions"].map((name) => [name, join(folder, name)]));
BpfObject.load(readFileSync(object), {
  programs: [],
  mapPins,
  mapEntries: { regions: 16 },
}).close();
