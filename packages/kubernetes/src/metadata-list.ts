/** The metadata of each object of a list. */
export interface ListedMetadata {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
}

/** A list as `listPages` reads it. */
export interface MetadataList {
  readonly metadata: { readonly resourceVersion: string; readonly continue: string };
  readonly items: readonly ListedMetadata[];
}

/** Asks for it. */
export const METADATA_LIST =
  "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/** `k8s` and a zero byte stand before every object (apimachinery, runtime/serializer/protobuf). */
const MAGIC = [0x6b, 0x38, 0x73, 0x00];

/**
 * Reads a PartialObjectMetadataList in protobuf. As JSON a hundred thousand pods are 2 GB of
 * objects that are thrown away at once, most of them `managedFields`; here they are passed over as
 * bytes. Field numbers are those of generated.proto in apimachinery's `runtime` and `apis/meta/v1`.
 *
 * @throws RangeError if it is not one
 */
export function parseMetadataList(bytes: Uint8Array): MetadataList {
  if (!MAGIC.every((byte, index) => bytes[index] === byte)) {
    throw new RangeError("the answer is not an object in protobuf");
  }
  const list = fieldOf(bytes.subarray(MAGIC.length), 2);
  const items: ListedMetadata[] = [];
  let metadata: MetadataList["metadata"] = { resourceVersion: "", continue: "" };
  eachField(list, (number, value) => {
    if (number === 1) {
      metadata = {
        resourceVersion: textOf(fieldOf(value, 2)),
        continue: textOf(fieldOf(value, 3)),
      };
    }
    if (number === 2) items.push(objectOf(fieldOf(value, 1)));
  });
  return { metadata, items };
}

/** An ObjectMeta. */
function objectOf(bytes: Uint8Array): ListedMetadata {
  let [name, namespace, uid] = ["", "", ""];
  const labels: Record<string, string> = {};
  const annotations: Record<string, string> = {};
  eachField(bytes, (number, value) => {
    if (number === 1) name = textOf(value);
    if (number === 3) namespace = textOf(value);
    if (number === 5) uid = textOf(value);
    if (number === 11) labels[textOf(fieldOf(value, 1))] = textOf(fieldOf(value, 2));
    if (number === 12) annotations[textOf(fieldOf(value, 1))] = textOf(fieldOf(value, 2));
  });
  return { metadata: { name, namespace, uid, labels, annotations } };
}

const nothing = new Uint8Array();

/** The last field of a number; empty if there is none. */
function fieldOf(bytes: Uint8Array, wanted: number): Uint8Array {
  let found: Uint8Array = nothing;
  eachField(bytes, (number, value) => {
    if (number === wanted) found = value;
  });
  return found;
}

/**
 * The fields of a message that have a length: numbers are passed over, for none of them is wanted.
 */
function eachField(bytes: Uint8Array, take: (number: number, value: Uint8Array) => void): void {
  const at = { bytes, index: 0 };
  while (at.index < bytes.length) {
    const tag = varint(at);
    switch (tag & 7) {
      case 0:
        varint(at);
        break;
      case 1:
        at.index += 8;
        break;
      case 2: {
        const end = varint(at) + at.index;
        if (end > bytes.length) throw new RangeError("a field of the answer has no end");
        take(tag >>> 3, bytes.subarray(at.index, end));
        at.index = end;
        break;
      }
      case 5:
        at.index += 4;
        break;
      default:
        throw new RangeError("a field of the answer is of no kind");
    }
  }
}

/** Numbers beyond 2^53 lose digits, and are passed over. */
function varint(at: { readonly bytes: Uint8Array; index: number }): number {
  let value = 0;
  for (let factor = 1; factor <= 2 ** 63; factor *= 128) {
    const byte = at.bytes[at.index];
    if (byte === undefined) break;
    at.index += 1;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
  throw new RangeError("a number of the answer has no end");
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
