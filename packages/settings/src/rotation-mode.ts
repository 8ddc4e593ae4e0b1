import { parseOneOf } from "./one-of.ts";

/** The ways in which changed secrets get to a program that has its values already. */
export const rotationWays = ["restart", "sighup"] as const;

/** The actions after a secret changed: the closed set, for every package. */
export const rotationModes = [...rotationWays, "none"] as const;

/** The way of one rotation. */
export type RotationWay = (typeof rotationWays)[number];

/** The action after a secret changed. */
export type RotationMode = (typeof rotationModes)[number];

/** Parses the name of a rotation mode. */
export const parseRotation = parseOneOf(rotationModes);
