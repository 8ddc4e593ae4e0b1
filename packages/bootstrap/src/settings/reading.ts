import type { Reading as ReadingOf } from "@svc/settings";
import type { BootstrapTable } from "./variables.ts";

/** The parsed variables of `svc secretstore init`. */
export type Reading = ReadingOf<BootstrapTable>;
