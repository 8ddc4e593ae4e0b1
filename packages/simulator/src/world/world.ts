import type { WrapperCode } from "../code/wrapper-code.ts";
import { EventLoop } from "../host/event-loop.ts";
import { installWrapper } from "../host/install-wrapper.ts";
import type { Listener } from "../host/network.ts";
import { type Description, newPipe } from "../machine/descriptions.ts";
import type { ErrorName } from "../machine/errors.ts";
import { Machine } from "../machine/machine.ts";
import type { Process } from "../machine/process.ts";
import { type Signal, signals } from "../machine/signals.ts";
import { Trace } from "../machine/trace.ts";
import { act } from "./act.ts";
import { Agent, noAgent } from "./agent.ts";
import { planFloods } from "./floods.ts";
import { frozenUs, planFreeze } from "./freeze.ts";
import { HealthClient } from "./health-client.ts";
import { type Behaviour, ModelProgram } from "./model-program.ts";
import { newVault } from "./new-vault.ts";
import { type Asked, type Sent, type Start, surroundingsOf, textIn } from "./observations.ts";
import { Operator, withOperator } from "./operator.ts";
import { noOperator } from "./operator-plan.ts";
import { PlannedKill } from "./planned-kill.ts";
import { PlannedRefusals } from "./planned-refusals.ts";
import { programServer } from "./program-server.ts";
import { refusals } from "./refusals.ts";
import type { Scenario } from "./scenario.ts";
import { SecretMemory } from "./secret-memory.ts";
import { canaryIn, fieldsOf, METADATA_PATH, PATH } from "./secrets.ts";
import {
  installCommand,
  NOTIFY_SOCKET,
  PROGRAM,
  startProbe,
  startStranger,
  startWrapper,
} from "./start-wrapper.ts";
import type { Vault } from "./vault.ts";

const MS = 1000;

/** A machine with a wrapper, its program, its vault, probes and senders of signals. */
export class World {
  readonly scenario: Scenario;
  readonly machine: Machine;
  readonly trace = new Trace();
  readonly vault: Vault;
  readonly agent: Agent;
  readonly operator: Operator;
  readonly wrapper: Process;
  readonly starts: Start[] = [];
  readonly sent: Sent[] = [];
  readonly health: HealthClient;
  /** Runs of `--once-ready`. */
  readonly probes: { readonly process: Process; readonly output: () => string }[] = [];
  /** A child of the wrapper that was there before it. */
  readonly stranger: Process | undefined;
  /** The datagrams to systemd. */
  readonly told: string[] = [];
  readonly requests: Asked[] = [];
  /** The time of the first signal that asks the wrapper to end. */
  stoppedAtUs: number | undefined;
  endedAtUs: number | undefined;
  /** Others have killed the wrapper. */
  killedWrapper = false;
  /** Programs that others than the wrapper have killed. */
  readonly killedPrograms = new Set<number>();
  /** Programs to which others than the wrapper have sent SIGTERM. */
  readonly termedPrograms = new Set<number>();
  /** The times at which the refresh file was written. */
  readonly touchedAtUs: number[] = [];
  /** The times at which the versions of the secret that changes were looked at. */
  readonly looks: number[] = [];
  /** A courier was killed or stopped. */
  disturbedCourier = false;
  /** The supervisor's descriptors when a program ran, and no courier, for the first time. */
  calmDescriptors: number | undefined;
  /** Calls that were refused. */
  refused = 0;
  /** The newest version of the secret, which is 1 at the start. */
  version = 1;
  readonly changedAtUs: number[] = [];
  /** A value or a token that the supervisor got by a call. */
  secretInSupervisor: string | undefined;
  /** Probes of the program, with their headers. */
  readonly asked: string[] = [];
  readonly #listeners: Map<number, Listener>;
  readonly #log: Description;
  readonly #output: Description;
  readonly #secretMemory = new SecretMemory();
  #logText = "";
  readonly #refusals: PlannedRefusals;
  readonly #kill: PlannedKill;
  /** A signal for the next courier that works. */
  forCourier: number | undefined;

