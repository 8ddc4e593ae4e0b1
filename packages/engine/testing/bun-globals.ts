import { arch, pid } from "svc:engine";
import {
  effectiveUserId,
  environmentEntries,
  executablePath,
  pause,
  readLink,
  valueText,
} from "@svc/kernel";
import { onlyBun } from "./needs-bun.ts";
import { changeFolder } from "./system-calls.ts";

// The globals of Bun that test files use, under names that the runner puts in place of Bun's.

/** As far as the engine has the same, `Bun`. */
export const testBun = withRest("Bun", {
  sleep: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
  sleepSync: pause,
  get env() {
    return environment();
  },
});

/** As far as the engine has the same, `process`. */
export const testProcess = withRest("process", {
  arch,
  get pid() {
    return pid();
  },
  get execPath() {
    return executablePath();
  },
  get env() {
    return environment();
  },
  getuid: effectiveUserId,
  cwd: () => readLink("/proc/self/cwd"),
  chdir: changeFolder,
});

export { testBuffer } from "./buffer.ts";

function environment(): Readonly<Record<string, string>> {
  return Object.fromEntries(environmentEntries().map((entry) => [entry.name, valueText(entry)]));
}

/** HTTP is served, and asked for, by Bun in these tests. */
export const testResponse = onlyBun("Response");
Object.assign(globalThis, { fetch: onlyBun("fetch") });

/** Globals that the engine lacks are Bun's alone. */
function withRest(name: string, own: object): object {
  return new Proxy(own, {
    get: (target, member) => {
      if (member in target || typeof member === "symbol") return Reflect.get(target, member);
      return onlyBun(`${name}.${member}`);
    },
  });
}

Object.assign(Reflect.get(globalThis, "crypto"), {
  subtle: onlyBun("crypto.subtle"),
  randomUUID: () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  },
});
