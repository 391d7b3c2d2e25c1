// SPDX-License-Identifier: GPL-2.0
/* The page cache above the servers' copy: one page at a time. */
#include <linux/slab.h>

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
		rc = ll_brw_wait(folio->mapping->host, OBD_BRW_READ, PAGE_SIZE);
	if (!rc)
		fill(folio);
	folio_unlock(folio);
	return rc;
}

/* One request for all pages. What fails is read again, page by page, by whoever needs it. */
static SIM_PROBED void ll_readahead(struct readahead_control *rac)
{
	int rc = sim_enter(SIM_ll_readahead);
	struct folio *folio;

	if (!rc)
		rc = ll_brw_wait(rac->mapping->host, OBD_BRW_READ, readahead_length(rac));
	while ((folio = compat_readahead_folio(rac))) {
		if (!rc)
			fill(folio);
		folio_unlock(folio);
		compat_readahead_put(folio);
	}
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

/* Pages that go to the server in one request. */
struct batch {
	struct osc_extent extent;
	struct address_space *mapping;
	unsigned int n;
	struct folio *folios[SIM_BRW_BYTES / PAGE_SIZE];
};

static void batch_done(struct osc_extent *extent, int rc)
{
	struct batch *batch = container_of(extent, struct batch, extent);
	unsigned int i;

	/* With the last page out of writeback the inode may go. */
	if (rc)
		mapping_set_error(batch->mapping, rc);
	for (i = 0; i < batch->n; i++)
		folio_end_writeback(batch->folios[i]);
	kfree(batch);
}

struct writeback {
	struct inode *inode;
	struct batch *batch;
};

static void submit(struct writeback *wb)
{
	struct inode *inode = wb->inode;
	struct batch *batch = wb->batch;
	LIST_HEAD(list);
	int rc;

	if (!batch)
		return;
	wb->batch = NULL;
	batch->mapping = inode->i_mapping;
	batch->extent.oe_bytes = batch->n * PAGE_SIZE;
	batch->extent.oe_done = batch_done;
	ll_get_job(inode, &batch->extent.oe_job);
	list_add(&batch->extent.oe_link, &list);
	rc = ll_build_rpc(inode, &list, OBD_BRW_WRITE);
	if (rc)
		batch_done(&batch->extent, rc);
}

static int write_folio(struct folio *folio, struct writeback_control *wbc, void *data)
{
	struct writeback *wb = data;
	loff_t left = i_size_read(wb->inode) - folio_pos(folio);
	int rc = 0;

	folio_start_writeback(folio);
	if (left > 0)
		rc = ll_store_write_page(ll_i2info(wb->inode), folio_pos(folio) >> PAGE_SHIFT,
					 folio_address(folio), min_t(loff_t, left, PAGE_SIZE));
	if (!rc && !wb->batch) {
		wb->batch = kzalloc(sizeof(*wb->batch), GFP_NOFS);
		rc = wb->batch ? 0 : -ENOMEM;
	}
	if (rc) {
		mapping_set_error(wb->inode->i_mapping, rc);
		folio_unlock(folio);
		folio_end_writeback(folio);
		return rc;
	}
	wb->batch->folios[wb->batch->n++] = folio;
	folio_unlock(folio);
	if (wb->batch->n == ARRAY_SIZE(wb->batch->folios))
		submit(wb);
	return 0;
}

static SIM_PROBED int ll_writepages(struct address_space *mapping, struct writeback_control *wbc)
{
	struct writeback wb = {.inode = mapping->host};
	int rc = sim_enter(SIM_ll_writepages);

	if (rc)
		return rc;
	rc = compat_write_dirty(mapping, wbc, write_folio, &wb);
	submit(&wb);
	return rc;
}

const struct address_space_operations ll_aops = {
	.COMPAT_READ_METHOD = ll_read_folio,
	.readahead = ll_readahead,
	.COMPAT_DIRTY_METHOD = COMPAT_DIRTY_FUNCTION,
	.write_begin = ll_write_begin,
	.write_end = ll_write_end,
	.writepages = ll_writepages,
	.direct_IO = ll_direct_IO,
};
