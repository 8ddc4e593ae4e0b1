// Becomes another fixture: its name, its environment and its
// arguments as lists of hex. Bytes that no test runner could pass on reach it that way.
import { cString, execProgram, stringVector } from "../src/index.ts";
import { fixtureCommand } from "./run-fixture.ts";

const [name = "", entries = "[]", words = "[]"] = process.argv.slice(2);
const command = fixtureCommand(name).map((word) => new TextEncoder().encode(word));
const argv = [...command, ...hexList(words)];
const [program] = command;
if (program !== undefined) {
  execProgram(
    program,
    stringVector(argv.map(cString)),
    stringVector(hexList(entries).map(cString)),
  );
}

function hexList(json: string): readonly Uint8Array[] {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list.map((item) => Buffer.from(String(item), "hex")) : [];
}
