/** Calls of the real kernel for tests that compare it with another one. */
export { addressOf, bytesAt, lastErrno, libc } from "#native";
export { errnoName } from "../libc/errno-names.ts";
