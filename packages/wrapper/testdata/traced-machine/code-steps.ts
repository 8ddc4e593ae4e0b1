/** A system call of the preparing code; its result comes back. */
export type CodeCall = readonly [name: string, ...parameters: readonly number[]];

/** The last step of the preparing code. */
export type CodeEnd = "trap" | "begin" | "exit";
