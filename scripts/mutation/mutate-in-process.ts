/** Loaded before everything else into each process of unit tests: changes one file. */
import { join } from "node:path";
import process from "node:process";
import { plugin } from "bun";
import { mutantPlugin } from "./mutant-plugin.ts";

const text = process.env["SVC_MUTANT"];
// A process without it gives no result, and an error is taken for one.
if (text !== undefined) plugin(mutantPlugin(join(import.meta.dirname, "../.."), JSON.parse(text)));
