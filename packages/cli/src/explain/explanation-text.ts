import { aboutText } from "../inject/injection-report.ts";
import type { ContainerState } from "./container-state.ts";
import type { Explanation, Verdict } from "./explanation.ts";
import type { PodStory } from "./pod-story.ts";

/** An explanation for people. */
export function explanationText(explanation: Explanation): string {
  const { reason, containers, obstacles } = explanation;
  return [
    `${aboutText(explanation)} ${sentenceOf(explanation)}: ${reason}`,
    ...list("containers with the wrapper", containers),
    ...progressLines(explanation),
    ...list("in the way", obstacles),
    ...list("warnings", explanation.warnings),
    ...list("pods that could not be made", explanation.failures),
    ...list("not known from here", explanation.open),
  ].join("\n");
}

function sentenceOf({ kind, verdict, obstacles }: Explanation): string {
  if (verdict === "would-inject" && obstacles.length > 0) {
    return "makes pods that would be injected into";
  }
  return kind === "Pod" ? (podSentences[verdict] ?? sentences[verdict]) : sentences[verdict];
}

const sentences: Readonly<Record<Verdict, string>> = {
  injected: "was injected into",
  waits: "makes pods that are injected into, and programs do not run yet",
  fails: "makes pods that are injected into, and programs do not run",
  "not-injected": "was not injected into",
  "would-inject": "makes pods that are injected into",
  "would-leave": "makes pods that are left alone",
  "would-refuse": "makes pods that are refused",
};

const podSentences: Readonly<Partial<Record<Verdict, string>>> = {
  waits: "was injected into, and its program does not run yet",
  fails: "was injected into, and its program does not run",
};

/** Further pods have the same state, or a better one. */
const MOST_PODS = 5;

function progressLines({ kind, pods }: Explanation): readonly string[] {
  if (kind === "Pod") return list("how far it has come", pods.flatMap(storyLines));
  const shown = pods
    .slice(0, MOST_PODS)
    .flatMap((pod) => [
      `${pod.name}: ${pod.standing === "bare" ? "it has no wrapper: create it again" : pod.standing}`,
      ...(pod.standing === "fails" || pod.standing === "waits"
        ? storyLines(pod).map((line) => `  ${line}`)
        : []),
    ]);
  const more = pods.length - MOST_PODS;
  const rest = more > 0 ? [`and ${more} more, which fare as the last one or better`] : [];
  return list("how far its pods have come", [...shown, ...rest]);
}

function storyLines({ reason, containers }: PodStory): readonly string[] {
  return [...(reason === "" ? [] : [reason]), ...containers.flatMap(stateLines)];
}

function stateLines({ name, text, end }: ContainerState): readonly string[] {
  return [`${name}: ${text}`, ...(end?.wrapper ?? []).map((line) => `  ${line}`)];
}

function list(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `  ${item}`)];
}
