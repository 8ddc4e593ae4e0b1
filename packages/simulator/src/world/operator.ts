import { hmacSha256 } from "@svc/secret-bytes";
import type { Network, Outcome, Request } from "../host/network.ts";
import type { Machine } from "../machine/machine.ts";
import type { Delivered } from "./health-client.ts";
import { OPERATOR_HOST, type OperatorOutage, type OperatorPlan } from "./operator-plan.ts";
import { planMs } from "./plan-time.ts";
import { OTHER_PATH, PATH, POD_TOKEN } from "./secrets.ts";

/** A question for a permit, or the news that a rotation is over. */
export interface PermitQuestion {
  readonly atUs: number;
  readonly say: string;
  /** Undefined before the answer, and without one. */
  decision?: "go" | "wait";
}

/** A hint that came to the health port. */
export interface SaidHint {
  readonly atUs: number;
  readonly news: "fresh" | "changed";
  readonly sequence: number;
  readonly key: string;
  readonly validMs: number;
  /** It has the MAC of its key. */
  readonly isGenuine: boolean;
  /** The vault's newest version then. */
  readonly newest: number;
  status?: number;
}

interface Subscription {
  readonly key: string;
  readonly secrets: readonly { readonly path: string; readonly version: number }[];
}

const PERMIT_PATH = "/v1/rotation-permits";
const MS = 1000;
const LATEST_US = 20_000_000;
const RENEW_AFTER_MS = 40_000;
/** A look at the vault comes each second. */
const LOOK_US = 1_000_000;

/** The operator: it gives permits, and says hints. */
export class Operator implements Network {
  readonly questions: PermitQuestion[] = [];
  readonly hints: SaidHint[] = [];
  /** The first request for a permit since the last one with an answer. */
  firstUnansweredUs: number | undefined;
  /** The words of each question, without the key. */
  readonly heard: string[] = [];
  readonly #machine: Machine;
  readonly #plan: OperatorPlan;
  /** Sends a request to the health port. */
  readonly #deliver: Delivered;
  readonly #newest: () => number;
  #subscription: Subscription | undefined;
  #sequence = 0;
  #waited = 0;
  #ticks = 0;

  constructor(
    machine: Machine,
    plan: OperatorPlan,
    { deliver, newest }: { readonly deliver: Delivered; readonly newest: () => number },
  ) {
    this.#machine = machine;
    this.#plan = plan;
    this.#deliver = deliver;
    this.#newest = newest;
  }

