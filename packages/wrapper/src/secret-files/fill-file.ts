import {
  changeFileMode,
  changeFileOwner,
  closeDescriptor,
  cutFile,
  mapDescriptor,
  SyscallError,
  takeRoom,
} from "@svc/kernel";
import type { SecretBytes } from "@svc/secret-bytes";
import type { FileMapping } from "@svc/settings";
import { type Failure, failure } from "../errors.ts";
import { decodeBase64 } from "./base64.ts";
import { MOST_FILE_BYTES } from "./bounds.ts";

/** A file that has its content, or why it has not. */
export type Filled =
  | { readonly kind: "filled"; readonly fd: number }
  | { readonly kind: "failed"; readonly failure: Failure };

/** Makes a file with a value as its content. The caller owns the descriptor. */
export function makeFilled(file: FileMapping, value: SecretBytes, make: () => number): Filled {
  try {
    const fd = make();
    const problem = fillOrClose(fd, file, value);
    if (problem === undefined) return { kind: "filled", fd };
    const hint = "store base64 of the file, or leave the option base64 out";
    const text = `write ${file.path} from field "${file.field}": ${problem}`;
    return { kind: "failed", failure: failure("VALUE_REFUSED", text, hint) };
  } catch (error) {
    if (!(error instanceof SyscallError)) throw error;
    const text = `write ${file.path}: ${error.message}`;
    return { kind: "failed", failure: failure("FILE_UNWRITTEN", text) };
  }
}

function fillOrClose(fd: number, file: FileMapping, value: SecretBytes): string | undefined {
  try {
    const problem = fill(fd, file, value);
    if (problem !== undefined) closeDescriptor(fd);
    return problem;
  } catch (error) {
    closeDescriptor(fd);
    throw error;
  }
}

/** @returns why the value cannot be its content. */
function fill(fd: number, file: FileMapping, value: SecretBytes): string | undefined {
  takeRoom(fd, value.length);
  const length = value.length === 0 ? 0 : copyInto(fd, file, value);
  if (length === undefined) return "the value is not base64";
  if (length > MOST_FILE_BYTES) return "the file is larger than 1 MiB";
  if (length !== value.length) cutFile(fd, length);
  if (file.owner !== undefined) changeFileOwner(fd, file.owner.uid, file.owner.gid);
  changeFileMode(fd, file.mode);
  return undefined;
}

/** The value goes from the host's memory to that of the file, and nowhere else. */
function copyInto(fd: number, { base64 }: FileMapping, value: SecretBytes): number | undefined {
  const mapping = mapDescriptor(fd, value.length, "write");
  try {
    value.writeTo(mapping.bytes);
    return base64 ? decodeBase64(mapping.bytes) : value.length;
  } finally {
    mapping.unmap();
  }
}
