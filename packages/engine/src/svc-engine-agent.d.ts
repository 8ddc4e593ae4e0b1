/**
 * The part of the host's module for the kernel agent: the method Registration of
 * formats/proto/svc/agent/v1/agent.proto, by gRPC over a unix socket or TLS. Every BigInt is a
 * uint64 of the messages, which that file documents.
 */
declare module "svc:engine" {
  export interface AgentStreamOptions {
    readonly target: AgentTarget;
    onMessage(message: AgentAnswer): void;
    /** Called once, and last: why the stream is over, as `gRPC status 7: not a descendant`. */
    onEnd(reason: string): void;
  }
  export type AgentTarget =
    /** A unix socket. The agent asks the kernel who calls. */
    | { readonly kind: "socket"; readonly path: string }
    | {
        readonly kind: "tcp";
        /** A host with its port, as `10.0.0.1:9443` or `[fd00::1]:9443`. */
        readonly authority: string;
        readonly tls: HttpTls;
        /** Proves who calls, once TLS is verified. A token that cannot be a header is left out. */
        readonly token?: SecretBytes;
      };
  export type AgentRequest =
    | {
        readonly kind: "hello";
        readonly wrapperVersion: string;
        readonly podUid: string;
        readonly containerName: string;
        readonly podName: string;
        readonly podNamespace: string;
        readonly tokenPath: string;
        readonly tokenDevice: number;
        readonly tokenInode: bigint;
      }
    | {
        readonly kind: "register";
        readonly request: bigint;
        readonly pid: number;
        readonly keyCount: number;
        /** The name of a DeliveryMethod of the protocol, in small letters. */
        readonly delivery: string | undefined;
        readonly memfdSecret: boolean;
        readonly memoryLocked: boolean;
        readonly bareEnvironment: bigint;
      }
    | {
        readonly kind: "versions";
        readonly secrets: readonly {
          readonly path: string;
          readonly version: bigint;
          readonly sinceMs: bigint;
        }[];
      };
  export type AgentAnswer =
    | {
        readonly kind: "welcome";
        readonly version: string;
        readonly tier: AgentTier;
        readonly tokenUnwatched: string;
      }
    | { readonly kind: "registered"; readonly request: bigint; readonly registration: bigint }
    | {
        readonly kind: "refused";
        readonly request: bigint;
        readonly code: string;
        readonly message: string;
        readonly hint: string;
      }
    | { readonly kind: "tier"; readonly tier: AgentTier }
    /** A message that this release has no name for. */
    | { readonly kind: "other" };
  /** `unknown` if the agent names no tier, or one that this release does not know. */
  export type AgentTier = "none" | "tracing" | "detect" | "kill" | "enforce" | "unknown";
  export interface AgentStream {
    /**
     * Sends a message, or keeps it until the connection is there; nothing if the stream is over.
     * @throws TypeError if it is not a message
     */
    send(message: AgentRequest): void;
    /** Closes the connection. Nothing is heard of the stream any more. */
    close(): void;
  }
  /**
   * Opens a stream. A connection that fails is heard as its end, in a later turn. The process stays
   * alive while the stream is open; in the child of a fork it is the parent's, and does nothing.
   * @throws TypeError if the target cannot be read
   */
  export function openAgentStream(options: AgentStreamOptions): AgentStream;
}
