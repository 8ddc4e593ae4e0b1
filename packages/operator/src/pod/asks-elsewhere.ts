import { findTemplates, type Place, valueAt, walk } from "./find-templates.ts";
import { hasKnownPlace } from "./pod-templates.ts";

/**
 * The place outside of its pod templates in which an object asks for injection: annotations or
 * labels that its controller may give to pods, as `spec.driver.annotations`. Undefined if there is
 * no such place. Pods of Kubernetes' own kinds have the annotations of their template alone.
 */
export function asksElsewhere(object: unknown, prefix: string): string | undefined {
  if (hasKnownPlace(object)) return undefined;
  const templates = findTemplates(object);
  const inTemplates = templates.map((place) => ({ place, asks: asksIn(object, place, prefix) }));
  const elsewhere: Place[] = [];
  let hasImage = false;
  walk(object, (value, place) => {
    if (inTemplates.some((template) => isSame(template.place, place))) return false;
    hasImage ||= Object.entries(value).some(([name, member]) => isImage(name, member));
    if (isAnnotations(place) && asks(value, prefix)) elsewhere.push(place);
    return true;
  });
  const found = elsewhere.find(([first]) => first !== "metadata");
  if (found !== undefined) return found.join(".");
  // Tools put a label on every object of an application, also on those that make no pods.
  const mayMakePods = hasImage || templates.length > 0;
  const isAnswered = inTemplates.some((template) => template.asks);
  const [own] = elsewhere;
  return own !== undefined && mayMakePods && !isAnswered ? own.join(".") : undefined;
}

function asksIn(object: unknown, place: Place, prefix: string): boolean {
  const { annotations, labels } = Object(Object(valueAt(object, place)).metadata);
  return asks(annotations, prefix) || asks(labels, prefix);
}

function asks(texts: unknown, prefix: string): boolean {
  const said = Object(texts)[`${prefix}/inject`];
  return said !== undefined && said !== "false";
}

/** `annotations`, `podLabels`; not the labels by which something is chosen. */
function isAnnotations(place: Place): boolean {
  return /^(?!match).*(?:annotations|labels)$/i.test(String(place.at(-1)));
}

function isImage(name: string, member: unknown): boolean {
  return /image$/i.test(name) && typeof member === "string";
}

function isSame(a: Place, b: Place): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}
