/** Whether the wrapper stays beside the program: the closed set, for every package. */
export const supervisions = ["always", "never"] as const;

/** Whether the wrapper stays beside the program, or becomes it. */
export type Supervision = (typeof supervisions)[number];
