import { accepted, type Parser, refused } from "@svc/settings";

/** A parser for a whole number within bounds, which are included. */
export function parseCount({
  least,
  most,
}: {
  readonly least: number;
  readonly most: number;
}): Parser<number> {
  return (text) => {
    const number = Number(text);
    const fits = /^\d{1,9}$/.test(text) && number >= least && number <= most;
    return fits ? accepted(number) : refused(`a whole number from ${least} to ${most}`);
  };
}
