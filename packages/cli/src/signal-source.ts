/** The source of signals: `process`. */
export interface SignalSource {
  on(signal: NodeJS.Signals, act: () => void): unknown;
}
