import { quoted } from "@svc/settings";

/** The required shape of a JSON value. Every field may be absent or null unless it is required. */
export type Shape =
  | "text"
  | "number"
  | "boolean"
  | "quantity"
  | "port"
  | "anything"
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly fields: Readonly<Record<string, Shape>>; readonly required?: readonly string[] };

/** The problems of a value, each with its place; empty if it has the shape. */
export function shapeProblems(value: unknown, shape: Shape, place: string): readonly string[] {
  if (typeof shape === "string") {
    return isScalar(value, shape) ? [] : [wrong(place, names[shape], value)];
  }
  if ("list" in shape) return listProblems(value, shape.list, place);
  if (!isObject(value)) return [wrong(place, "an object", value)];
  if ("map" in shape) {
    return Object.entries(value).flatMap(([name, item]) =>
      shapeProblems(item, shape.map, `${place}[${quoted(name)}]`),
    );
  }
  const missing = (shape.required ?? []).filter((name) => isAbsent(value[name]));
  return [
    ...missing.map((name) => `${place}.${name}: must be set: it is not set`),
    ...Object.entries(shape.fields).flatMap(([name, field]) =>
      isAbsent(value[name]) ? [] : shapeProblems(value[name], field, `${place}.${name}`),
    ),
  ];
}

const names = {
  text: "a text",
  number: "a number",
  boolean: "true or false",
  quantity: "a quantity",
  port: "a number or a name",
  anything: "anything",
} as const;

function isScalar(value: unknown, shape: keyof typeof names): boolean {
  switch (shape) {
    case "text":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "quantity":
    case "port":
      return typeof value === "string" || typeof value === "number";
    case "anything":
      return true;
  }
}

function listProblems(value: unknown, item: Shape, place: string): readonly string[] {
  if (!Array.isArray(value)) return [wrong(place, "a list", value)];
  return value.flatMap((member, index) => shapeProblems(member, item, `${place}[${index}]`));
}

/** The value itself may be a secret: only its kind is reported. */
function wrong(place: string, wanted: string, value: unknown): string {
  const kind = value === null ? "null" : Array.isArray(value) ? "a list" : kindOf(value);
  return `${place}: must be ${wanted}: it is ${kind}`;
}

function kindOf(value: unknown): string {
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
