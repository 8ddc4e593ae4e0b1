import { readFileSync } from "node:fs";
import { loadPrograms } from "../src/bpf/load-programs.ts";

// Loads programs of the object at a path, and prints their names and the reasons for the others.
const [path = "", ...programs] = process.argv.slice(2);
const { object, attached, refused } = loadPrograms(new Uint8Array(readFileSync(path)), {
  programs,
});
const reasons = refused.map(({ program, error }) => `, ${program}: ${error.message}`);
process.stdout.write(`loaded: ${attached.join(" ")}${reasons.join("")}`);
object.close();
