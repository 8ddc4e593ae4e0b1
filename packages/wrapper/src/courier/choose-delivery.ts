/** How the program gets its values. */
export type DeliveryRung = "library" | "env";

/** The rung and why it was taken. */
export interface DeliveryChoice {
  readonly rung: DeliveryRung;
  readonly reason: string;
}

/**
 * Takes the highest rung of the ladder that works for the program. A fixed rung is taken as it is: a
 * program can read the region without the library.
 *
 */
export function chooseDelivery(
  setting: "auto" | DeliveryRung,
  importsLibrary: () => boolean,
): DeliveryChoice {
  if (setting !== "auto") return { rung: setting, reason: `SVC_DELIVERY is ${setting}` };
  if (importsLibrary()) return { rung: "library", reason: "the program uses the Go library" };
  return { rung: "env", reason: "the program does not use the Go library" };
}
