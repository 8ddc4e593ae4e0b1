/** The version of every part of svc. */
export const version = "0.1.0";
