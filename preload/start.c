/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens when a program starts: its placeholders are pointed into the region, and the
 * descriptor is closed. The wrapper, or the interposer in the parent, has set SVC_SECRET_FD.
 */
/* As the wrapper itself fails. */
#define EXIT_FAILED 125L
#define _GNU_SOURCE
#include "interposer.h"
#include "system-call.h"

#include <string.h>

#define MAX_FD 1048576

struct region secrets;
const char *own_path;

static char own_path_bytes[MAX_PATH_BYTES];

/* -1 if the variable is not there, or is not a number. */
static int take_descriptor(char **slots)
{
	size_t length = sizeof(DESCRIPTOR_VARIABLE) - 1;
	long fd = 0;
	char *digit;

	for (; *slots && strncmp(*slots, DESCRIPTOR_VARIABLE, length); slots++)
		;
	if (!*slots)
		return -1;
	for (digit = *slots + length; *digit >= '0' && *digit <= '9' && fd <= MAX_FD; digit++)
		fd = 10 * fd + *digit - '0';
	if (*digit || digit == *slots + length || fd > MAX_FD)
		return -1;
	/* No code needs it any more. */
	for (; *slots; slots++)
		slots[0] = slots[1];
	return fd;
}

static void point_placeholders(char **slots)
{
	struct region entries = current_entries();

	for (; *slots; slots++) {
		const char *equals = strchr(*slots, '=');
		char *entry;

		if (!equals || strcmp(equals + 1, PLACEHOLDER))
			continue;
		entry = entry_of(&entries, *slots);
		if (entry)
			*slots = entry;
	}
}

static bool has_placeholder(char **slots)
{
	for (; *slots; slots++) {
		const char *equals = strchr(*slots, '=');

		if (equals && !strcmp(equals + 1, PLACEHOLDER))
			return true;
	}
	return false;
}

static int note_own_path(struct dl_phdr_info *object, size_t size, void *data)
{
	ElfW(Addr) here = (ElfW(Addr))note_own_path;

	(void)size;
	(void)data;
	for (int index = 0; index < object->dlpi_phnum; index++) {
		const ElfW(Phdr) *segment = object->dlpi_phdr + index;
		ElfW(Addr) start = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || here < start || here >= start + segment->p_memsz)
			continue;
		if (!object->dlpi_name || object->dlpi_name[0] != '/' ||
		    strlen(object->dlpi_name) >= sizeof(own_path_bytes))
			return 1;
		memcpy(own_path_bytes, object->dlpi_name, strlen(object->dlpi_name) + 1);
		own_path = own_path_bytes;
		return 1;
	}
	return 0;
}

static void complain(const char *text)
{
	system_call(SYS_write, 2L, text, strlen(text));
}

/*
 * glibc passes main's arguments and calls this object first (DF_1_INITFIRST), before its own
 * constructor has set environ. musl has set environ and passes nothing. Without libc there is none.
 */
__attribute__((constructor)) static void start(int argc, char **argv, char **envp)
{
	char **slots = &environ && environ ? environ : envp;
	const char *refused;
	int fd;

	(void)argc;
	(void)argv;
	find_next_functions();
	fd = take_descriptor(slots);
	if (fd < 0)
		return;
	if (dl_iterate_phdr)
		dl_iterate_phdr(note_own_path, NULL);
	if (!map_region(fd, &secrets, &refused)) {
		complain("svc: preload: SVC_SECRET_FD names no secret region that can be mapped");
		if (refused) {
			complain(": the kernel refuses a system call: ");
			complain(refused);
		}
		complain("\n");
		/* It would use the placeholder as its password. */
		if (has_placeholder(slots))
			system_call(SYS_exit_group, EXIT_FAILED);
		return;
	}
	system_call(SYS_close, (long)fd);
	point_placeholders(slots);
	note_variables(slots);
}
