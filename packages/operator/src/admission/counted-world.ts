import type { ImageAnswer } from "../inject/find-program.ts";
import type { AdmissionWorld } from "./admission-world.ts";
import type { ImageLookupResult, OperatorMetrics } from "./operator-metrics.ts";

/** The same world; its look-ups of images are counted, each image once, and timed. */
export function countedWorld(world: AdmissionWorld, metrics: OperatorMetrics): AdmissionWorld {
  return {
    // Asked each time: settings may change while the operator runs.
    get operator() {
      return world.operator;
    },
    configsOf: (namespace, asker) => world.configsOf(namespace, asker),
    clusterDefault: () => world.clusterDefault(),
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
        const answers = await world.imagesOf(images, asker);
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
