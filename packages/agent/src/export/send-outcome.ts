import type { PlatformAnswer } from "./platform-answer.ts";

/** The outcome of a request. */
export type SendOutcome =
  /**
   * The platform has it; `rejected` of its records it will never take. `answer` if it is not one of
   * OTLP.
   */
  | ({ readonly kind: "taken"; readonly rejected: number; readonly message: string } & Answered)
  /** It may take it another time; after `afterMs` if it has said so. */
  | ({ readonly kind: "later"; readonly reason: string; readonly afterMs?: number } & Answered)
  /** It will never take this request: something in it, or its size. */
  | ({ readonly kind: "never"; readonly reason: string } & Answered);

interface Answered {
  /** The server's answer, if there is one. */
  readonly answer?: PlatformAnswer;
}

/** A way to the platform. */
export interface PlatformClient {
  /** Sends an ExportLogsServiceRequest. It never throws. */
  readonly send: (body: Uint8Array, signal: AbortSignal) => Promise<SendOutcome>;
  readonly close: () => void;
}
