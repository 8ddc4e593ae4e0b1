import { KernelError } from "./errors.ts";

/** The kinds of files; inode(7). */
export type FileKind = "regular" | "directory" | "link" | "device";

const kindBits: Readonly<Record<FileKind, number>> = {
  regular: 0o100000,
  directory: 0o040000,
  link: 0o120000,
  device: 0o020000,
};

/** A file of the simulated machine. */
export class Inode {
  readonly path: string;
  readonly kind: FileKind;
  readonly number: number;
  permissions: number;
  /** The content of a regular file; a mapping of it is a view of the same buffer. */
  bytes: Uint8Array;
  /** Made for each read, as a file of /proc. */
  readonly made: (() => Uint8Array) | undefined;
  changedUs: number;
  /** Its user. */
  readonly owner: number;
  /** Memory of memfd_secret(2): it can be mapped, and not read or written. */
  readonly isSecret: boolean;

  constructor(
    number: number,
    path: string,
    kind: FileKind,
    more: {
      readonly bytes?: Uint8Array;
      readonly made?: () => Uint8Array;
      readonly permissions?: number;
      readonly owner?: number;
      readonly isSecret?: boolean;
      readonly changedUs?: number;
    } = {},
  ) {
    this.path = path;
    this.kind = kind;
    this.number = number;
    this.permissions = more.permissions ?? 0o644;
    this.bytes = more.bytes ?? new Uint8Array(0);
    this.made = more.made;
    this.changedUs = more.changedUs ?? 0;
    this.owner = more.owner ?? 0;
    this.isSecret = more.isSecret ?? false;
  }

  get mode(): number {
    return kindBits[this.kind] | this.permissions;
  }

  get size(): number {
    return this.made === undefined ? this.bytes.length : 0;
  }

  readAt(position: number, count: number): Uint8Array {
    if (this.kind === "directory") throw new KernelError("EISDIR");
    if (this.isSecret) throw new KernelError("EINVAL");
    const bytes = this.made?.() ?? this.bytes;
    return bytes.subarray(position, position + count);
  }

  writeAt(position: number, bytes: Uint8Array): number {
    if (this.isSecret) throw new KernelError("EINVAL");
    if (this.kind === "device") return bytes.length;
    if (this.kind !== "regular" || this.made !== undefined) throw new KernelError("EINVAL");
    const end = position + bytes.length;
    if (end > this.bytes.length) this.resize(end);
    this.bytes.set(bytes, position);
    return bytes.length;
  }

  resize(length: number): void {
    if (this.kind !== "regular") throw new KernelError("EINVAL");
    const before = this.bytes;
    this.bytes = new Uint8Array(length);
    this.bytes.set(before.subarray(0, length));
  }
}
