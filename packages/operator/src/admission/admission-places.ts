/** Places for questions that are being answered. */
export interface AdmissionPlaces {
  /** True if the caller has a place, which it must give back; false if no place gets free soon. */
  readonly enter: () => Promise<boolean>;
  readonly giveBack: () => void;
  readonly taken: () => number;
}

/** The number of places, and of requests that may wait for one. */
export interface PlaceLimits {
  readonly inFlight: number;
  readonly waiting: number;
  readonly waitMs: number;
}

/**
 * Makes places. Waiting requests are served in turn. A refused request would come back a whole
 * second later, together with all others.
 */
export function admissionPlaces({ inFlight, waiting, waitMs }: PlaceLimits): AdmissionPlaces {
  let taken = 0;
  const queue = new Set<(isHad: boolean) => void>();
  const inTurn = (): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => {
      queue.delete(turn);
      resolve(false);
    }, waitMs);
    const turn = (isHad: boolean): void => {
      clearTimeout(timer);
      resolve(isHad);
    };
    queue.add(turn);
    return promise;
  };
  return {
    enter: async () => {
      if (taken < inFlight) {
        taken += 1;
        return true;
      }
      return queue.size < waiting && inTurn();
    },
    giveBack: () => {
      const [next] = queue;
      if (next === undefined) {
        taken -= 1;
        return;
      }
      queue.delete(next);
      next(true);
    },
    taken: () => taken,
  };
}
