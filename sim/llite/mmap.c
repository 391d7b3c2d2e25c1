// SPDX-License-Identifier: GPL-2.0
/* Memory mapping. There is no map_pages: every page comes through ll_fault(). */
#include "llite/llite.h"

/* VM_FAULT_RETRY is not an operation: the fault comes again. */
static void count_fault(struct sim_instance *instance, enum op_id op, vm_fault_t fault)
{
	if (fault & VM_FAULT_RETRY)
		return;
	if (fault & VM_FAULT_OOM)
		sim_count(instance, op, -ENOMEM);
	else
		sim_count(instance, op, fault & VM_FAULT_ERROR ? -EIO : 0);
}

/* True if it may be answered with VM_FAULT_RETRY; the mmap lock is then released. */
static bool release_for_retry(struct vm_fault *vmf)
{
	if (!(vmf->flags & FAULT_FLAG_ALLOW_RETRY) || (vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		return false;
	mmap_read_unlock(vmf->vma->vm_mm);
	return true;
}

static SIM_PROBED vm_fault_t ll_fault(struct vm_fault *vmf)
{
	struct sim_instance *instance = ll_i2instance(file_inode(vmf->vma->vm_file));
	int rc = sim_enter(FN_FAULT);
	vm_fault_t fault;

	if (rc < 0)
		fault = rc == -ENOMEM ? VM_FAULT_OOM : VM_FAULT_SIGBUS;
	else if (rc == SIM_RETRY && release_for_retry(vmf))
		fault = VM_FAULT_RETRY;
	else
		fault = filemap_fault(vmf);
	count_fault(instance, OP_FAULT, fault);
	return fault;
}

static SIM_PROBED vm_fault_t ll_page_mkwrite(struct vm_fault *vmf)
{
	struct sim_instance *instance = ll_i2instance(file_inode(vmf->vma->vm_file));
	int rc = sim_enter(FN_PAGE_MKWRITE);
	vm_fault_t fault;

	if (rc < 0)
		fault = rc == -ENOMEM ? VM_FAULT_OOM : VM_FAULT_SIGBUS;
	else if (rc == SIM_RETRY && release_for_retry(vmf))
		fault = VM_FAULT_RETRY | VM_FAULT_NOPAGE; /* the caller looks for the second */
	else
		fault = filemap_page_mkwrite(vmf);
	count_fault(instance, OP_PAGE_MKWRITE, fault);
	return fault;
}

static const struct vm_operations_struct ll_file_vm_ops = {
	.fault = ll_fault,
	.page_mkwrite = ll_page_mkwrite,
};

SIM_PROBED int ll_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	int rc = sim_enter(FN_FILE_MMAP);

	if (!rc)
		rc = generic_file_mmap(file, vma);
	if (!rc)
		vma->vm_ops = &ll_file_vm_ops;
	sim_count(ll_i2instance(file_inode(file)), OP_MMAP, rc);
	return rc;
}
