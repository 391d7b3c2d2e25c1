// SPDX-License-Identifier: GPL-2.0
/* The page cache above the servers' copy: one page at a time. */
#include "llite/llite.h"

static void fill(struct folio *folio)
{
	struct inode *inode = folio->mapping->host;

	ll_store_read_page(ll_i2info(inode), folio_pos(folio) >> PAGE_SHIFT, folio_address(folio));
	folio_mark_uptodate(folio);
}

static SIM_PROBED int ll_read_folio(struct file *file, struct folio *folio)
{
	int rc = sim_enter(SIM_ll_read_folio);

	if (!rc)
		fill(folio);
	folio_unlock(folio);
	return rc;
}

static SIM_PROBED int ll_write_begin(WRITE_BEGIN_ARGS)
{
	int rc = sim_enter(SIM_ll_write_begin);
	WRITE_FOLIO *grabbed;
	struct folio *folio;

	if (rc)
		return rc;
	grabbed = COMPAT_GRAB(mapping, pos);
	if (!grabbed)
		return -ENOMEM;
	folio = WRITE_FOLIO_TO_FOLIO(grabbed);
	if (!folio_test_uptodate(folio) && (offset_in_page(pos) || len < PAGE_SIZE))
		fill(folio);
	*foliop = grabbed;
	return 0;
}

static SIM_PROBED int ll_write_end(WRITE_END_ARGS)
{
	struct folio *folio = WRITE_FOLIO_TO_FOLIO(write_folio);
	struct inode *inode = mapping->host;

	sim_enter_atomic(SIM_ll_write_end);
	if (!folio_test_uptodate(folio)) {
		/* A whole page was to be overwritten: with less nothing is known of the rest. */
		if (copied < PAGE_SIZE)
			copied = 0;
		else
			folio_mark_uptodate(folio);
	}
	if (copied) {
		if (pos + copied > i_size_read(inode))
			i_size_write(inode, pos + copied);
		folio_mark_dirty(folio);
	}
	folio_unlock(folio);
	folio_put(folio);
	return copied;
}

static int write_folio(struct folio *folio, struct writeback_control *wbc, void *data)
{
	struct inode *inode = data;
	loff_t left = i_size_read(inode) - folio_pos(folio);
	int rc = 0;

	folio_start_writeback(folio);
	if (left > 0)
		rc = ll_store_write_page(ll_i2info(inode), folio_pos(folio) >> PAGE_SHIFT,
					 folio_address(folio), min_t(loff_t, left, PAGE_SIZE));
	if (rc)
		mapping_set_error(inode->i_mapping, rc);
	folio_unlock(folio);
	folio_end_writeback(folio);
	return rc;
}

static SIM_PROBED int ll_writepages(struct address_space *mapping, struct writeback_control *wbc)
{
	int rc = sim_enter(SIM_ll_writepages);

	return rc ? rc : compat_write_dirty(mapping, wbc, write_folio, mapping->host);
}

const struct address_space_operations ll_aops = {
	.COMPAT_READ_METHOD = ll_read_folio,
	.COMPAT_DIRTY_METHOD = COMPAT_DIRTY_FUNCTION,
	.write_begin = ll_write_begin,
	.write_end = ll_write_end,
	.writepages = ll_writepages,
	.direct_IO = ll_direct_IO,
};
