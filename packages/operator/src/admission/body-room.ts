/** Memory for bodies that are on their way or being judged. */
export interface BodyRoom {
  /**
   * Takes room for a body of a number of bytes, which has to be given back; false if there is none.
   */
  readonly take: (bytes: number) => boolean;
  readonly giveBack: (bytes: number) => void;
}

/**
 * Ordinary questions are below; clients that announce large bodies and do not send them never block
 * these.
 */
const SMALL_BYTES = 64 * 1024;

/** Makes room for a number of bytes of large bodies together. */
export function bodyRoom(mostBytes: number): BodyRoom {
  let taken = 0;
  return {
    take: (bytes) => {
      if (bytes <= SMALL_BYTES) return true;
      if (taken + bytes > mostBytes) return false;
      taken += bytes;
      return true;
    },
    giveBack: (bytes) => {
      if (bytes > SMALL_BYTES) taken -= bytes;
    },
  };
}
