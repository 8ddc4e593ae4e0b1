/** A file of the bundle. */
export interface BundleFile {
  /** Below /opt/svc. */
  readonly path: string;
  readonly mode: 0o644 | 0o755;
  readonly bytes: Uint8Array;
}
