/** The events of a run, in their order. Two runs of one seed have the same. */
export class Trace {
  readonly lines: string[] = [];
  #clock: () => number = () => 0;

  /** Tells the time in microseconds. */
  setClock(clock: () => number): void {
    this.#clock = clock;
  }

  note(line: string): void {
    this.lines.push(`${(this.#clock() / 1000).toFixed(3)} ${line}`);
  }
}
