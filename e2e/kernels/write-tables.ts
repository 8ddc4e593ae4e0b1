/**
 * Boots the kernels and writes their golden tables: `bun e2e/kernels/write-tables.ts [NAME …]`.
 * Read each changed row, and agree to it before you commit it. If the table of a base changes, the
 * files of kernels that were not booted change, too: their tables stay the same.
 */
import { argv, stdout } from "node:process";
import { guestKernels } from "./guest-kernels.ts";
import { tableOf, writeGoldenTable } from "./kernel-table.ts";
import { runGuests } from "./run-guests.ts";

const names = argv.slice(2);
const wanted = guestKernels.filter(({ name }) => names.length === 0 || names.includes(name));

await runGuests(wanted, (name, results) => {
  writeGoldenTable(name, tableOf(results));
  stdout.write(`wrote golden/${name}.json: ${JSON.stringify(results.seconds)}\n`);
});