  constructor(scenario: Scenario, code: WrapperCode) {
    this.scenario = scenario;
    this.#refusals = new PlannedRefusals(scenario.refusals ?? []);
    this.#kill = new PlannedKill(scenario.programKill);
    this.machine = new Machine(scenario.seed, this.trace);
    const { machine } = this;
    this.trace.setClock(() => machine.nowUs);
    this.vault = newVault(machine, scenario, ({ method, url, headers }) => {
      const token = headers.find(([name]) => name === "x-vault-token")?.[1] ?? "";
      const path = new URL(url).pathname;
      this.requests.push({ atUs: machine.nowUs, method, path, token });
      if (path === `/v1/${METADATA_PATH}` && method === "GET") this.looks.push(machine.nowUs);
    });
    this.agent = new Agent(machine, scenario.agent ?? noAgent);
    const network = withOperator(this.vault, () => this.operator);
    this.#listeners = installWrapper(machine, code, { network, agent: this.agent }).listeners;
    this.health = new HealthClient(machine, this.#listeners);
    this.operator = new Operator(machine, scenario.operator ?? noOperator, {
      deliver: this.health.postHint,
      newest: () => this.version,
    });
    machine.install(PROGRAM, (process) => this.#startProgram(process));
    installCommand(machine);
    if (scenario.hasSystemd) machine.receivers.set(NOTIFY_SOCKET, (text) => this.told.push(text));
    const [log, output] = [newPipe(), newPipe()];
    this.#log = log.reads;
    this.#output = output.reads;
    for (const reads of [this.#log, this.#output]) reads.references++;
    this.wrapper = startWrapper(machine, scenario, { output: output.writes, log: log.writes });
    if (scenario.hasStranger) this.stranger = startStranger(machine, this.wrapper);
    machine.shortPart = scenario.disturbance.short;
    machine.atBytes = (bytes) => {
      if (machine.current === this.wrapper) this.secretInSupervisor ??= canaryIn(bytes);
    };
    machine.atCall = (call) => this.#atCall(call);
    this.#plan();
  }

  /** The text that the wrapper and its couriers have written to standard error. */
  get log(): string {
    this.#readLog();
    return this.#logText;
  }

  /** The text that the wrapper has written to standard output: read once, at the end. */
  get output(): string {
    return textIn(this.#output);
  }

  /** The time since then in which the family was not frozen. */
  sinceUs(atUs: number): number {
    return this.machine.nowUs - atUs - frozenUs(this.machine, this.scenario, atUs);
  }

  /** The wrapper has become its program. */
  get isHandedOver(): boolean {
    return this.starts.at(-1)?.process === this.wrapper;
  }

  /** The secret memory in which the supervisor hands tokens on. */
  get sessions(): readonly Uint8Array[] {
    return this.#secretMemory.sessions;
  }

  #readLog(): void {
    this.#logText += textIn(this.#log);
  }

  /** The program that runs; undefined without one. */
  get program(): Start | undefined {
    const last = this.starts.at(-1);
    return last?.process.isAlive ? last : undefined;
  }

  /** The couriers that live. */
  get couriers(): readonly Process[] {
    const isCourier = ({ isAlive, program }: Process) => isAlive && program instanceof EventLoop;
    return [...this.wrapper.children].filter(isCourier);
  }

  #startProgram(process: Process): ModelProgram {
    const { programs } = this.scenario;
    const behaviour: Behaviour = programs[this.starts.length % programs.length] ?? {
      ...{ ignores: [], children: [] },
    };
    const program = new ModelProgram(this.machine, process, behaviour);
    this.starts.push({
      ...program.observed,
      ...{ atUs: this.machine.nowUs, newest: this.version, found: surroundingsOf(process) },
      isRegistered: this.agent.registered.has(process.pid),
    });
    const { answers } = behaviour;
    if (answers) this.#listeners.set(answers.port, programServer(process, answers, this));
    return program;
  }

  #plan(): void {
    const { machine, scenario } = this;
    for (const planned of scenario.actions) {
      machine.after(planned.atMs * MS, () => {
        machine.trace.note(`action: ${planned.kind}`);
        act(this, planned);
      });
    }
    if (scenario.freeze) planFreeze(machine, scenario.freeze, () => this.program?.process);
    planFloods(machine, scenario.floods, {
      signal: () => this.signal(SIGUSR2),
      request: (path) => this.#probe(path),
      program: () => this.program?.process,
    });
    machine.after(scenario.stopAtMs * MS, () => this.signal(SIGTERM));
    const probe = () => {
      for (const path of ["/readyz", "/healthz", "/metrics"]) this.#probe(path);
      machine.after(PROBE_EVERY_US, probe);
    };
    machine.after(machine.random.between(0, PROBE_EVERY_US), probe);
  }

  /** Sends a courier a signal from outside. */
  disturbCourier(courier: Process, number: number): void {
    this.disturbedCourier = true;
    this.machine.kill(courier, { number, from: "outside" });
  }

  /** Something may come between any two calls, and a call may fail. */
  #atCall(call: string): ErrorName | undefined {
    const { machine, program, wrapper } = this;
    const { random, current } = machine;
    const planned = this.#refusals.of(call);
    if (this.#kill.isBefore(call) && program !== undefined) this.#killProgram(program.process);
    if (planned !== undefined) return planned;
    const { refusal, courierEnd, programEnd, signal } = this.scenario.disturbance;
    if (signal > 0 && random.chance(signal)) this.signal(REAL_TIME);
    const courier = current === wrapper ? this.couriers[0] : current;
    if (courier !== undefined) this.#meetCourier(courier, courierEnd);
    if (programEnd > 0 && program !== undefined && random.chance(programEnd)) {
      this.#killProgram(program.process);
    }
    const errors = refusals[call];
    if (errors === undefined || refusal === 0 || !random.chance(refusal)) return undefined;
    const error = random.pick(errors);
    this.refused++;
    machine.trace.note(`refused: ${current?.pid ?? 0} ${call} ${error}`);
    return error;
  }

  #killProgram(process: Process): void {
    this.killedPrograms.add(process.pid);
    this.machine.kill(process, { number: SIGKILL, from: "outside" });
  }

  #meetCourier(courier: Process, end: number): void {
    const { random } = this.machine;
    if (this.forCourier !== undefined && random.chance(0.02)) {
      const number = this.forCourier;
      this.forCourier = undefined;
      this.disturbCourier(courier, number);
    } else if (end > 0 && random.chance(end)) {
      this.disturbCourier(courier, SIGKILL);
    }
  }

