import { OpenFile } from "../machine/descriptions.ts";
import type { Process } from "../machine/process.ts";

const TOKEN = /-token-canary/;
const latin1 = new TextDecoder("latin1");

/** The secret memory that a process had descriptors of. */
export class SecretMemory {
  readonly #known: Uint8Array[] = [];

  /** Looks at the descriptors of this moment. */
  note(process: Process): void {
    for (const fd of process.descriptors) {
      const file = process.description(fd);
      if (!(file instanceof OpenFile) || !file.inode.isSecret) continue;
      if (!this.#known.includes(file.inode.bytes)) this.#known.push(file.inode.bytes);
    }
  }

  /** The memory in which a token is handed on. */
  get sessions(): readonly Uint8Array[] {
    return this.#known.filter((bytes) => TOKEN.test(latin1.decode(bytes)));
  }
}
