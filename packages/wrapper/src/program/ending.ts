/** How a child ended; 128 + n for signal n, as shells count. */
export interface Ending {
  readonly exitCode: number;
  readonly signal?: number;
}
