/**
 * The time of every built file, in seconds since 1970: the first second of 1980. Not 0, which some
 * tools take for "unknown"; 1980 is the first year that every archive format can say.
 */
export const archiveTimeSeconds = Date.UTC(1980, 0, 1) / 1000;
