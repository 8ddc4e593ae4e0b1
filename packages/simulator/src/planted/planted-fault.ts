/** A fault that is put into the wrapper's code to see whether the simulator finds it. */
export interface PlantedFault {
  readonly name: string;
  /** Below packages/. */
  readonly file: string;
  /** A text that the file has once. */
  readonly from: string;
  readonly to: string;
}
