import { libc } from "svc:engine";
import { onlyBun } from "./needs-bun.ts";

// Functions of libc that only the kernel agent calls, on Bun: the engine's host does not bind them.
const names = ["accept4", "bind", "listen"];

const table = libc as Record<string, unknown>;
for (const name of names) table[name] ??= onlyBun(`${name} of libc`);
