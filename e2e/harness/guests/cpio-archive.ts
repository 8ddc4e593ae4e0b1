/** A file, a folder or a symbolic link of an archive. */
export interface CpioEntry {
  /** Without a slash at the beginning; its folder has an entry before it. */
  readonly path: string;
  /** Type and permissions, as stat(2) has them. */
  readonly mode: number;
  /** A link's target is its content. */
  readonly content: Uint8Array;
}

const TRAILER = "TRAILER!!!";
const ALIGNMENT = 4;

/**
 * Writes a cpio archive in the format "newc", which Linux unpacks as its first file system
 * (Documentation/driver-api/early-userspace/buffer-format.rst). Everything belongs to root.
 */
export function cpioArchive(entries: readonly CpioEntry[]): readonly Uint8Array[] {
  const end: CpioEntry = { path: TRAILER, mode: 0, content: new Uint8Array(0) };
  return [...entries, end].flatMap(({ path, mode, content }, index) => {
    const name = new TextEncoder().encode(`${path}\0`);
    const header = headerOf({
      inode: index + 1,
      mode,
      size: content.length,
      nameSize: name.length,
    });
    return [
      ...padded(Uint8Array.from([...new TextEncoder().encode(header), ...name])),
      ...padded(content),
    ];
  });
}

interface Header {
  readonly inode: number;
  readonly mode: number;
  readonly size: number;
  readonly nameSize: number;
}

/** The magic number and 13 fields of 8 hexadecimal digits. */
function headerOf({ inode, mode, size, nameSize }: Header): string {
  const [owner, links, time, device, checksum] = [0, 1, 0, 0, 0];
  const fields = [
    ...[inode, mode, owner, owner, links, time, size],
    ...[device, device, device, device, nameSize, checksum],
  ];
  return `070701${fields.map((field) => field.toString(16).padStart(8, "0")).join("")}`;
}

function padded(bytes: Uint8Array): readonly Uint8Array[] {
  return [bytes, new Uint8Array((ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT)];
}
