/**
 * A field of the text of /proc/PID/stat, by its number in proc_pid_stat(5), from 3 on; undefined if
 * the text has fewer fields.
 */
export function statField(text: string, number: number): string | undefined {
  // The name, field 2, may hold spaces and parentheses; the text after the last one does not.
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[number - 3];
}
