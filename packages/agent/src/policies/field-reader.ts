import { quoted } from "@svc/settings";

const LARGEST_ID = 2 ** 32 - 2;

/** A value as a problem shows it: a text, or another value as JSON. */
export function found(value: unknown): string {
  if (value === undefined) return "nothing";
  return quoted(typeof value === "string" ? value : JSON.stringify(value));
}

/** Reads fields, and notes their problems. */
export class FieldReader {
  readonly problems: string[] = [];

  say(place: string, wanted: string, what: string): void {
    this.problems.push(`${place || "the file"}: wanted ${wanted}, found ${what}`);
  }

  object(
    place: string,
    value: unknown,
    known: readonly string[],
  ): Readonly<Record<string, unknown>> | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      this.say(place, `fields ${known.join(", ")}`, found(value));
      return undefined;
    }
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue;
      this.say(place, `no other fields than ${known.join(", ")}`, quoted(name));
    }
    return Object.fromEntries(Object.entries(value));
  }

  /** Its entries; none, and a problem, if it is not a map. */
  map(place: string, value: unknown): readonly (readonly [string, unknown])[] {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return Object.entries(value);
    }
    this.say(place, "a map", found(value));
    return [];
  }

  list(place: string, value: unknown): readonly unknown[] | undefined {
    if (Array.isArray(value)) return value;
    this.say(place, "a list", found(value));
    return undefined;
  }

  match(place: string, value: unknown, form: RegExp, wanted: string): string | undefined {
    if (typeof value === "string" && form.test(value)) return value;
    this.say(place, wanted, found(value));
    return undefined;
  }

  id(place: string, value: unknown): number | undefined {
    if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LARGEST_ID) {
      return Number(value);
    }
    this.say(place, "a number of a user or group such as 1000", found(value));
    return undefined;
  }

  unique(names: readonly string[]): void {
    for (const name of new Set(names)) {
      if (names.filter((other) => other === name).length > 1) {
        this.say("policies", "names that differ", `${quoted(name)} again`);
      }
    }
  }
}