  /** The outage of this moment. */
  get outage(): OperatorOutage | undefined {
    const nowMs = planMs(this.#machine.nowUs);
    return this.#plan.outages.find(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
  }

  send(_from: unknown, request: Request, done: (outcome: Outcome) => void): () => void {
    const machine = this.#machine;
    const { outage } = this;
    const { pathname } = new URL(request.url);
    machine.trace.note(`operator: ${pathname} ${outage?.kind ?? ""}`);
    if (pathname === PERMIT_PATH) this.firstUnansweredUs ??= machine.nowUs;
    let isCancelled = false;
    const us = machine.random.between(300, this.#plan.slowestMs * MS);
    const later = (outcome: () => Outcome) =>
      machine.after(us, () => {
        if (!isCancelled) done(outcome());
      });
    if (outage === undefined) later(() => this.#answer(request));
    else if (outage.kind === "refused") later(() => REFUSED);
    else if (outage.kind === "unavailable") later(() => answerOf(503, { error: TROUBLE }));
    else if (outage.kind === "garbage") later(() => answerOf(200, GARBAGE));
    return () => {
      isCancelled = true;
    };
  }

  /** The vault has another version: a look finds that soon. */
  notice(): void {
    this.#machine.after(this.#machine.random.between(0, LOOK_US), () => this.#sayHint());
  }

  /** Says the same hint many times, with a sequence each. */
  flood(count: number): void {
    for (let each = 0; each < count; each++) this.#sayHint("changed");
  }

  #answer({ url, body }: Request): Outcome {
    const { pathname } = new URL(url);
    const { token, key, ...question } = JSON.parse(body);
    if (token !== POD_TOKEN) return answerOf(401, { error: { message: "an unknown pod" } });
    this.heard.push(`${pathname} ${JSON.stringify(question)}`);
    return pathname === PERMIT_PATH
      ? this.#decide(question.say)
      : this.#subscribe({ key, secrets: question.secrets });
  }

  #decide(say: string): Outcome {
    const { random, nowUs, trace } = this.#machine;
    const { waits } = this.#plan;
    const question: PermitQuestion = { atUs: nowUs, say };
    this.questions.push(question);
    this.firstUnansweredUs = undefined;
    const isHeldBack = say === "ask" && (waits === "for ever" || this.#waited < waits);
    this.#waited = isHeldBack ? this.#waited + 1 : say === "ask" ? this.#waited : 0;
    question.decision = isHeldBack ? "wait" : "go";
    trace.note(`operator: ${say} ${question.decision}`);
    if (!isHeldBack) return answerOf(200, { decision: "go" });
    const retryAfterMs = random.between(250, 5000);
    return answerOf(200, { decision: "wait", reason: "another pod is away", retryAfterMs });
  }

  #subscribe(subscription: Subscription): Outcome {
    const { hints, hintEveryMs } = this.#plan;
    if (hints === "refused") {
      const reason = "the vault is not known";
      return answerOf(200, { decision: "refused", reason, retryAfterMs: 20_000 });
    }
    this.#subscription = subscription;
    const number = ++this.#ticks;
    const tick = () => {
      if (number !== this.#ticks) return;
      this.#sayHint();
      this.#machine.after(hintEveryMs * MS, tick);
    };
    // The first hint may come before the answer.
    this.#machine.after(this.#machine.random.between(0, 100) * MS, tick);
    return answerOf(200, { decision: "subscribed", renewAfterMs: RENEW_AFTER_MS });
  }

  #sayHint(given?: SaidHint["news"]): void {
    const { random } = this.#machine;
    const { lost, late, forged, validMs } = this.#plan;
    const subscription = this.#subscription;
    if (subscription === undefined || this.outage !== undefined) return;
    const { key } = subscription;
    const news = given ?? this.#newsFor(subscription);
    const valid = news === "fresh" ? validMs : 0;
    const hint = { news, key, validMs: valid, sequence: ++this.#sequence };
    if (random.chance(forged)) this.#mislead(hint);
    if (random.chance(lost)) return;
    const say = () => this.#post({ ...hint, isGenuine: true }, headerOf(hint, hint.key));
    if (random.chance(late)) this.#machine.after(random.between(0, LATEST_US), say);
    else say();
  }

  #newsFor({ secrets }: Subscription): SaidHint["news"] {
    if (this.#plan.lies) return "fresh";
    const newest: Readonly<Record<string, number>> = { [PATH]: this.#newest(), [OTHER_PATH]: 1 };
    return secrets.every(({ path, version }) => newest[path] === version) ? "fresh" : "changed";
  }

  /** Others send one with a wrong key, one whose news was changed, and one from before. */
  #mislead(hint: Hint): void {
    const news = hint.news === "fresh" ? ("changed" as const) : ("fresh" as const);
    const flipped = { ...hint, news, validMs: news === "fresh" ? 900_000 : 0 };
    const [, mac = ""] = /(\S+)$/.exec(headerOf(hint, hint.key)) ?? [];
    this.#post({ ...flipped, isGenuine: false }, `${textOf(flipped)} ${mac}`);
    this.#post({ ...flipped, isGenuine: false }, headerOf(flipped, "00".repeat(KEY_BYTES)));
    const old = this.hints.findLast(({ isGenuine, key }) => isGenuine && key === hint.key);
    if (old !== undefined) this.#post(old, headerOf(old, old.key));
  }

  #post(hint: Omit<SaidHint, "atUs" | "newest" | "status">, value: string): void {
    const { nowUs, trace } = this.#machine;
    const { news, key, validMs, sequence, isGenuine } = hint;
    const said: SaidHint = {
      ...{ news, key, validMs, sequence, isGenuine },
      ...{ atUs: nowUs, newest: this.#newest() },
    };
    this.hints.push(said);
    this.#deliver(value, (status) => {
      if (status !== undefined) said.status = status;
      trace.note(`hint: ${said.sequence} ${said.news} ${isGenuine} ${status}`);
    });
  }
}

/** Requests by their hosts: those for the operator go there. */
export function withOperator(others: Network, operator: () => Operator): Network {
  return {
    send(from, request, done) {
      const isForIt = new URL(request.url).hostname === OPERATOR_HOST;
      return (isForIt ? operator() : others).send(from, request, done);
    },
  };
}

const KEY_BYTES = 32;
const TROUBLE = { message: "trouble" };
const GARBAGE = { decision: "perhaps", retryAfterMs: "soon" };
const REFUSED = { kind: "fault", fault: "refused", answered: false } as const;

type Hint = Pick<SaidHint, "sequence" | "news" | "validMs" | "key">;

function answerOf(status: number, body: object): Outcome {
  return { kind: "answer", status, headers: {}, body: JSON.stringify(body) };
}

function textOf({ sequence, news, validMs }: Hint): string {
  return `1 ${sequence} ${news} ${validMs}`;
}

/** The value of the header of a hint. */
function headerOf(hint: Hint, key: string): string {
  const bytes = Uint8Array.from(key.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
  return `${textOf(hint)} ${hmacSha256(bytes, [textOf(hint)])}`;
}
