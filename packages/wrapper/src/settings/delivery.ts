import { parseOneOf } from "@svc/settings";

/** Parses a way of delivery. */
export const parseDelivery = parseOneOf(["auto", "library", "inject", "preload", "env"]);

/** Parses a way of following. */
export const parseFollow = parseOneOf(["auto", "notify", "trace", "off"]);
