import { LookupPlaces } from "../../image/lookup-places.ts";
import type { RegistryCredential } from "../../image/registry-credential.ts";
import { LoginCache } from "../login-cache.ts";
import type { LoginWay } from "../login-way.ts";
import {
  type HelperPrograms,
  type HelperQuestion,
  runCredentialHelper,
} from "./run-credential-helper.ts";

/** Helpers for clouds keep their own answers, and renew them in time. */
const LIFE_MS = 300_000;
/** Each is a process of the operator's own memory limit. */
const BOUNDS = { flights: 8, waiting: 100, waitMs: 4000 } as const;

/**
 * Asks credential helpers, once for a registry however many images it has: an author of pods who
 * names many images must not start as many programs.
 */
export class CredentialHelpers {
  readonly #programs: HelperPrograms;
  readonly #answers = new LoginCache();
  readonly #places = new LookupPlaces(BOUNDS);

  constructor(programs: HelperPrograms) {
    this.#programs = programs;
  }

  /**
   * Returns the credentials of a helper for a registry; undefined if the helper has no entry.
   *
   * @throws ImageError `LOGIN_REFUSED`, `LOGIN_UNAVAILABLE`, `BUSY`
   */
  ask(question: HelperQuestion, way: LoginWay): Promise<readonly RegistryCredential[]> {
    const { name, registry } = question;
    const run = () => runCredentialHelper(question, this.#programs, way);
    return this.#answers.get(`${name} ${registry}`, async () => {
      const found = await this.#places.run(registry, way.operation, run);
      return { credentials: found === undefined ? [] : [found], lifeMs: LIFE_MS };
    });
  }
}
