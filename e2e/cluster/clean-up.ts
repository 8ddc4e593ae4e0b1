/**
 * Waits until the other end of its standard input is closed, then removes the remains of a
 * cluster: `bun clean-up.ts NAME`. So a cluster is removed whether its supervisor has ended or was
 * killed.
 */
import { removeRemains } from "./remove-remains.ts";

await Bun.stdin.text();
await removeRemains(process.argv[2] ?? "");
