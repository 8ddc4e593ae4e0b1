/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for an interpreter of another process's choice: it says whether it was given the value. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	puts(getenv("VALUE") ? "has the value" : "has nothing");
	return 0;
}
