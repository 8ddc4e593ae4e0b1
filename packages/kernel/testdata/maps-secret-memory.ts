// Sizes and maps memory of the kind and length that its arguments name, and says how that went and
// how many mappings of it are left after a failure.
import { readFileSync } from "node:fs";
import { createPlainMemory, createSecretMemory, SyscallError, sizeAndMap } from "../src/index.ts";

const [kind, length] = process.argv.slice(2);
const memory = kind === "memfd" ? createPlainMemory("secret") : createSecretMemory();
const outcome = attempt();
const maps = readFileSync("/proc/self/maps", "latin1");
const leaked = maps.split("\n").filter((line) => /secretmem|memfd:secret/.test(line)).length;
process.stdout.write(JSON.stringify({ outcome, leaked }));

function attempt(): string {
  try {
    sizeAndMap(memory, Number(length)).unmap();
    return "mapped";
  } catch (error) {
    if (error instanceof SyscallError) return error.message;
    throw error;
  }
}
