import type {
  Hello,
  Register,
  RegistrationRequest,
  RegistrationResponse,
} from "@svc/agent-protocol";
import { closeDescriptor } from "@svc/kernel";
import type { Log } from "@svc/logging";
import { AgentError } from "../agent-error.ts";
import { type AgentIdentity, refused, registered, tierChange, welcome } from "./agent-answers.ts";
import { askingForMarks } from "./asking-for-marks.ts";
import type { Caller } from "./caller.ts";
import { findTracer, type TracedProcess } from "./find-tracer.ts";
import { heldVersions } from "./held-versions.ts";
import type { NotedProcess } from "./ledger-text.ts";
import { markCouriers } from "./mark-couriers.ts";
import { Outbox } from "./outbox.ts";
import { readProcess } from "./process-facts.ts";
import { bareEnvironment, programWords } from "./program-words.ts";
import { protectInPod } from "./protect-in-pod.ts";
import { type ClaimedProgram, type Protecting, protectProgram } from "./protect-program.ts";
import { type Rate, RateLimit } from "./rate-limit.ts";
import type { Registrant } from "./registry.ts";
import type { TierSource } from "./tier-source.ts";
import type { TokenWatch } from "./token-watch.ts";

/** The common inputs of all streams. */
export interface RegistrationContext extends Protecting {
  readonly identity: AgentIdentity;
  readonly tier: TierSource;
  readonly tokens: TokenWatch;
  readonly log: Log;
  /** Told when a wrapper has said Hello, and may register. */
  readonly greeted?: () => void;
  /** Receives processes that were traced before their registration, once each. */
  readonly onTraced?: (traced: TracedProcess) => void;
}

// A wrapper sends four messages for every program that it starts, at most.
const messageRate: Rate = { burst: 64, perSecond: 8 };
const MOST_PROCESSES = 256;
const MOST_NAME = 253;

/**
 * One wrapper's stream, from its Hello to its end; it closes the caller's descriptor. Every error
 * is an answer or the end of this stream, never more.
 */
export async function* registrationStream(
  context: RegistrationContext,
  caller: Caller,
  requests: AsyncIterable<RegistrationRequest>,
): AsyncGenerator<RegistrationResponse> {
  const out = new Outbox<RegistrationResponse>();
  // Not awaited: if the client does not read the answers, the end of the stream ends this, too.
  void new Conversation(context, caller, out).read(requests).finally(() => out.close());
  yield* out.messages();
}

class Conversation {
  readonly #context: RegistrationContext;
  readonly #caller: Caller;
  readonly #out: Outbox<RegistrationResponse>;
  readonly #rate = new RateLimit(messageRate);
  /** Those that were reported. */
  readonly #traced = new Set<string>();
  #open: OpenStream | undefined;

  constructor(context: RegistrationContext, caller: Caller, out: Outbox<RegistrationResponse>) {
    this.#context = context;
    this.#caller = caller;
    this.#out = out;
  }

