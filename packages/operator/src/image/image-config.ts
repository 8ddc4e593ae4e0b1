/** An image's data about its program, for one architecture. */
export interface ImageConfig {
  /** ENTRYPOINT, word by word; empty if the image has none. */
  readonly entrypoint: readonly string[];
  /** CMD, word by word; empty if the image has none. */
  readonly command: readonly string[];
  /** As the registry names it: `amd64`, `arm64`. */
  readonly architecture?: string;
  /** As the registry names it: `linux`, `windows`. */
  readonly os?: string;
  /** EXPOSE: ports of TCP; absent if the image names none. */
  readonly ports?: readonly number[];
  /** STOPSIGNAL, as the image writes it; absent if it has none. */
  readonly stopSignal?: string;
}
