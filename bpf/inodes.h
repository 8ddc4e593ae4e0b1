/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Identifies a file by device and number. A path or a name is the choice of the caller. */
#ifndef SVC_INODES_H
#define SVC_INODES_H

#include "kernel.h"
#include "event.h"
#include "typed.h"

static __always_inline struct svc_inode identify(struct inode *inode)
{
	struct svc_inode identity = {
		.number = inode->i_ino,
		.device = inode->i_sb->s_dev,
	};

	return identity;
}

static __always_inline struct svc_inode executable_of(struct task_struct *task)
{
	return identify(to_read(task)->mm->exe_file->f_inode);
}

#endif
