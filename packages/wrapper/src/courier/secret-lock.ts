import type { CourierContext } from "./courier-context.ts";

/** Keeps the pages in which a courier has secrets out of swap. */
export interface SecretLock {
  /**
   * To be called before the first secret arrives. With SVC_REQUIRE_MLOCK=true a page that cannot be
   * locked ends the courier: here by throwing, later with the same failure in its report.
   *
   * @throws WrapperError `MLOCK_FAILED`
   */
  begin(context: CourierContext): void;
  /** True while every page that has had secrets was locked. */
  isWhole(): boolean;
  /** Releases unused secrets, once all are fetched. */
  forget(): void;
  /** Gives locks up in favour of a region; false if there are none, or they must stay. */
  makeRoom(): boolean;
}
