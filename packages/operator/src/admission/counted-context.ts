import type { ImageAnswer } from "../inject/find-program.ts";
import type { AdmissionContext } from "./admission-context.ts";
import type { ImageLookupResult, OperatorMetrics } from "./operator-metrics.ts";

/** The same context; its look-ups of images are counted, each image once, and timed. */
export function countedContext(
  context: AdmissionContext,
  metrics: OperatorMetrics,
): AdmissionContext {
  return {
    // Asked each time: settings may change while the operator runs.
    get operator() {
      return context.operator;
    },
    configsOf: (namespace, asker) => context.configsOf(namespace, asker),
    clusterDefault: () => context.clusterDefault(),
    imagesOf: async (images, asker) => {
      const beganMs = performance.now();
      let isOver = false;
      const end = (resultOf: (image: string) => ImageLookupResult): void => {
        // A lookup that was told to stop and answers nevertheless counts once.
        if (isOver) return;
        isOver = true;
        for (const image of images) metrics.imageLookedUp(resultOf(image));
        metrics.imagesTook(performance.now() - beganMs);
      };
      asker.signal.addEventListener("abort", () => end(() => "unanswered"), { once: true });
      try {
        const answers = await context.imagesOf(images, asker);
        end((image) => resultOf(answers.get(image)));
        return answers;
      } catch (error) {
        end(() => "broken");
        throw error;
      }
    },
  };
}

function resultOf(answer: ImageAnswer | undefined): ImageLookupResult {
  return answer?.kind === "found" ? "found" : "unreadable";
}
