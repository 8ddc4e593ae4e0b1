/**
 * The machine code of repoint.*.s, by the runtime's name of the architecture; a test assembles the
 * sources and compares.
 */
export const repointCode: Readonly<Record<string, Uint8Array>> = {
  x64: Uint8Array.fromHex(
    "4c8b074d85c0744f4989f14939d1734141803900743b31c9418a0409413a0408" +
      "752348ffc184c075ef4c890f418a0049ffc03c3d75f641803800741541c60000" +
      "49ffc0ebf1418a0149ffc184c075f6ebba4883c708eba94883cfffb803000000" +
      "0f05",
  ),
  arm64: Uint8Array.fromHex(
    "040040f9440300b4e50301aabf0002eba2020054a6004039660200340a0080d2" +
      "a6686a3889686a38df00096b610100544a05009166ffff35050000f986144038" +
      "dff40071c1ffff5486004039c60000349f140038fdffff17a6144038e6ffff35" +
      "ebffff1700200091e6ffff1700008092280780d2010000d4",
  ),
};
