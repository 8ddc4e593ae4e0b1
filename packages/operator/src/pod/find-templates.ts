/** The way to a member of an object: names of fields and numbers in lists. */
export type Place = readonly (string | number)[];

/** Deeper members are not looked at: the templates of all known kinds are at most seven deep. */
const DEEPEST = 24;
/** Members of one object that are looked at; an alias in YAML may repeat them without end. */
const MOST_MEMBERS = 200_000;

/**
 * The places of pod templates (`PodTemplateSpec` of core/v1) in an object of any kind: members with
 * `spec.containers` that all have an image. The object itself does not count: its annotations are
 * not those of its pods.
 */
export function findTemplates(object: unknown): readonly Place[] {
  const found: Place[] = [];
  walk(object, (value, place) => {
    if (place.length === 0 || !isTemplate(value)) return true;
    found.push(place);
    return false;
  });
  return found;
}

/** The member at a place. */
export function valueAt(object: unknown, place: Place): unknown {
  return place.reduce((value: unknown, step) => Object(value)[step], object);
}

function isTemplate(value: unknown): boolean {
  const { containers } = Object(Object(value).spec);
  return (
    Array.isArray(containers) &&
    containers.length > 0 &&
    containers.every((container) => typeof Object(container).image === "string")
  );
}

/** Visits an object and its members, except for those of a value at which the visitor answers false. */
export function walk(object: unknown, visit: (value: object, place: Place) => boolean): void {
  let left = MOST_MEMBERS;
  const step = (value: unknown, place: Place): void => {
    if (typeof value !== "object" || value === null) return;
    left -= 1;
    if (left < 0 || place.length > DEEPEST || !visit(value, place)) return;
    const members: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(value);
    for (const [name, member] of members) step(member, [...place, name]);
  };
  step(object, []);
}
