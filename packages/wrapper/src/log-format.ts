import { isTerminal } from "@svc/kernel";
import type { LogFormat } from "./log.ts";

/** `auto` is text if a person reads standard error, else JSON. */
export function logFormatOf(setting: "auto" | LogFormat): LogFormat {
  if (setting !== "auto") return setting;
  return isTerminal(2) ? "text" : "json";
}
