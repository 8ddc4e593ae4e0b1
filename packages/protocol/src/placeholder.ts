/**
 * The replacement of a value in an environment block that the kernel copies, if the value itself is
 * delivered by pointer: `/proc/PID/environ` shows `KEY=svc:protected`.
 */
export const placeholderValue = "svc:protected";
