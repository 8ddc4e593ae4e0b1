/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of <string.h> that the interposer uses. Not libc's: a program may have a loader and
 * no libc (Go
 * with -buildmode=pie), and the constructor runs before libc's own.
 */
#include <stddef.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
	char *target = to;
	const char *source = from;

	while (length--)
		*target++ = *source++;
	return to;
}

void *memset(void *to, int byte, size_t length)
{
	char *target = to;

	while (length--)
		*target++ = (char)byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t length)
{
	const unsigned char *left = a, *right = b;

	for (; length && *left == *right; length--, left++, right++)
		;
	return length ? *left - *right : 0;
}

size_t strlen(const char *text)
{
	const char *end = text;

	while (*end)
		end++;
	return (size_t)(end - text);
}

int strncmp(const char *a, const char *b, size_t length)
{
	for (; length && *a && *a == *b; length--, a++, b++)
		;
	return length ? (unsigned char)*a - (unsigned char)*b : 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, (size_t)-1);
}

char *strchr(const char *text, int byte)
{
	for (; *text != (char)byte; text++)
		if (!*text)
			return NULL;
	return (char *)text;
}

char *strrchr(const char *text, int byte)
{
	const char *last = NULL;

	for (; *text; text++)
		if (*text == (char)byte)
			last = text;
	return (char *)last;
}

size_t strcspn(const char *text, const char *refused)
{
	size_t length = 0;

	while (text[length] && !strchr(refused, text[length]))
		length++;
	return length;
}

size_t strspn(const char *text, const char *accepted)
{
	size_t length = 0;

	while (text[length] && strchr(accepted, text[length]))
		length++;
	return length;
}
