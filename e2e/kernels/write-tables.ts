/**
 * Boots the kernels and writes their golden tables: `bun e2e/kernels/write-tables.ts [NAME …]`.
 * Read each changed row, and agree to it before you commit it.
 */
import { writeFileSync } from "node:fs";
import { argv, stdout } from "node:process";
import { guestKernels } from "./guest-kernels.ts";
import { tableOf, tablePath } from "./kernel-table.ts";
import { runGuests } from "./run-guests.ts";

const names = argv.slice(2);
const wanted = guestKernels.filter(({ name }) => names.length === 0 || names.includes(name));

await runGuests(wanted, (name, results) => {
  writeFileSync(tablePath(name), `${JSON.stringify(tableOf(results), undefined, 2)}\n`);
  stdout.write(`wrote ${tablePath(name)}: ${JSON.stringify(results.seconds)}\n`);
});
const { exitCode } = Bun.spawnSync([
  "node_modules/.bin/biome",
  "format",
  "--write",
  import.meta.dirname,
]);
if (exitCode !== 0) throw new TypeError("format the tables");
