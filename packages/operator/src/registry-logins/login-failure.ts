import { ImageError } from "../image/image-error.ts";

/** The facts of a failed login beside its message. */
export interface LoginFailureDetails {
  readonly hint: string;
  readonly cause?: unknown;
}

/**
 * The login is not set up whole, or a server refused it: it fails again until an administrator
 * changes something.
 */
export function loginRefused(message: string, details: LoginFailureDetails): ImageError {
  return new ImageError("LOGIN_REFUSED", message, details);
}

/** A server did not answer, or asked to wait: the same login may do in a moment. */
export function loginUnavailable(message: string, details: LoginFailureDetails): ImageError {
  return new ImageError("LOGIN_UNAVAILABLE", message, details);
}
