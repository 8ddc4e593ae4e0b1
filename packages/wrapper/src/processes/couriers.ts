import { closeDescriptor, ownPid, type SecretMemory, type SecretMemoryKind } from "@svc/kernel";
import type { CourierJob } from "../messages/courier-job.ts";
import type { CourierMessage } from "../messages/courier-message.ts";
import type { JobMessage } from "../messages/job-message.ts";
import { mayTrace } from "../program/delivery-traits.ts";
import type { FileWay } from "../secret-files/passed-file.ts";
import type { WrapperSettings } from "../settings.ts";
import { openLogin } from "./open-login.ts";
import type { MemoryMaker } from "./secret-memory.ts";
import type { SessionHolder } from "./session-holder.ts";
import type { BornCourier } from "./start-courier.ts";
import { type Courier, type CourierOrigin, startCourier } from "./start-courier.ts";

/** A courier at work. */
export interface WorkingCourier {
  readonly courier: Courier;
  /** The region that it fills; the caller's to close, once. */
  readonly region: SecretMemory;
  /** Its messages without its sessions, which are handled here. Read it once, to the end. */
  readonly messages: AsyncIterable<CourierMessage>;
}

export interface CouriersOptions {
  readonly origin: CourierOrigin;
  readonly settings: WrapperSettings;
  readonly session: SessionHolder;
  readonly memory: MemoryMaker;
  /** Undefined if no secret becomes a file. */
  readonly fileWay?: FileWay | undefined;
}

/** Starts couriers, and keeps the data that they pass to each other. */
export class Couriers {
  readonly #options: CouriersOptions;

  constructor(options: CouriersOptions) {
    this.#options = options;
  }

  /** The common inputs of all couriers. */
  get origin(): CourierOrigin {
    return this.#options.origin;
  }

  get memoryKind(): SecretMemoryKind {
    return this.#options.memory.kind;
  }

  /**
   * Makes ordinary memory for secrets from now on, if that is enough.
   *
   * @returns false if the settings want more, or regions are ordinary memory already.
   */
  degradeMemory(message: string): boolean {
    const { memory, settings } = this.#options;
    const { requireMlock, requireMemfdSecret } = settings.memory;
    if (memory.kind === "memfd" || requireMlock || requireMemfdSecret) return false;
    memory.degrade(message);
    return true;
  }

  /** Gives the first courier its job. */
  send(born: BornCourier, job: CourierJob): WorkingCourier {
    const { courier, region } = born;
    const { origin, settings, session, memory, fileWay } = this.#options;
    using login = openLogin(settings.vault?.auth);
    const jobMessage: JobMessage = {
      settings,
      job,
      sessionLength: session.lengthBytes,
      memoryKind: memory.kind,
      ignoredSignals: origin.arrival.ignoredSignals,
      inheritedFds: origin.arrival.inheritedFds,
      supervisorPid: ownPid(),
      tracing: courier.tracing,
      ...(fileWay && { fileWay }),
      ...login.jobMessage,
    };
    courier.assign(jobMessage, login.fd);
    return { courier, region, messages: this.#listen(born) };
  }

  /** Starts a courier for a delivery, with a new region for its secrets. */
  deliver(job: CourierJob): Promise<WorkingCourier> {
    const { delivery, supervise } = this.#options.settings;
    return this.#start(job, supervise === "always" && mayTrace(delivery));
  }

  /** Starts a courier for any other job; `region` is the program's, if the job is about it. */
  errand(job: CourierJob, region?: SecretMemory): Promise<WorkingCourier> {
    return this.#start(job, false, region);
  }

  async #start(job: CourierJob, mayTrace: boolean, given?: SecretMemory): Promise<WorkingCourier> {
    const { origin, session, memory } = this.#options;
    const newSession = memory.make();
    let region = given;
    try {
      region ??= memory.make();
      const born = { session: session.fd, newSession, region: region.fd, mayTrace };
      const courier = await startCourier(origin, born);
      return this.#sendOrDiscard({ courier, newSession, region }, job);
    } catch (error) {
      closeDescriptor(newSession.fd);
      // The program's own is still needed.
      if (region !== given && region !== undefined) closeDescriptor(region.fd);
      throw error;
    }
  }

  #sendOrDiscard(born: BornCourier, job: CourierJob): WorkingCourier {
    try {
      return this.send(born, job);
    } catch (error) {
      born.courier.discard();
      throw error;
    }
  }

  async *#listen({ courier, newSession }: BornCourier): AsyncGenerator<CourierMessage> {
    const { session } = this.#options;
    let taken = false;
    try {
      for await (const message of courier.messages) {
        if (message.kind === "session") {
          session.replace(newSession, message.lengthBytes);
          taken = true;
        }
        const life =
          message.kind === "session" || message.kind === "checked" ? message.token : undefined;
        if (life !== undefined) session.learn(life, performance.now(), Math.random());
        yield message;
      }
    } finally {
      if (!taken) closeDescriptor(newSession.fd);
    }
  }
}
