import type { InjectionPlan } from "../../src/delivery-plan.ts";
import { readRegister, withoutRestart, withRegisters } from "../../src/tracer/register-layout.ts";
import { textOf } from "./load-program.ts";
import { TracedMachine } from "./machine.ts";
import { type Action, doing, doingThenSleeping, type MachineFile } from "./program.ts";
import type { Beginning, Process } from "./thread.ts";
import { fill, injection, type LifeOptions, TracedLife } from "./traced-life.ts";

/** The secrets of the scenes. Each is long enough to be looked for in other variables. */
export const secrets = { DB_PASSWORD: "hunter2-hunter2", API_KEY: "0123456789" };
/** The courier's variables: placeholders behind the first. */
export const environment = { PATH: "/bin", DB_PASSWORD: "", API_KEY: "", LAST: "1" };
/** The bytes of /proc/PID/environ of a program that is prepared. */
export const namesOnly = "PATH=/bin\0DB_PASSWORD=\0API_KEY=\0LAST=1\0";

/** The parts of a scene. */
export interface Scene extends Partial<LifeOptions> {
  readonly follow?: InjectionPlan["follow"];
  readonly region?: Partial<InjectionPlan["region"]>;
  /** The steps of the main program; then it sleeps. */
  readonly steps?: readonly Action[];
  readonly server?: Partial<MachineFile>;
  readonly child?: Partial<MachineFile>;
  /** Called before anything runs. */
  readonly prepare?: (machine: TracedMachine) => void;
}

/** A step in which a program forks, and the fork executes `/bin/child`. */
export const startsChild: Action = {
  kind: "fork",
  child: doing({ kind: "execute", path: "/bin/child" }),
};

/** A machine with a server, and a child program that it may start; nothing runs yet. */
export function sceneOf(scene: Scene): { machine: TracedMachine; life: TracedLife } {
  const machine = new TracedMachine();
  try {
    const behavior = doingThenSleeping(...(scene.steps ?? []));
    machine.addFile("/bin/server", { behavior, ...scene.server });
    machine.addFile("/bin/child", scene.child);
    fill(machine, secrets);
    scene.prepare?.(machine);
    const { follow = "off", region = {} } = scene;
    const plan = injection(secrets, { follow, region });
    return { machine, life: new TracedLife(machine, { plan, environment, ...scene }) };
  } catch (error) {
    machine[Symbol.dispose]();
    throw error;
  }
}

/** Lets a scene run to its end. */
export function play(scene: Scene): TracedLife & Disposable {
  const { machine, life } = sceneOf(scene);
  try {
    life.run();
  } catch (error) {
    machine[Symbol.dispose]();
    throw error;
  }
  return Object.assign(life, { [Symbol.dispose]: () => machine[Symbol.dispose]() });
}

/** The first process that has begun a program of a path. */
export function processOf(life: TracedLife, path = "/bin/child"): Process {
  const processes = [...life.machine.processes.values()];
  const found = processes.find(({ beginnings }) => beginnings.some((one) => one.path === path));
  if (found === undefined) throw new Error(`${path} has not begun`);
  return found;
}

/** The state of a program at its first instruction. */
export function beginningOf(life: TracedLife, path = "/bin/child"): Beginning {
  const found = processOf(life, path).beginnings.find((one) => one.path === path);
  if (found === undefined) throw new Error(`${path} has not begun`);
  return found;
}

/** A program's text and registers as execve has left them, in no system call. */
export function untouched(life: TracedLife, path: string) {
  const { file, freshRegisters, layout } = processOf(life, path);
  return {
    registers: withRegisters(freshRegisters, withoutRestart(layout)).toHex(),
    text: textOf(file).toHex(),
    mask: 0n,
  };
}

/** The same of a beginning, to be compared. */
export function touchedBy({ registers, text, mask }: Beginning) {
  return { registers: registers.toHex(), text: text.toHex(), mask };
}

/** Whether each variable of a secret leads into the region. */
export function leadIntoRegion(process: Process): boolean {
  const { memory, slots } = process;
  const region = memory.segments.find(({ isShared }) => isShared);
  if (region === undefined) return false;
  const pointers = memory.pointers(slots).filter((at) => {
    return Object.keys(secrets).some((name) => memory.text(at).startsWith(`${name}=`));
  });
  const end = region.start + region.bytes.length;
  return pointers.length === 2 && pointers.every((at) => region.start <= at && at < end);
}

/** The value of one register. */
export function registerOf({ registers }: Beginning, register: number): bigint {
  return readRegister(registers, register);
}

/** Lets the first thread of a process make steps, and then the whole machine. */
export function proceed(life: TracedLife, process: Process, ...steps: readonly Action[]): void {
  const { leader } = process;
  leader.program = doingThenSleeping(...steps)(process);
  leader.wait = undefined;
  life.run();
}
