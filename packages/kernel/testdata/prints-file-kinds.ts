// Prints the kinds of its arguments' targets.
import { fileKind } from "../src/index.ts";

const kinds = process.argv.slice(2).map((path) => fileKind(new TextEncoder().encode(path)));
process.stdout.write(JSON.stringify(kinds));
