import { accepted, type Parsed, refused } from "@svc/settings";

const units = { "": 1, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3 } as const;
const form = /^([1-9]\d{0,11})(|Ki|Mi|Gi)$/;

/** The least and the most; 1 MiB holds a thousand events. */
const least = units.Mi;
const most = 64 * units.Gi;

/**
 * Parses a number of bytes as Kubernetes writes them: `67108864`, `64Mi`, `1Gi`. From 1Mi to 64Gi.
 */
export function parseByteSize(text: string): Parsed<number> {
  const [, number = "", unit = ""] = form.exec(text) ?? [];
  const bytes = Number(number) * (isUnit(unit) ? units[unit] : 0);
  if (bytes >= least && bytes <= most) return accepted(bytes);
  return refused("a number of bytes from 1Mi to 64Gi, such as 64Mi");
}

function isUnit(text: string): text is keyof typeof units {
  return Object.hasOwn(units, text);
}
