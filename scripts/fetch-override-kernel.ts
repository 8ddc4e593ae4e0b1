/**
 * Compiles the kernel whose kprobes refuse, for the guests that the agent is shown in, and prints
 * its path: `bun scripts/fetch-override-kernel.ts`. Says on standard error how far it is.
 */
import { env, stderr, stdout } from "node:process";
import { overrideKernel } from "../e2e/kernels/override-kernel.ts";
import { cacheFolder } from "../packages/testing/src/tools.ts";

const say = (line: string): void => void stderr.write(`fetch-override-kernel: ${line}\n`);
const { image } = await overrideKernel(cacheFolder(env), say);
stdout.write(`${image}\n`);