  /** Writes a new version of the secret. */
  change(): void {
    if (this.vault.state.sealed) return;
    const version = this.version + 1;
    const { status } = this.vault.ask("POST", PATH, { data: fieldsOf(version) });
    if (status !== 200) throw new Error(`the vault refuses a new version: ${status}`);
    this.version = version;
    this.changedAtUs.push(this.machine.nowUs);
    this.operator.notice();
  }

  /** Sends the wrapper a signal. */
  signal(number: number): void {
    const { machine, wrapper, sent } = this;
    if (!wrapper.isAlive) return;
    const value = number >= FIRST_REAL_TIME ? BigInt(sent.length) : undefined;
    sent.push({ number, value, atUs: machine.nowUs });
    if (number === SIGTERM) this.stoppedAtUs ??= machine.nowUs;
    const signal: Signal = { number, from: "process", ...(value !== undefined && { value }) };
    if (number !== SIGUSR2) machine.trace.note(`signal: ${number}`);
    machine.kill(wrapper, signal);
  }

  /** Runs `--once-ready`. */
  askReady(command: string | undefined): void {
    const words = command === undefined ? [] : ["--", command];
    const { process, output } = startProbe(this.machine, this.scenario, words);
    let text = "";
    this.probes.push({ process, output: () => (text += textIn(output)) });
  }

  #probe(path: string): void {
    // As often as a container's runtime does it, or the pipe is full.
    this.#readLog();
    this.#secretMemory.note(this.wrapper);
    this.health.probe(path, () => this.program !== undefined);
  }
}

const { SIGKILL, SIGTERM, SIGUSR2 } = signals;
const FIRST_REAL_TIME = 34;
const REAL_TIME = 42;
const PROBE_EVERY_US = 1_300_000;
