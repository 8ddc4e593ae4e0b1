import { parseOneOf } from "./one-of.ts";
import { namesOf } from "./table-names.ts";

/** The meaning of a login method for the settings. */
interface LoginMethodRow {
  /** True if the settings give a token of the vault, or a client brings it. No login is needed. */
  readonly takesToken: boolean;
}

/** The ways by which the wrapper logs in: the closed set, for every package. */
export const loginMethods = {
  kubernetes: { takesToken: false },
  jwt: { takesToken: false },
  approle: { takesToken: false },
  cert: { takesToken: false },
  userpass: { takesToken: false },
  token: { takesToken: true },
} as const satisfies Readonly<Record<string, LoginMethodRow>>;

/** The name of a login method. */
export type LoginMethod = keyof typeof loginMethods;

/** The names of all login methods. */
export const loginMethodNames = namesOf(loginMethods);

/** Those with which the settings give a token of the vault, or a client brings it. */
export const methodsWithToken = loginMethodNames.filter((name) => loginMethods[name].takesToken);

/** Parses the name of a login method. */
export const parseLoginMethod = parseOneOf(loginMethodNames);
