import { parseOneOf } from "@svc/settings";

/** Parses a way of delivery. */
export const parseDelivery = parseOneOf(["auto", "library", "inject", "preload", "env"]);
