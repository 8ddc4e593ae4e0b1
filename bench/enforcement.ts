/**
 * The agent's cost for harmless calls, by the kernel's way of refusing: `bun bench/enforcement.ts
 * [KERNEL …]`. In guests under emulation, so only ratios mean something.
 */
import { join } from "node:path";
import { argv, stdout } from "node:process";
import { attackProgram } from "@svc/testing";
import { ensureGuestTools } from "../e2e/kernels/ensure-guest-tools.ts";
import { guestImages } from "../e2e/kernels/guest-images.ts";
import { guestKernels } from "../e2e/kernels/guest-kernels.ts";
import { runInGuest } from "../e2e/kernels/run-in-guest.ts";
import { buildBpf } from "../scripts/build/bpf.ts";
import type { Costs } from "./enforcement/measure-in-guest.ts";

const names = argv.slice(2);
const wanted = names.length > 0 ? names : ["debian-6.12", "debian-6.12-without-bpf", "override"];
const guests = guestKernels.filter(({ name }) => wanted.includes(name));
const program = join(import.meta.dirname, "enforcement/measure-in-guest.ts");

ensureGuestTools();
attackProgram(process.env);
buildBpf(join(import.meta.dirname, ".."));
const images = await guestImages(guests.map(({ image }) => image));
stdout.write(
  "| kernel | call | without, ns | looks, × | refuses, × |\n| --- | --- | --: | --: | --: |\n",
);
for (const { name, image, settings } of guests) {
  const found = images.get(image);
  if (found === undefined) throw new TypeError(`there is no kernel of ${image}`);
  // Our own program's words.
  const costs = (await runInGuest({ image: found, settings, program })) as Costs;
  for (const [call, { nothing = 0, looks = 0, refuses = 0 }] of Object.entries(costs)) {
    const ratios = [looks, refuses].map((cost) => (cost / nothing).toFixed(2));
    stdout.write(`| ${name} | ${call} | ${nothing} | ${ratios.join(" | ")} |\n`);
  }
}
