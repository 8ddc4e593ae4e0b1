import { version } from "@svc/protocol";
import type { AgentSettings } from "../settings/wrapper-settings.ts";
import type { Hello } from "./agent-messages.ts";
import { tokenWords } from "./unwatched-token.ts";

/** The first message. @param tokenPath the token by which the wrapper logs in to the vault */
export function helloOf({ podUid = "", names }: AgentSettings, tokenPath = ""): Hello {
  const { podName = "", podNamespace = "", containerName = "" } = names;
  const pod = { podUid, podName, podNamespace, containerName };
  return { kind: "hello", wrapperVersion: version, ...pod, ...tokenWords(tokenPath) };
}
