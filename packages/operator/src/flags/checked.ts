import { accepted, type Parser, refused } from "@svc/settings";

/** A parser that takes a text as it is where it passes. */
export function checked(passes: (text: string) => boolean, wanted: string): Parser<string> {
  return (text) => (passes(text) ? accepted(text) : refused(wanted));
}
