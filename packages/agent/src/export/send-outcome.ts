/** The outcome of a request. */
export type SendOutcome =
  /** The platform has it; `rejected` of its records it will never take. */
  | { readonly kind: "taken"; readonly rejected: number; readonly message: string }
  /** It may take it another time; after `afterMs` if it has said so. */
  | { readonly kind: "later"; readonly reason: string; readonly afterMs?: number }
  /** It will never take this request: something in it, or its size. */
  | { readonly kind: "never"; readonly reason: string };

/** A way to the platform. */
export interface PlatformClient {
  /** Sends an ExportLogsServiceRequest. It never throws. */
  readonly send: (body: Uint8Array, signal: AbortSignal) => Promise<SendOutcome>;
  readonly close: () => void;
}
