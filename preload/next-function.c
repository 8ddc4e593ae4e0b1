/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the functions that would have been called without the interposer: dlsym(3) with RTLD_NEXT,
 * which before glibc 2.34 is in a library that a program need not have. Once, when the program
 * starts: later, between fork and exec, the list of objects may be locked.
 */
#define _GNU_SOURCE
#include "interposer.h"

#include <string.h>

struct next_functions next = { .getenv = look_up, .secure_getenv = look_up };

/* The symbols of an object, by the GNU hash table or, without it, by the older one. */
struct symbols {
	const ElfW(Sym) *table;
	const char *names;
	const ElfW(Half) *versions;
	const uint32_t *gnu_hash, *hash;
};

struct search {
	const char *name;
	uint32_t hash;
	bool past_own;
	/* The object that it must be in; 0 for any. */
	ElfW(Addr) only;
	void *found;
	ElfW(Addr) found_in;
};

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = 33 * hash + (unsigned char)*name;
	return hash;
}

/* glibc has turned file offsets into addresses; musl has not. */
static const void *address(const struct dl_phdr_info *object, ElfW(Addr) value)
{
	return (const void *)(value < object->dlpi_addr ? object->dlpi_addr + value : value);
}

static bool read_symbols(const struct dl_phdr_info *object, struct symbols *symbols)
{
	const ElfW(Dyn) *entry = NULL;

	memset(symbols, 0, sizeof(*symbols));
	for (int index = 0; index < object->dlpi_phnum; index++) {
		const ElfW(Phdr) *segment = object->dlpi_phdr + index;

		if (segment->p_type == PT_DYNAMIC)
			entry = (const void *)(object->dlpi_addr + segment->p_vaddr);
	}
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		const void *at = address(object, entry->d_un.d_ptr);

		if (entry->d_tag == DT_SYMTAB)
			symbols->table = at;
		else if (entry->d_tag == DT_STRTAB)
			symbols->names = at;
		else if (entry->d_tag == DT_VERSYM)
			symbols->versions = at;
		else if (entry->d_tag == DT_GNU_HASH)
			symbols->gnu_hash = at;
		else if (entry->d_tag == DT_HASH)
			symbols->hash = at;
	}
	return symbols->table && symbols->names && (symbols->gnu_hash || symbols->hash);
}

static bool is_own(const struct dl_phdr_info *object)
{
	ElfW(Addr) here = (ElfW(Addr))is_own;

	for (int index = 0; index < object->dlpi_phnum; index++) {
		const ElfW(Phdr) *segment = object->dlpi_phdr + index;
		ElfW(Addr) start = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && here >= start && here < start + segment->p_memsz)
			return true;
	}
	return false;
}

/* True once the default version was found; an old version is hidden, and better than none. */
static bool take(struct search *search, const struct dl_phdr_info *object,
		 const struct symbols *symbols, size_t index)
{
	const ElfW(Sym) *symbol = symbols->table + index;

	if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC ||
	    strcmp(symbols->names + symbol->st_name, search->name))
		return false;
	search->found = (void *)(object->dlpi_addr + symbol->st_value);
	search->found_in = object->dlpi_addr;
	return !symbols->versions || !(symbols->versions[index] & 0x8000);
}

/*
 * Buckets, the first symbol in the table, words of the Bloom filter, its shift; then these three.
 */
static void look_by_gnu_hash(struct search *search, const struct dl_phdr_info *object,
			     const struct symbols *symbols)
{
	const uint32_t *header = symbols->gnu_hash;
	const uint32_t *bucket = header + 4 + header[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
	const uint32_t *chain = bucket + header[0];
	uint32_t index = header[0] ? bucket[search->hash % header[0]] : 0;

	if (index < header[1])
		return;
	for (;; index++) {
		uint32_t hash = chain[index - header[1]];

		if ((hash | 1) == (search->hash | 1) && take(search, object, symbols, index))
			return;
		if (hash & 1)
			return;
	}
}

static int look_in(struct dl_phdr_info *object, size_t size, void *data)
{
	struct search *search = data;
	struct symbols symbols;

	(void)size;
	if (is_own(object)) {
		search->past_own = true;
		return 0;
	}
	if (search->only && search->only != object->dlpi_addr)
		return 0;
	if (!search->past_own || !read_symbols(object, &symbols))
		return 0;
	if (symbols.gnu_hash)
		look_by_gnu_hash(search, object, &symbols);
	else
		for (uint32_t index = 0; index < symbols.hash[1]; index++)
			if (take(search, object, &symbols, index))
				break;
	return search->found != NULL;
}

static struct search look_for(const char *name, ElfW(Addr) only)
{
	struct search search = { .name = name, .hash = gnu_hash(name), .only = only };

	dl_iterate_phdr(look_in, &search);
	if (search.found)
		return search;
	/* In glibc's list libc is behind its users, in musl's it is not. */
	search.past_own = true;
	dl_iterate_phdr(look_in, &search);
	return search;
}

static void *next_function(const char *name)
{
	return look_for(name, 0).found;
}

/* By libc's own definitions: under musl, compatibility libraries define glibc's names, too. */
static bool is_glibc(void)
{
	struct search libc = look_for("posix_spawn_file_actions_init", 0);

	return libc.found && look_for("gnu_get_libc_version", libc.found_in).found;
}

static void find_getenv(getenv_function **function, const char *name)
{
	void *found = next_function(name);

	if (found)
		*function = found;
}

void find_next_functions(void)
{
	if (next.known || !dl_iterate_phdr)
		return;
#define FIND(name) next.name = next_function(#name)
	FIND(execve);
	FIND(execvpe);
	FIND(fexecve);
	FIND(posix_spawn);
	FIND(posix_spawnp);
	FIND(system);
	FIND(popen);
	FIND(pclose);
#undef FIND
	find_getenv(&next.getenv, "getenv");
	find_getenv(&next.secure_getenv, "secure_getenv");
	next.is_glibc = is_glibc();
	next.known = true;
}
