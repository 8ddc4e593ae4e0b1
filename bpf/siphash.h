/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * SipHash-2-4 (Aumasson and Bernstein, 2012), a hash with a key of 128 bits: a process that does
 * not know the key finds no two texts with one hash. Texts are whole words of 64 bits.
 */
#ifndef SVC_SIPHASH_H
#define SVC_SIPHASH_H

#include "kernel.h"

struct siphash_key {
	__u64 low;
	__u64 high;
};

struct siphash {
	__u64 v0, v1, v2, v3;
};

#define ROTATE(value, bits) ((value) << (bits) | (value) >> (64 - (bits)))

static __always_inline void siphash_round(struct siphash *hash)
{
	hash->v0 += hash->v1;
	hash->v1 = ROTATE(hash->v1, 13) ^ hash->v0;
	hash->v0 = ROTATE(hash->v0, 32);
	hash->v2 += hash->v3;
	hash->v3 = ROTATE(hash->v3, 16) ^ hash->v2;
	hash->v0 += hash->v3;
	hash->v3 = ROTATE(hash->v3, 21) ^ hash->v0;
	hash->v2 += hash->v1;
	hash->v1 = ROTATE(hash->v1, 17) ^ hash->v2;
	hash->v2 = ROTATE(hash->v2, 32);
}

static __always_inline struct siphash siphash_begin(const struct siphash_key *key)
{
	struct siphash hash = {
		.v0 = key->low ^ 0x736f6d6570736575,
		.v1 = key->high ^ 0x646f72616e646f6d,
		.v2 = key->low ^ 0x6c7967656e657261,
		.v3 = key->high ^ 0x7465646279746573,
	};

	return hash;
}

static __always_inline void siphash_add(struct siphash *hash, __u64 word)
{
	hash->v3 ^= word;
	siphash_round(hash);
	siphash_round(hash);
	hash->v0 ^= word;
}

static __always_inline __u64 siphash_end(struct siphash *hash)
{
	hash->v2 ^= 0xff;
	for (int i = 0; i < 4; i++)
		siphash_round(hash);
	return hash->v0 ^ hash->v1 ^ hash->v2 ^ hash->v3;
}

#endif
