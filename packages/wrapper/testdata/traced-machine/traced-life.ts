import type { DeliveryPlan, InjectionPlan } from "../../src/delivery-plan.ts";
import { Children } from "../../src/processes/children.ts";
import type { Tracing } from "../../src/program/tracing.ts";
import { startTracing } from "../../src/tracer/start-tracing.ts";
import { Tracer } from "../../src/tracer/tracer.ts";
import type { TracedMachine } from "./machine.ts";
import type { Action } from "./program.ts";
import { LISTENER_FD, REGION_THERE } from "./state.ts";
import type { Process } from "./thread.ts";
import { eventsOf } from "./wait-calls.ts";

const MOST_TURNS = 3000;

/** The program's start, and the supervisor that traces it. */
export interface LifeOptions {
  readonly plan: DeliveryPlan;
  /** The variables of the courier's execve, in their order. */
  readonly environment: Readonly<Record<string, string>>;
  readonly program?: string;
  /** Steps of the courier before its plan. */
  readonly before?: readonly Action[];
  /** False if the courier sends no listener. */
  readonly sendsListener?: boolean;
  /** Steps behind the plan, in place of the execve. */
  readonly actions?: readonly Action[];
}

/** A line of the log. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A supervisor without anything but its tracer and the loop that reaps. */
export class TracedLife {
  readonly machine: TracedMachine;
  readonly children = new Children();
  readonly courier: Process;
  readonly tracing: Tracing;
  readonly tracer: Tracer;
  readonly lines: LogLine[] = [];
  /** The addresses of the main program's environment, as the tracer has reported them. */
  readonly told: bigint[] = [];
  unprotected = 0;
  /** How often the event loop has called back for the listener. */
  turns = 0;
  /** How often job control has stopped the main program. */
  stoppedByJobControl = 0;
  #plan: DeliveryPlan | undefined;
  #isTraced = false;
  readonly #watches = new Set<{ readonly fd: number; readonly onNews: () => void }>();

  constructor(machine: TracedMachine, options: LifeOptions) {
    this.machine = machine;
    this.courier = machine.startChild(() => this.#courier(options));
    const { pid, leader } = this.courier;
    leader.program = this.courier.behavior(this.courier);
    this.courier.descriptors.set(REGION_THERE, "region");
    this.tracing = startTracing(pid);
    this.tracer = new Tracer({
      pid,
      tracing: this.tracing.kind === "tracing",
      regionFd: machine.region.fd,
      watchReadable: (fd, onNews) => this.#watch(fd, onNews),
      takeListener: () => (options.sendsListener === false ? undefined : LISTENER_FD),
      readPlan: () => this.#plan,
      onUnprotected: () => {
        this.unprotected += 1;
      },
      reap: () => this.children.reap(),
      log: this.#log(),
      onProgram: (start) => void this.told.push(start),
    });
    const onStopped = () => {
      this.stoppedByJobControl += 1;
    };
    void this.children.follow(pid, { tracer: this.tracer, onStopped });
    this.#isTraced = true;
    leader.wait = undefined;
  }

  /** Lets programs and supervisor go on until nothing happens any more. */
  run(): this {
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      if (!this.#turn() && !this.machine.runTimer()) return this;
    }
    this.machine.isHung = true;
    throw new Error("the supervisor runs for ever");
  }

  #turn(): boolean {
    const { machine } = this;
    machine.run();
    if (machine.childSignal) {
      machine.childSignal = false;
      this.children.reap();
      return true;
    }
    for (const watch of this.#watches) {
      if (eventsOf(machine, watch.fd) === 0) continue;
      this.turns += 1;
      watch.onNews();
      return true;
    }
    return false;
  }

  *#courier(options: LifeOptions): Generator<Action, void, number> {
    const { plan, environment, program = "/bin/server", before = [] } = options;
    while (!this.#isTraced) yield { kind: "sleep" };
    yield* before;
    // Another delivery method is chosen then.
    if (this.tracing.kind !== "tracing") yield { kind: "exit", code: 125 };
    this.#plan = plan;
    if (plan.kind === "release") yield { kind: "raise", signal: 19 };
    this.courier.isAnnounced = plan.kind === "inject" && plan.follow === "notify";
    this.courier.isPrivilegeFree ||= this.courier.isAnnounced;
    if (options.actions !== undefined) yield* options.actions;
    this.courier.isPassing = true;
    yield { kind: "execute", path: program, environment };
    yield { kind: "exit", code: 126 };
  }

  #watch(fd: number, onNews: () => void): Disposable {
    const watch = { fd, onNews };
    this.#watches.add(watch);
    return { [Symbol.dispose]: () => void this.#watches.delete(watch) };
  }

  #log() {
    const note =
      (level: string) =>
      (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
        void this.lines.push({ level, message, fields });
    const [debug, info, warn, error] = ["debug", "info", "warn", "error"].map(note);
    if (!debug || !info || !warn || !error) throw new TypeError("four levels");
    return { debug, info, warn, error };
  }
}

/** The parts of a plan that differ from the usual one. */
export interface InjectionChanges extends Partial<Omit<InjectionPlan, "region">> {
  readonly region?: Partial<InjectionPlan["region"]>;
}

/** A plan that puts the entries of a region behind the placeholders. */
export function injection(
  entries: Readonly<Record<string, string>>,
  more: InjectionChanges = {},
): InjectionPlan {
  const offsets: number[] = [];
  let at = 0;
  for (const [name, value] of Object.entries(entries)) {
    offsets.push(at);
    at += new TextEncoder().encode(`${name}=${value}\0`).length;
  }
  return {
    kind: "inject",
    firstSlot: 1,
    variables: Object.keys(entries),
    offsets,
    follow: "off",
    ...more,
    region: {
      fd: REGION_THERE,
      lengthBytes: 8192,
      kind: "memfd_secret",
      mustLock: false,
      inode: 77,
      ...more.region,
    },
  };
}

/** Writes the entries into the region, from an offset on. */
export function fill(
  { region }: TracedMachine,
  entries: Readonly<Record<string, string>>,
  start = 0,
): void {
  const texts = Object.entries(entries).map(([name, value]) => `${name}=${value}\0`);
  region.bytes.set(new TextEncoder().encode(texts.join("")), start);
}
