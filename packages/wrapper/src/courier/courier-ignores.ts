import { SIGPIPE, SIGXFSZ } from "@svc/kernel";

/**
 * Signals that a courier ignores, and its program does not. A vault that hangs up, and a limit of
 * file sizes, are errors of calls and not the end of the courier.
 */
export const courierIgnores: readonly number[] = [SIGPIPE, SIGXFSZ];
