/** The parts of an object that are written. */
export interface WrittenObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: object }[];
  };
}

/** A PartialObjectMetadataList as an API server writes it, as far as the size matters. */
export function listInProtobuf(
  objects: readonly WrittenObject[],
  { version, next }: { readonly version: string; readonly next: string },
): Uint8Array {
  const list = [
    field(1, Buffer.concat([field(2, version), field(3, next)])),
    ...objects.map(({ metadata }) => field(2, field(1, objectMeta(metadata)))),
  ];
  return Buffer.concat([Buffer.from("k8s\0"), field(2, Buffer.concat(list))]);
}

function objectMeta(metadata: WrittenObject["metadata"]): Uint8Array {
  const { name, namespace, uid, labels, annotations, managedFields } = metadata;
  return Buffer.concat([
    ...[field(1, name), field(3, namespace), field(5, uid)],
    ...entries(11, labels),
    ...entries(12, annotations),
    ...managedFields.map(({ manager, fieldsV1 }) => {
      return field(17, [field(1, manager), field(7, field(1, JSON.stringify(fieldsV1)))]);
    }),
  ]);
}

function entries(number: number, texts: Readonly<Record<string, string>>): readonly Uint8Array[] {
  return Object.entries(texts).map(([key, text]) => field(number, [field(1, key), field(2, text)]));
}

function field(number: number, value: string | Uint8Array | readonly Uint8Array[]): Uint8Array {
  const bytes =
    typeof value === "string"
      ? Buffer.from(value)
      : value instanceof Uint8Array
        ? value
        : Buffer.concat([...value]);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(number: number): Uint8Array {
  const bytes: number[] = [];
  let rest = number;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}
