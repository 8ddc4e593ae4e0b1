/** Of those who were killed for an attempt, how many had what they were after by then. */
export interface LeakWindow {
  readonly attempts: number;
  readonly hadIt: number;
}

/** Of each attack: docs/reference/attacks.md. */
const ATTEMPTS = 50;

/** What io_uring opens into a slot of its own is read before anybody is asked. Of no other row anybody has got a byte. */
const hadIt: Readonly<Record<string, number>> = { process_file_by_ring: ATTEMPTS };

/**
 * What was measured of the rows where whoever attempts is only killed, in guests with one processor.
 *
 * @param rows what becomes of each
 */
export function leakWindows(
  rows: Readonly<Record<string, string>>,
): Readonly<Record<string, LeakWindow>> {
  const killed = Object.keys(rows).filter((row) => rows[row] === "killed");
  return Object.fromEntries(
    killed.map((row) => [row, { attempts: ATTEMPTS, hadIt: hadIt[row] ?? 0 }]),
  );
}
