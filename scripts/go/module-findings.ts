/** The modules that the library may depend on. */
const allowed: readonly string[] = ["golang.org/x/sys"];
/** The release of Go that the library promises to work with. */
const PROMISED = "1.25";

/**
 * The parts of the library's go.mod that break the promise to importers, from `go mod edit -json`:
 * other dependencies, replacements, a newer Go, a toolchain. `go mod tidy` raises the `go` line by
 * itself when a dependency asks for more.
 */
export function moduleFindings(json: string): readonly string[] {
  const { Go, Toolchain, Require, Replace } = readModule(json);
  return [
    ...(Require ?? [])
      .filter(({ Path }) => !allowed.includes(Path))
      .map(({ Path }) => `requires ${Path}: only ${allowed.join(", ")} may be`),
    ...(Replace == null ? [] : ["has a replace directive: importers do not obey it"]),
    ...(Toolchain === undefined ? [] : [`names the toolchain ${Toolchain}: must name none`]),
    ...(Go === PROMISED || Go?.startsWith(`${PROMISED}.`)
      ? []
      : [`needs go ${Go ?? "(none)"}: the promise is ${PROMISED}`]),
  ];
}

/** The part of `go help mod edit`'s GoMod that matters here. */
interface GoModule {
  readonly Go?: string;
  readonly Toolchain?: string;
  readonly Require?: readonly { readonly Path: string }[] | null;
  readonly Replace?: readonly unknown[] | null;
}

function readModule(json: string): GoModule {
  return JSON.parse(json);
}
