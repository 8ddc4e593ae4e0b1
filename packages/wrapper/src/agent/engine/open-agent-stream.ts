import { openAgentStream as openHostStream } from "svc:engine";
import type { AgentSettings } from "../../settings/wrapper-settings.ts";
import { readAgentTls, readAgentToken } from "../agent-proof.ts";
import type { OpenAgentStream } from "../agent-stream.ts";
import type { AgentTarget } from "../agent-target.ts";

type HostTarget = Parameters<typeof openHostStream>[0]["target"];

/** Opens a stream of the host, which holds the token and the key, and encodes the messages. */
export const openAgentStream: OpenAgentStream = async (target, { tls }, listener) =>
  openHostStream({ target: hostTarget(target, tls), ...listener });

function hostTarget(target: AgentTarget, settings: AgentSettings["tls"]): HostTarget {
  if (target.kind === "socket") return { kind: "socket", path: target.path };
  const { ca, key, ...rest } = readAgentTls(settings);
  const token = readAgentToken(settings.tokenPath);
  return {
    ...{ kind: "tcp", authority: target.authority },
    tls: {
      ...{ skipVerify: false, ...rest },
      ...(ca !== undefined && { ca: [ca] }),
      // An adapter over the host's own handle.
      ...(key && { key: key as never }),
    },
    ...(token && { token: token as never }),
  };
}
