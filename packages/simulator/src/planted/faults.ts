import { callerFaults } from "./caller-faults.ts";
import type { PlantedFault } from "./planted-fault.ts";
import { quietFaults } from "./quiet-faults.ts";

const lifecycle = "wrapper/src/lifecycle";
const life = "wrapper/src/life";
const processes = "wrapper/src/processes";
const courier = "wrapper/src/courier";

/** Each is found within 10,000 seeds: `make simulate PLANTED=1`. */
export const plantedFaults: readonly PlantedFault[] = [
  ...quietFaults,
  ...callerFaults,
  // The kernel agent.
  {
    name: "a program that the agent has refused is started",
    file: "wrapper/src/agent/await-registration.ts",
    from: 'if (registration.kind === "registered" || !required) return undefined;',
    to: 'if (registration.kind !== "missing" || !required) return undefined;',
  },
  {
    name: "an agent that comes back does not hear of the program",
    file: "wrapper/src/agent/agent-link.ts",
    from: "for (const pid of this.#programs.keys()) this.#register(pid);",
    to: "",
  },
  {
    name: "an agent that is away is called at full speed",
    file: "wrapper/src/agent/agent-link.ts",
    from: "setTimeout(() => void this.#connect(), pauseMs);",
    to: "setTimeout(() => void this.#connect(), pauseMs / 1000);",
  },
  // Starts without a supervisor, and without a program.
  {
    name: "a wrapper that becomes the program leaves it its descriptors",
    file: `${lifecycle}/hand-over.ts`,
    from: "setCloseOnExec(fd, true)",
    to: "setCloseOnExec(fd, false)",
  },
  {
    name: "a wrapper that becomes the program leaves its courier",
    file: `${lifecycle}/hand-over.ts`,
    from: "  delivery.abandon();\n  await delivery.outcome;\n",
    to: "",
  },
  {
    name: "a probe succeeds without an answer",
    file: "wrapper/src/once-ready/run-once-ready.ts",
    from: "if (notReady !== undefined) return fail(notReady);",
    to: "",
  },
  // Ends that lie, and signals that come twice.
  {
    name: "a signal with a value is sent again without it",
    file: "kernel/src/signals/signals.ts",
    from: "Number(libc.syscall(rt_sigqueueinfo, pid, signal, addressOf(info), 0, 0, 0)) === 0",
    to: "libc.syscall(rt_sigqueueinfo, pid, signal, addressOf(info), 0, 0, 0) === 0n",
  },
  {
    name: "failures end the wrapper with 0",
    file: `${processes}/exit-with.ts`,
    from: "exitCodeOf(failures)",
    to: "0",
  },
  {
    name: "a courier that fails ends with 0 and says nothing",
    file: `${courier}/run-courier.ts`,
    from: '  writeIfPossible(fd, messageBytes({ kind: "failed", failures }));\n',
    to: "",
  },
  // Lifecycle: its effects.
  {
    name: "a rotation starts the new program before the old one has ended",
    file: `${lifecycle}/rotate.ts`,
    from: "const ending = await child.stop();",
    to: "const ending = { exitCode: 0 } as Awaited<ReturnType<typeof child.stop>>; void child.stop();",
  },
  {
    name: "a rotation goes on after SIGTERM",
    file: `${lifecycle}/rotate.ts`,
    from: "if (front.stopping) {",
    to: "if (front.stopping && false) {",
  },
  {
    name: "a rotation sends signals to the old program for ever",
    file: `${lifecycle}/rotate.ts`,
    from: "  front.stands(delivery.child);\n",
    to: "",
  },
  {
    name: "a rotation does not let its courier go on",
    file: `${lifecycle}/rotate.ts`,
    from: "  delivery.go();\n",
    to: "",
  },
  {
    name: "a courier of a failed rotation stays",
    file: `${lifecycle}/rotate.ts`,
    from: '    if (fetched.kind === "ended") delivery.abandon();\n',
    to: "",
  },
  {
    name: "a start forgets to pass signals on",
    file: `${lifecycle}/start-program.ts`,
    from: "  front.stands(delivery.child);\n",
    to: "",
  },
  {
    name: "a start has no deadline",
    file: `${lifecycle}/start-program.ts`,
    from: "if (agent === undefined) return inTime(delivery.outcome);",
    to: "if (agent === undefined) return delivery.outcome;",
  },
  {
    name: "a check has no deadline",
    file: `${lifecycle}/errand.ts`,
    from: "  }, timeoutMs);",
    to: "  }, 1e9);",
  },
  {
    name: "the region of a program is never closed",
    file: `${lifecycle}/delivery.ts`,
    from: ".finally(() => closeDescriptor(working.region.fd));",
    to: ".finally(() => undefined);",
  },
  {
    name: "the descriptors of a courier are never closed",
    file: `${lifecycle}/delivery.ts`,
    from: ".finally(() => courier.dispose());",
    to: ".finally(() => undefined);",
  },
  {
    name: "the region of a check is never closed",
    file: `${lifecycle}/errand.ts`,
    from: "if (region === undefined) closeDescriptor(given.fd);",
    to: "",
  },
  {
    name: "a program that has ended is not heard of",
    file: `${lifecycle}/effects.ts`,
    from: '      this.#dispatch({ kind: "program ended", ending });\n',
    to: "",
  },
  {
    name: "descendants are left running",
    file: `${lifecycle}/effects.ts`,
    from: "[leftovers.end(leftoversGraceMs, this.#hurry.signal)]",
    to: "[]",
  },
  {
    name: "the end waits for descendants as long as they like",
    file: `${lifecycle}/leftovers.ts`,
    from: "performance.now() < endMs",
    to: "performance.now() > 0",
  },
  {
    name: "descendants get no SIGKILL",
    file: `${lifecycle}/leftovers.ts`,
    from: "signalIfAllowed(pid, SIGKILL)",
    to: "signalIfAllowed(pid, SIGCONT)",
  },
  {
    name: "the end waits for the revocation without a limit",
    file: `${lifecycle}/revoke-token.ts`,
    from: "    timeoutMs: TIMEOUT_MS,\n",
    to: "    timeoutMs: 1e9,\n",
  },
  // Processes.
  {
    name: "a SIGCHLD reaps one child",
    file: `${processes}/children.ts`,
    from: "      else this.#onChild(change);\n",
    to: "      else return this.#onChild(change);\n",
  },
  {
    name: "SIGTERM is passed on without a grace",
    file: `${processes}/main-child.ts`,
    from: "this.#killTimer ??= setTimeout(() => this.#killGroup(), stopGraceMs);",
    to: "",
  },
  {
    name: "each signal begins the grace of a stop",
    file: `${processes}/main-child.ts`,
    from: "if (signal !== stopSignal) return;",
    to: "",
  },
  {
    name: "a check goes on after its program's end",
    file: `${lifecycle}/effects.ts`,
    from: "    cancel: () => this.#activity.abort(),\n",
    to: "    cancel: () => undefined,\n",
  },
  {
    name: "SIGTERM is not remembered",
    file: `${processes}/signal-front.ts`,
    from: "if (isStop) this.#stoppingSinceMs ??= this.#nowMs();",
    to: "",
  },
  {
    name: "SIGTERM between two programs is lost",
    file: `${processes}/signal-front.ts`,
    from: "    else if (isStop || endsByDefault(signal)) onEnd(signal);\n",
    to: "    else void onEnd, endsByDefault;\n",
  },
  {
    name: "values of signals are lost",
    file: `${processes}/signal-front.ts`,
    from: "this.#target.forward(handed, value)",
    to: "this.#target.forward(handed)",
  },
  {
    name: "an old session's descriptor stays open",
    file: `${processes}/session-holder.ts`,
    from: "    closeDescriptor(this.#memory.fd);\n",
    to: "",
  },
  {
    name: "the token stays in the environment",
    file: `${processes}/take-token.ts`,
    from: "wipeEntry(",
    to: "void (",
  },
  {
    name: "a courier's new session is lost",
    file: `${processes}/couriers.ts`,
    from: "        taken = true;\n",
    to: "",
  },
  // Decisions.
  {
    name: "a failed check is repeated at once",
    file: `${life}/pace.ts`,
    from: "if (failures > 0) return backoffMs(failures, longestBackoffMs(pace), random);",
    to: "if (failures > 0) return 1;",
  },
  {
    name: "a program that crashes starts again at once",
    file: `${life}/after-end.ts`,
    from: "const delayMs = Math.min(maxDelayMs, FIRST_DELAY_MS * 2 ** Math.min(attempt - 1, 30));",
    to: "const delayMs = 0;",
  },
  {
    name: "SVC_RESTART holds after SIGTERM, too",
    file: `${life}/after-end.ts`,
    from: 'if (ended.stopping || policy === "never")',
    to: 'if (policy === "never")',
  },
  {
    name: "a change is seen and not acted upon",
    file: `${life}/checking.ts`,
    from: "if (ending === undefined && !changed)",
    to: "if (ending === undefined)",
  },
  {
    name: "readiness lasts after the program's end",
    file: `${life}/program-end.ts`,
    from: 'andThen(enterPhase(free, { kind: "restarting", reason }), (entered) =>',
    to: "andThen(step(free), (entered) =>",
  },
  {
    name: "an end during a rotation is forgotten",
    file: `${life}/rotating.ts`,
    from: "return ending === undefined ? goOn(next, context) : ended(next, ending, context);",
    to: "return goOn(next, context);",
  },
  // Couriers.
  {
    name: "an older version is delivered",
    file: `${courier}/deliver.ts`,
    from: "  refuseOlder(job.notBefore, state.watched);\n",
    to: "",
  },
  {
    name: "the program gets the wrapper's variables",
    file: `${courier}/program-environment.ts`,
    from: "return !isWrapperVariable(name) ||",
    to: "return name.length > 0 ||",
  },
  {
    name: "a courier outlives its supervisor",
    file: `${courier}/run-courier.ts`,
    from: "  setParentDeathSignal(SIGKILL);\n",
    to: "",
  },
  {
    name: "a program starts with the fields that could be read",
    file: `${courier}/resolve-secrets.ts`,
    from: "const failures: Failure[] = [...unreadSecrets(outcomes)];",
    to: "const failures: Failure[] = [];",
  },
  {
    name: "a failed request is repeated without a pause",
    file: "vault/src/http/retry.ts",
    from: "await policy.sleep(delayMs, policy.signal);",
    to: "await Promise.resolve(delayMs);",
  },
];
