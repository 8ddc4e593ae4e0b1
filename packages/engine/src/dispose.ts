// The names by which `using` ends what it holds, ECMAScript 2026, which the engine has not got.
// They
// are those that Bun's bundler takes for `using` where there is no Symbol.dispose.

for (const name of ["dispose", "asyncDispose"]) {
  if (name in Symbol) continue;
  Object.defineProperty(Symbol, name, { value: Symbol.for(`Symbol.${name}`) });
}
