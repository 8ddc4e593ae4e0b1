import { argumentVector } from "@svc/kernel";
import type { OnceCommand } from "./once-ready/run-once-ready.ts";

const [, ...words] = argumentVector();

// A byte order mark is a part of its word, which else could become another one.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// Each process loads only its own part, and the supervisor only its first steps before it forks the
// courier. All of this delays the program's start.
const first = decoder.decode(words[0]);
if (first === "--once-ready" || first === "--once-serving") void onceReady(first);
else if (first === "--install") void install();
else void supervisor();

async function onceReady(once: OnceCommand): Promise<void> {
  const { runOnceReady } = await import("./once-ready/run-once-ready.ts");
  await runOnceReady(once, words.slice(1));
}

async function install(): Promise<void> {
  const { runInstall } = await import("./install/run-install.ts");
  runInstall(words.slice(1));
}

async function supervisor(): Promise<void> {
  const { begin } = await import("./supervisor/begin.ts");
  const beginning = await attempt(() => begin(words));
  const { endSupervisor, runSupervisor } = await import("./supervisor/run-supervisor.ts");
  const ran = beginning.ok ? await attempt(() => runSupervisor(beginning.value)) : beginning;
  if (!ran.ok) endSupervisor(ran.error);
}

type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: unknown };

async function attempt<T>(step: () => T | Promise<T>): Promise<Attempt<T>> {
  try {
    return { ok: true, value: await step() };
  } catch (error) {
    return { ok: false, error };
  }
}
