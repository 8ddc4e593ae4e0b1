import type { BpfMap } from "@svc/kernel";
import { inodeBytes, type KernelInode } from "../kernel-inode.ts";

type Map = Pick<BpfMap, "update" | "delete">;

/** The maps of bpf/token_files.h. */
export interface TokenFileMaps {
  readonly volumes: Map;
  readonly names: Map;
  readonly readers: Map;
  readonly inodes: Map;
  readonly kubelets: Map;
}

/** An executable of the kubelet. */
export interface KubeletFile extends KernelInode {
  /** The number of the mount namespace that it runs in. */
  readonly mountNamespace: number;
}

/** Writes these maps. The numbers of volumes are the caller's. */
export class TokenFileWriter {
  readonly #maps: TokenFileMaps;

  constructor(maps: TokenFileMaps) {
    this.#maps = maps;
  }

  /** Has openings in the volume looked at. */
  watchVolume(device: number, volume: bigint): void {
    this.#maps.volumes.update(words32(device), words64(volume));
  }

  leaveVolume(device: number): void {
    this.#maps.volumes.delete(words32(device));
  }

  /** An opening of a file of this name is an attempt on this registration's token. */
  watchName(volume: bigint, name: string, registration: bigint): void {
    this.#maps.names.update(nameKey(volume, name), words64(registration));
  }

  leaveName(volume: bigint, name: string): void {
    this.#maps.names.delete(nameKey(volume, name));
  }

  /** As watchName, under each name of the file. */
  watchInode(volume: bigint, inode: bigint, registration: bigint): void {
    this.#maps.inodes.update(words64(volume, inode), words64(registration));
  }

  /** The wrapper of this registration may open the files. */
  allowReader(volume: bigint, registration: bigint): void {
    this.#maps.readers.update(words64(volume, registration), words32(1));
  }

  refuseReader(volume: bigint, registration: bigint): void {
    this.#maps.readers.delete(words64(volume, registration));
  }

  allowKubelet(kubelet: KubeletFile): void {
    this.#maps.kubelets.update(inodeBytes(kubelet), words32(kubelet.mountNamespace));
  }

  refuseKubelet(kubelet: KubeletFile): void {
    this.#maps.kubelets.delete(inodeBytes(kubelet));
  }
}

function words64(...words: readonly bigint[]): Uint8Array {
  return new Uint8Array(new BigUint64Array(words).buffer);
}

function words32(...words: readonly number[]): Uint8Array {
  return new Uint8Array(new Uint32Array(words).buffer);
}

/** `struct svc_token_name`. */
function nameKey(volume: bigint, name: string): Uint8Array {
  const key = new Uint8Array(40);
  key.set(words64(volume));
  new TextEncoder().encodeInto(name, key.subarray(8));
  return key;
}
