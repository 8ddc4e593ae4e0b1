import type { MemoryBounds } from "@svc/kernel";

const MIB = 1 << 20;

/** The most bytes of a file. */
export const MOST_FILE_BYTES = MIB;
/** The most bytes of all files together. */
export const MOST_ALL_BYTES = 4 * MIB;

/** Two versions fit, with room for files that the program makes there itself. */
export const placeBounds: MemoryBounds = { bytes: 4 * MOST_ALL_BYTES, files: 4096 };
