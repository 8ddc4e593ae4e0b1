// The names by which `using` disposes of a value (ECMAScript 2026). The engine lacks them. They are
// those that Bun's bundler takes for `using` if there is no Symbol.dispose.

for (const name of ["dispose", "asyncDispose"]) {
  if (name in Symbol) continue;
  Object.defineProperty(Symbol, name, { value: Symbol.for(`Symbol.${name}`) });
}
