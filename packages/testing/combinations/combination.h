/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that combination.c puts together. */
#ifndef SVC_COMBINATION_H
#define SVC_COMBINATION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CANARY "svc-combination-canary-51c8"
#define PAGE_BYTES 4096
#define BOOTY_BYTES (16 * PAGE_BYTES)
#define STACK_BYTES (1 << 16)

/* Mappings of programs of 32 bits lie there. */
#ifdef MAP_32BIT
#define LOW_MEMORY MAP_32BIT
#else
#define LOW_MEMORY 0
#endif

/* The memory in which the arguments of a call lie. */
enum arguments {
	/* In the page table. */
	WARM,
	/* In the page cache, and not in the page table: a new mapping of a file. */
	COLD,
	/* The same after madvise(2) has dropped the page. */
	DROPPED,
	/* In no memory: userfaultfd(2) fills the page in when the kernel reads it. */
	FAULTED,
	/* In the page table, and another thread alternates harmless and harmful ones. */
	REWRITTEN,
};

/* The process that uses the descriptor. */
enum table {
	/* The process that opened it. */
	OWN,
	/* Another thread of it. */
	THREAD,
	/* A process that shares its descriptors. */
	SIBLING,
	/* One that shares its memory, too. */
	TWIN,
};

enum target { MAIN_TASK, OTHER_THREAD, CHILD, NEWBORN };

struct goal {
	const char *name;
	/* Takes all descriptors but the wanted one; NULL for nothing. */
	void (*prepare)(void);
	/* The descriptor, or -1 with errno. Without `take`: how often it has the canary. */
	long (*reach)(void);
	/* How often it has the canary. */
	long (*take)(int fd);
	/* The combination's arguments are those of the taking. */
	int is_laid_at_taking;
	/* Each try is about another object. */
	long (*tries)(void);
};

/* Ends with the goal without a name. */
extern const struct goal file_goals[], region_goals[], task_goals[], perf_goals[], kernel_goals[],
	program_goals[];

/* The words of the command line. */
struct combination {
	const struct goal *goal;
	enum arguments arguments;
	enum table table;
	enum target target;
	int is_narrow;
	int is_before;
};

struct quarry {
	pid_t pid, thread, child;
	unsigned long address;
	int descriptor;
};

/* Memory that all processes of an attempt share. It lies low. */
struct common {
	volatile int is_holder_ready, is_over, is_taken;
	/* The number of the wanted descriptor; -1 until it is known. */
	volatile int expected;
	volatile long finds;
	volatile int error;
	volatile pid_t opener, holder;
	/* The newborn that is guessed. */
	volatile pid_t guess;
	volatile long round;
	uint32_t context;
	/* Calls put here the bytes that they read. */
	char booty[BOOTY_BYTES];
};

extern struct combination parts;
extern struct quarry quarry;
extern struct common *common;

#define LOOTERS_MAX 64

/* The sum of all tries. */
struct tally {
	long tries, killed, finds, after_death, looters;
	int error;
	/* The opener and the holder. */
	pid_t pids[LOOTERS_MAX][2];
};

/* Opens it when the victim is not protected yet. */
void reach_before(void);

void try_once(struct tally *tally);

/* The process, or the thread, that the combination is about. */
pid_t aim(void);

long count_canaries(const char *bytes, size_t length);

double now(void);

/* The descriptor that the kernel gives out next. */
int free_descriptor(void);

/* Closes it, and keeps errno. */
void drop(int fd);

/* Starts a thread that ends with the process. */
int start_helper(int (*work)(void *), void *argument);

/* Arguments of a call. */
struct image {
	const void *bytes;
	size_t length;
	/* These four bytes are exchanged for harmless ones. */
	size_t change_at;
	uint32_t harmless;
};

/* The place of arguments: an address in low memory. */
extern char *arguments_page;

/* Makes it in the way that the combination wants. 0, or -1 with errno. */
int open_arguments(enum arguments way);

/* Puts the arguments there. */
void lay(const struct image *image);

/* A system call by its number of 32-bit programs; -1 with errno. */
long call_narrow(long number, long first, long second, long third, long fourth, long fifth);

/* A ring of io_uring(7) opens paths below /proc without an answer. */
void prepare_ring(void);

/* `path` lies at that address, too. The wanted descriptor, or -1. */
int open_by_ring(const char *address, const char *path, int flags);

/* A connection to the victim, which obeys one letter; -1 if it does not answer. */
int ask_quarry(char letter);

/* Asks it, and waits until it has obeyed. */
void have_quarry(char letter);

/* The function of victims that is called with the canary on the stack. */
void touch_canary(const char *canary);

int be_quarry(char **argv);

#endif
