import { OpenFile, READ_ONLY } from "../../machine/descriptions.ts";
import { KernelError, NotModelled } from "../../machine/errors.ts";
import { Inode } from "../../machine/inode.ts";
import type { Machine } from "../../machine/machine.ts";
import { bytesOf, textOf } from "./bytes.ts";

const O_CREAT = 0o100;
const O_ACCMODE = 3;
const O_EXCL = 0o200;
const O_TRUNC = 0o1000;
const O_NONBLOCK = 0o4000;
const O_CLOEXEC = 0o2000000;
/** With O_DIRECTORY; asm-generic/fcntl.h. */
const O_TMPFILE = 0o20200000;
const AT_EMPTY_PATH = 0x1000;
const X_OK = 1;
const MFD_CLOEXEC = 1;

/** Calls about files; open(2), statx(2) and others. */
export function fileCalls(machine: Machine) {
  const inodeAt = (path: string) => machine.files.find(path, machine.running);
  return {
    open: (path: ArrayBufferView, flags: number) => {
      const name = textOf(path);
      const inode =
        (flags & O_TMPFILE) === O_TMPFILE
          ? new Inode(machine.files.newNumber(), `${name}/#1 (deleted)`, "regular")
          : found(machine, name, flags);
      const access = flags & O_ACCMODE;
      if (inode.kind === "directory" && access !== READ_ONLY) throw new KernelError("EISDIR");
      if ((flags & O_TRUNC) !== 0) inode.resize(0);
      const file = new OpenFile(inode);
      file.access = access;
      file.isNonBlocking = (flags & O_NONBLOCK) !== 0;
      return machine.running.open(file, (flags & O_CLOEXEC) !== 0);
    },
    memfd_create: (name: ArrayBufferView, flags: number) => {
      const inode = new Inode(machine.files.newNumber(), `/memfd:${textOf(name)}`, "regular");
      return machine.running.open(new OpenFile(inode), (flags & MFD_CLOEXEC) !== 0);
    },
    readlink: (path: ArrayBufferView, buffer: ArrayBufferView, size: number | bigint) => {
      const inode = inodeAt(textOf(path));
      if (inode.kind !== "link") throw new KernelError("EINVAL");
      const target = inode.bytes.subarray(0, Number(size));
      bytesOf(buffer).set(target);
      return target.length;
    },
    access: (path: ArrayBufferView, mode: number) => {
      const { permissions } = inodeAt(textOf(path));
      if ((mode & X_OK) !== 0 && (permissions & 0o111) === 0) throw new KernelError("EACCES");
      return 0;
    },
    statx: (
      folder: number,
      path: ArrayBufferView,
      flags: number,
      _mask: number,
      target: ArrayBufferView,
    ) => {
      const name = textOf(path);
      writeStatus(
        name === "" && (flags & AT_EMPTY_PATH) !== 0 ? openInode(machine, folder) : inodeAt(name),
        target,
      );
      return 0;
    },
    getxattr: () => {
      throw new KernelError("ENODATA");
    },
    statvfs: () => {
      throw new NotModelled("statvfs");
    },
  };
}

function found(machine: Machine, name: string, flags: number): Inode {
  const { files, running } = machine;
  if ((flags & O_CREAT) === 0) return files.find(name, running);
  if (files.has(name)) {
    if ((flags & O_EXCL) !== 0) throw new KernelError("EEXIST");
    return files.find(name, running);
  }
  files.find(name.slice(0, Math.max(1, name.lastIndexOf("/"))), running);
  return files.add(name, "regular");
}

function openInode(machine: Machine, fd: number): Inode {
  const description = machine.running.description(fd);
  if (description instanceof OpenFile) return description.inode;
  return new Inode(0, description.name, "device");
}

/** struct statx, as far as it is read. */
function writeStatus(inode: Inode, target: ArrayBufferView): void {
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  view.setUint32(20, inode.owner, true);
  view.setUint16(28, inode.mode, true);
  view.setBigUint64(32, BigInt(inode.number), true);
  view.setBigUint64(40, BigInt(inode.size), true);
  for (const at of [96, 112]) {
    view.setBigInt64(at, BigInt(Math.floor(inode.changedUs / 1e6)), true);
    view.setUint32(at + 8, (inode.changedUs % 1e6) * 1000, true);
  }
}
