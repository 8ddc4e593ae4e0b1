import { parseOneOf } from "./one-of.ts";

/**
 * How a program can get its values: the closed set, for every package. The wrapper has their traits
 * in `program/delivery-traits.ts`.
 */
export const deliveryMethods = ["library", "inject", "preload", "env"] as const;

/** How the program gets its values. */
export type DeliveryMethod = (typeof deliveryMethods)[number];

/** Parses the name of a delivery method, or `auto`. */
export const parseDelivery = parseOneOf(["auto", ...deliveryMethods]);
