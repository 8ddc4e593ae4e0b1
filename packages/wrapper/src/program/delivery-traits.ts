import type { DeliveryMethod } from "@svc/settings";

/** The meaning of a delivery method for the parts of the wrapper. */
export interface DeliveryTraits {
  /** Each variable of the program: absent, an empty placeholder, or its value. */
  readonly variables: "absent" | "placeholders" | "values";
  /** True if the tracer maps the region in the program and points its variables there. */
  readonly isTraced: boolean;
  /** True if the interposer does that, which the dynamic loader puts into the program. */
  readonly isInterposed: boolean;
  /** True if the program itself opens the region. Its variables do not lead there. */
  readonly isOpened: boolean;
  /** Points for the protection, of 15. */
  readonly points: number;
  /** The effect on the programs that it starts; undefined if that depends on the following. */
  readonly children: string | undefined;
}

/** The traits of each delivery method. */
export const deliveryTraits: Readonly<Record<DeliveryMethod, DeliveryTraits>> = {
  library: {
    variables: "absent",
    ...{ isTraced: false, isInterposed: false, isOpened: true },
    points: 15,
    children: "have no values: the program reads its own from protected memory",
  },
  inject: {
    variables: "placeholders",
    ...{ isTraced: true, isInterposed: false, isOpened: false },
    points: 15,
    children: undefined,
  },
  preload: {
    variables: "placeholders",
    ...{ isTraced: false, isInterposed: true, isOpened: false },
    points: 10,
    children: "protected by the interposer; static programs and copies in other variables are not",
  },
  env: {
    variables: "values",
    ...{ isTraced: false, isInterposed: false, isOpened: false },
    points: 0,
    children: "have plain values, as the program has",
  },
};

/** True if the values are in the program's environment, for every reader of /proc/PID/environ. */
export function showsValues(method: DeliveryMethod): boolean {
  return deliveryTraits[method].variables === "values";
}

/** A fact about /proc/PID/environ that surprises a few programs; undefined if it does not. */
export function aboutEnviron(method: DeliveryMethod): string | undefined {
  return deliveryTraits[method].variables === "placeholders"
    ? "a program that reads /proc/self/environ instead of calling getenv(3) finds no values"
    : undefined;
}

/** True if a setting, which is not checked, may lead to a delivery by the tracer. */
export function mayTrace(setting: string): boolean {
  const traced = Object.entries(deliveryTraits).filter(([, { isTraced }]) => isTraced);
  return setting === "auto" || traced.some(([method]) => method === setting);
}
