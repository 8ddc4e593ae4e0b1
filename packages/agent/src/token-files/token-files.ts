import type { TokenFile } from "./find-volume.ts";
import type { TokenFileWriter } from "./token-file-maps.ts";

/** A token's file in a volume of a pod. */
export interface PlacedTokenFile extends TokenFile {
  /** Where the kubelet has mounted the volume. */
  readonly folder: string;
}

/** How many files are watched. */
export interface TokenFileCounts {
  /** Volumes with such a file. */
  readonly volumes: number;
  /** The wrappers that log in with these. */
  readonly wrappers: number;
}

interface Volume {
  readonly number: bigint;
  readonly device: number;
  readonly folder: string;
  /** By registration. */
  readonly names: Map<bigint, string>;
}

type Writer = Pick<
  TokenFileWriter,
  | "watchVolume"
  | "leaveVolume"
  | "watchName"
  | "leaveName"
  | "watchInode"
  | "allowReader"
  | "refuseReader"
>;

/**
 * Knows which wrapper logs in with which file, and has the kernel side look at these. Several
 * wrappers of a pod may have one file, and a volume may have several files.
 */
export class TokenFiles {
  readonly #writer: Writer;
  /** By device. */
  readonly #volumes = new Map<number, Volume>();
  readonly #ofRegistration = new Map<bigint, Volume>();
  #lastNumber = 0n;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /**
   * A wrapper logs in with this file from now on, in place of another one.
   *
   * @throws SyscallError if a map is full
   */
  keep(registration: bigint, file: PlacedTokenFile): void {
    const volume = this.#volumeOf(file);
    if (this.#ofRegistration.get(registration) !== volume) this.forget(registration);
    const before = volume.names.get(registration);
    // The wrapper is allowed first: its own login must not be an event.
    this.#writer.allowReader(volume.number, registration);
    volume.names.set(registration, file.name);
    this.#ofRegistration.set(registration, volume);
    if (before !== undefined && before !== file.name) this.#leaveName(volume, before);
    this.#writer.watchName(volume.number, file.name, registration);
    this.#writer.watchInode(volume.number, file.inode, registration);
    this.#writer.watchVolume(file.device, volume.number);
    this.#volumes.set(file.device, volume);
  }

  /** The wrapper has ended. */
  forget(registration: bigint): void {
    const volume = this.#ofRegistration.get(registration);
    const name = volume?.names.get(registration);
    if (volume === undefined || name === undefined) return;
    this.#ofRegistration.delete(registration);
    volume.names.delete(registration);
    if (volume.names.size === 0) this.#leaveVolume(volume);
    this.#leaveName(volume, name);
    this.#writer.refuseReader(volume.number, registration);
  }

  counts(): TokenFileCounts {
    return { volumes: this.#volumes.size, wrappers: this.#ofRegistration.size };
  }

  /** The kernel may have given the number of an earlier volume to this one. */
  #volumeOf({ device, folder }: PlacedTokenFile): Volume {
    const known = this.#volumes.get(device);
    if (known?.folder === folder) return known;
    for (const registration of known?.names.keys() ?? []) this.forget(registration);
    this.#lastNumber += 1n;
    return { number: this.#lastNumber, device, folder, names: new Map() };
  }

  #leaveVolume(volume: Volume): void {
    if (this.#volumes.get(volume.device) !== volume) return;
    this.#writer.leaveVolume(volume.device);
    this.#volumes.delete(volume.device);
  }

  /** Another wrapper may have the file as well. */
  #leaveName({ number, names }: Volume, name: string): void {
    const other = [...names].find(([, one]) => one === name);
    if (other === undefined) this.#writer.leaveName(number, name);
    else this.#writer.watchName(number, name, other[0]);
  }
}
