// SPDX-License-Identifier: GPL-2.0
/*
 * File contents as the servers hold them: pages by index, apart from the page
 * cache, so that dropping the cache loses nothing and direct I/O bypasses it.
 * No lock is held while data moves (user memory may fault into this very
 * file): a page is pinned by a reference instead.
 */
#include <linux/gfp.h>
#include <linux/uio.h>

#include "llite/llite.h"

void ll_store_init(struct ll_inode_info *lli)
{
	xa_init(&lli->store);
}

/* The page with a reference, or NULL. */
static struct page *store_get(struct ll_inode_info *lli, pgoff_t index)
{
	struct page *page;

	xa_lock(&lli->store);
	page = xa_load(&lli->store, index);
	if (page)
		get_page(page);
	xa_unlock(&lli->store);
	return page;
}

static struct page *store_make(struct ll_inode_info *lli, pgoff_t index)
{
	struct page *page = store_get(lli, index), *old;

	if (page)
		return page;
	page = alloc_page(GFP_NOFS | __GFP_ZERO); /* lowmem: addressed directly below */
	if (!page)
		return NULL;
	get_page(page);
	old = xa_cmpxchg(&lli->store, index, NULL, page, GFP_NOFS);
	if (!old)
		return page;
	put_page(page);
	put_page(page);
	return xa_is_err(old) ? NULL : store_make(lli, index);
}

void ll_store_read_page(struct ll_inode_info *lli, pgoff_t index, void *to)
{
	struct page *page = store_get(lli, index);

	if (!page) {
		memset(to, 0, PAGE_SIZE);
		return;
	}
	memcpy(to, page_address(page), PAGE_SIZE);
	put_page(page);
}

int ll_store_write_page(struct ll_inode_info *lli, pgoff_t index, const void *from, size_t length)
{
	struct page *page = store_make(lli, index);

	if (!page)
		return -ENOMEM;
	memcpy(page_address(page), from, length);
	memset(page_address(page) + length, 0, PAGE_SIZE - length);
	put_page(page);
	return 0;
}

ssize_t ll_store_to_iter(struct ll_inode_info *lli, loff_t pos, size_t count, struct iov_iter *to)
{
	size_t done = 0;

	while (done < count) {
		size_t offset = offset_in_page(pos + done);
		size_t want = min_t(size_t, count - done, PAGE_SIZE - offset), got;
		struct page *page = store_get(lli, (pos + done) >> PAGE_SHIFT);

		if (page) {
			got = copy_page_to_iter(page, offset, want, to);
			put_page(page);
		} else {
			got = iov_iter_zero(want, to);
		}
		done += got;
		if (got < want)
			return done ? done : -EFAULT;
	}
	return done;
}

ssize_t ll_store_from_iter(struct ll_inode_info *lli, loff_t pos, struct iov_iter *from)
{
	size_t done = 0;

	while (iov_iter_count(from)) {
		size_t offset = offset_in_page(pos + done);
		size_t want = min_t(size_t, iov_iter_count(from), PAGE_SIZE - offset), got;
		struct page *page = store_make(lli, (pos + done) >> PAGE_SHIFT);

		if (!page)
			return done ? done : -ENOMEM;
		got = copy_page_from_iter(page, offset, want, from);
		put_page(page);
		done += got;
		if (got < want)
			return done ? done : -EFAULT;
	}
	return done;
}

void ll_store_punch(struct ll_inode_info *lli, loff_t start, loff_t end)
{
	pgoff_t first = start >> PAGE_SHIFT, last = end >> PAGE_SHIFT;
	unsigned long index;
	struct page *page;

	/* Parts of the first and the last page become zeroes, those between go. */
	if (offset_in_page(start) || first == last) {
		page = store_get(lli, first);
		if (page) {
			size_t to = first == last ? offset_in_page(end) : PAGE_SIZE;

			memset(page_address(page) + offset_in_page(start), 0,
			       to - offset_in_page(start));
			put_page(page);
		}
		first++;
	}
	if (last >= first && offset_in_page(end)) {
		page = store_get(lli, last);
		if (page) {
			memset(page_address(page), 0, offset_in_page(end));
			put_page(page);
		}
	}
	if (last <= first)
		return;
	xa_for_each_range(&lli->store, index, page, first, last - 1)
	{
		xa_erase(&lli->store, index);
		put_page(page);
	}
}

void ll_store_truncate(struct ll_inode_info *lli, loff_t size)
{
	ll_store_punch(lli, size, MAX_LFS_FILESIZE & PAGE_MASK);
}