  async read(requests: AsyncIterable<RegistrationRequest>): Promise<void> {
    try {
      for await (const request of requests) {
        const answer = await this.#take(request);
        if (answer !== undefined) this.#answer(answer);
      }
    } catch (error) {
      // Every other error is the stream's end, or a malformed message.
      if (!(error instanceof AgentError)) return;
      this.#say(error);
      this.#out.put(refused(0n, error));
    } finally {
      this.#open?.end();
      if (this.#caller.by === "socket") closeDescriptor(this.#caller.pidfd);
    }
  }

  async #take({ message }: RegistrationRequest): Promise<RegistrationResponse | undefined> {
    if (!this.#rate.take()) throw tooMany("messages");
    switch (message.case) {
      case "hello":
        if (this.#open !== undefined) throw malformed("a second Hello");
        return this.#begin(message.value);
      case "register":
        if (this.#open === undefined) throw malformed("the first message is not a Hello");
        return this.#register(this.#open, message.value);
      case "versions":
        if (this.#open === undefined) throw malformed("the first message is not a Hello");
        this.#context.registry.holds(this.#open.registration, heldVersions(message.value));
        return undefined;
      case undefined:
        // A message of a later release.
        return undefined;
    }
  }

  #begin(hello: Hello): RegistrationResponse {
    const { registry, tier, tokens, identity, greeted } = this.#context;
    checkAuthority(this.#caller);
    greeted?.();
    const registrant = registrantOf(this.#caller, hello);
    const { owned, cameAs } = this.#inherited();
    const registration = registry.begin(registrant, owned);
    this.#own(registration);
    if (this.#caller.by === "socket") this.#tellTracer(registration, this.#caller.process.pid);
    const unfollow = tier.onChange(() => this.#answer(tierChange(tier.current())));
    const end = () => {
      unfollow();
      registry.disconnect(registration);
      tokens.disconnected(registration);
    };
    this.#open = { registration, cameAs, podUid: registrant.podUid, end };
    const tokenUnwatched = this.#watchToken(registration, hello);
    return welcome(identity, { tier: tier.current(), tokenUnwatched });
  }

  /** @returns why openings of the token's file are not reported; empty if they are */
  #watchToken(registration: bigint, { tokenPath, tokenDevice, tokenInode }: Hello): string {
    const caller = this.#caller;
    if (tokenPath === "") return "";
    if (caller.by !== "socket") return "the wrapper is not connected by the agent's socket";
    const { podUid, process } = caller;
    const { pid, startTicks, namespacePids } = process;
    // The kernel side must not report the openings of these.
    askingForMarks("the wrapper", () => markCouriers(this.#context.marks, process, registration));
    return this.#context.tokens.watch(
      { registration, podUid, namespacePids, wrapper: { pid, startTicks } },
      { path: tokenPath, device: tokenDevice, inode: tokenInode },
    );
  }

  /** The kernel's mark from an earlier agent. */
  #inherited(): Inherited {
    const caller = this.#caller;
    const { marks } = this.#context;
    if (caller.by !== "socket") return { owned: undefined, cameAs: undefined };
    return { owned: marks.ownedBy(caller.pidfd), cameAs: marks.protectedBy(caller.pidfd) };
  }

  /**
   * The wrapper's operations on its own programs are not events from now on. The kernel side ends
   * that with the process, or when the process executes another program. The stream's end does not:
   * a busy agent loses streams, and the wrapper goes on with its work.
   */
  #own(registration: bigint): void {
    const { marks } = this.#context;
    const caller = this.#caller;
    if (caller.by !== "socket") return;
    // Also if a wrapper above has registered it: of two claims the nearer one is right.
    askingForMarks("the wrapper", () => marks.own(caller.pidfd, registration));
  }

  async #register(open: OpenStream, message: Register): Promise<RegistrationResponse> {
    const { registry } = this.#context;
    const { registration } = open;
    try {
      if (message.pid === 0) throw malformed("a Register without a pid");
      if (registry.processCount(registration) >= MOST_PROCESSES) throw tooMany("programs");
      const words = programWords(message);
      for (const process of await this.#protect(open, {
        pid: message.pid,
        bareEnvironment: bareEnvironment(message),
      })) {
        registry.add(registration, process, words);
        this.#tellTracer(registration, process.pid);
      }
      return registered(message.request, registration, message.pid);
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      this.#say(error);
      return refused(message.request, error);
    }
  }

  #tellTracer(registration: bigint, pid: number): void {
    const caller = this.#caller;
    const facts = caller.by === "socket" ? readProcess(pid) : undefined;
    const tracer = facts && caller.by === "socket" ? findTracer(facts, caller.process) : undefined;
    if (tracer === undefined || this.#traced.has(`${pid} ${tracer.pid}`)) return;
    this.#traced.add(`${pid} ${tracer.pid}`);
    this.#context.onTraced?.({ pid, registration, tracer });
  }

  async #protect(open: OpenStream, program: ClaimedProgram): Promise<readonly NotedProcess[]> {
    const caller = this.#caller;
    const { registration, cameAs, podUid } = open;
    if (caller.by === "socket") {
      return [protectProgram(this.#context, { caller, registration, cameAs }, program)];
    }
    return protectInPod(this.#context, { registration, podUid, pid: program.pid });
  }

  /** A client that does not read its answers loses its stream: tiers must not be lost. */
  #answer(message: RegistrationResponse): void {
    if (!this.#out.put(message)) this.#out.close();
  }

  #say({ code, message }: AgentError): void {
    const caller = this.#caller;
    const who = caller.by === "socket" ? { pid: caller.process.pid, uid: caller.uid } : {};
    const { podUid } = caller;
    this.#context.log("warn", message, { code, by: caller.by, ...who, ...(podUid && { podUid }) });
  }
}

interface Inherited {
  /** The registration that it had. */
  readonly owned: bigint | undefined;
  /** The one that it was protected by. */
  readonly cameAs: bigint | undefined;
}

interface OpenStream {
  readonly registration: bigint;
  readonly cameAs: bigint | undefined;
  readonly podUid: string | undefined;
  readonly end: () => void;
}

/** Over TCP the proof is the authority. */
function checkAuthority(caller: Caller): void {
  if (caller.by !== "socket" || caller.authority !== undefined) return;
  const { uid, process } = caller;
  const text = `begin a registration: user ${uid} in cgroup ${JSON.stringify(process.cgroup)} may not register`;
  throw new AgentError("REGISTRATION_NOT_ALLOWED", text);
}

function registrantOf(caller: Caller, hello: Hello): Registrant {
  const claimed = hello.podUid;
  if (caller.podUid !== undefined && claimed !== "" && claimed !== caller.podUid) {
    const text = `begin a registration: the wrapper says pod ${JSON.stringify(claimed.slice(0, MOST_NAME))}, and is of pod ${caller.podUid}`;
    throw new AgentError("REGISTRATION_POD_MISMATCH", text);
  }
  const named = {
    ...name("container", hello.containerName),
    ...name("podName", hello.podName),
    ...name("podNamespace", hello.podNamespace),
  };
  if (caller.by !== "socket") return remoteRegistrant(caller.podUid ?? claimed, caller.by, named);
  const { podUid, containerId, uid, process } = caller;
  const { pid, startTicks, cgroup } = process;
  const pod = { ...(podUid && { podUid }), ...(containerId && { containerId }) };
  return { ...pod, named, cgroup, uid, by: "socket", wrapper: { pid, startTicks } };
}

function remoteRegistrant(
  podUid: string,
  by: "token" | "certificate",
  named: Registrant["named"],
): Registrant {
  if (podUid !== "") return { podUid, named, cgroup: "", by };
  throw malformed("a Hello over TCP without the UID of a pod");
}

function name(field: string, text: string): Readonly<Record<string, string>> {
  return text === "" ? {} : { [field]: text.slice(0, MOST_NAME) };
}

function tooMany(what: string): AgentError {
  const text = `register a program: too many ${what} of one wrapper`;
  return new AgentError("REGISTRATION_LIMIT", text);
}

function malformed(found: string): AgentError {
  return new AgentError("REGISTRATION_MALFORMED", `read a wrapper's message: ${found}`);
}
