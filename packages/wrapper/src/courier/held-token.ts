import type { Secret } from "@svc/vault";
import type { TokenLife } from "../courier-message.ts";

/** A token to work with. */
export interface HeldToken {
  readonly token: Secret;
  /** Known right after a login. */
  readonly life?: TokenLife;
}
