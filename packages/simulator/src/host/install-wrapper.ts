import type { WrapperCode } from "../code/wrapper-code.ts";
import type { Machine } from "../machine/machine.ts";
import type { Process } from "../machine/process.ts";
import { engineModule } from "./engine-module.ts";
import { EventLoop } from "./event-loop.ts";
import { type Host, WRAPPER_PATH } from "./host.ts";
import { type Listener, routed } from "./network.ts";
import { Realm } from "./realm.ts";
import type { ScriptState } from "./script-state.ts";

const SIGNALS = 64;

/** Installs the wrapper on a machine. */
export function installWrapper(
  machine: Machine,
  code: WrapperCode,
  { network, agent }: Pick<Host, "network" | "agent">,
): Host {
  const states = new Map<number, ScriptState>();
  const listeners = new Map<number, Listener>();
  const begin = (process: Process, blockedAtStart: readonly number[]): ScriptState => {
    const loop = new EventLoop(machine, process);
    let realm: Realm | undefined;
    const load = (name: string) => {
      realm ??= new Realm(code, engine, machine);
      return realm.load(name);
    };
    const state: ScriptState = { process, loop, blockedAtStart, load };
    states.set(process.pid, state);
    return state;
  };
  const outside = routed(machine, network, listeners);
  const host: Host = { machine, network: outside, agent, listeners, states, begin };
  const engine = engineModule(host);
  machine.install(WRAPPER_PATH, (process) => {
    const state = begin(process, [...process.blocked]);
    // The host blocks every signal at its first instruction.
    for (let number = 1; number <= SIGNALS; number++) process.blocked.add(number);
    state.loop.settle(() => void state.load(code.main));
    return state.loop;
  });
  return host;
}
