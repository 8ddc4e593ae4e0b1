/** Recipients of age, one of each kind that is taken, and some that are not. */
export const recipients = {
  x25519: "age1zwlyl6h27gzv0lfntr7fcqrjrzqazap8sy5zylkxwneh7llf0dksu37mwt",
  /** To the compressed base point of P-256. */
  tag: "age1tag1qd43050juykyy3lchnnw2caygre8wqmasyk7kvaq7jsnj3wcnrpfvt5hxye",
  plugin: "age1yubikey1qd43050juykyy3lchnnw2caygre8wqmasyk7kvaq7jsnj3wcnrpfvpkgk82",
  /** Right to look at, and no point that a secret can be shared over. */
  zero: "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z",
  /** 31 bytes. */
  short: "age1qurswpc8qurswpc8qurswpc8qurswpc8qurswpc8qurswpc8qunndjpz",
  mistyped: "age1zwlyl6h27gzv0lfntr7fcqrjrzqazap8sy5zylkxwneh7llf0dksu37mwq",
} as const;
