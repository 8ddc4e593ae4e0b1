import type { Log } from "@svc/logging";
import { type Blindness, isBlind, type Monitor } from "../monitor/load-monitor.ts";
import { type TokenWatch, watchNoTokens } from "../registration/token-watch.ts";
import type { AgentSettings } from "../settings/agent-settings.ts";
import { followKubelet } from "../token-files/follow-kubelet.ts";
import { type TokenFileCounts, TokenFiles } from "../token-files/token-files.ts";
import { watchTokens } from "../token-files/watch-tokens.ts";

/** How the files of tokens are watched. */
export interface KeptTokenFiles {
  readonly watch: TokenWatch;
  readonly facts: () => TokenFileCounts;
  readonly stop: () => void;
}

export interface TokenFileParts {
  readonly settings: Pick<AgentSettings, "kubeletFolder">;
  readonly monitor: Monitor | Blindness;
  readonly log: Log;
}

/** Has openings of tokens' files reported, if the kernel side sees them. */
export function keepTokenFiles(parts: TokenFileParts): KeptTokenFiles {
  const { settings, monitor, log } = parts;
  if (isBlind(monitor) || monitor.capabilities.kinds.token_file === undefined) return seesNone;
  const files = new TokenFiles(monitor.tokenFiles);
  const kubelet = followKubelet({
    ...{ folder: settings.kubeletFolder, writer: monitor.tokenFiles, log },
  });
  return {
    watch: watchTokens({ files, kubelet }),
    facts: () => files.counts(),
    stop: kubelet.stop,
  };
}

const seesNone: KeptTokenFiles = {
  watch: watchNoTokens("the kernel takes no program of the agent that sees it"),
  facts: () => ({ volumes: 0, wrappers: 0 }),
  stop: () => undefined,
};
