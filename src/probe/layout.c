// SPDX-License-Identifier: Apache-2.0
/* Members of structs, by name, in BTF. */
#include <errno.h>
#include <string.h>

#include <bpf/btf.h>

#include "probe/layout.h"

static const struct btf_type *find_struct(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	return id < 0 ? NULL : btf__type_by_id(btf, id);
}

static const struct btf_type *resolve(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/*
 * Adds the offset of a member in bytes, also of one in a struct or union without a
 * name. Returns its type, NULL: there is no such member.
 */
static const struct btf_type *add_member(const struct btf *btf, const struct btf_type *t,
					 const char *name, __u32 *offset)
{
	for (int i = 0; t && btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *member = btf__name_by_offset(btf, m->name_off);
		const struct btf_type *type = resolve(btf, m->type), *found;
		__u32 at = *offset + btf_member_bit_offset(t, i) / 8;

		if (member && !strcmp(member, name)) {
			*offset = at;
			return type;
		}
		if (member && *member)
			continue;
		found = add_member(btf, type, name, &at);
		if (found) {
			*offset = at;
			return found;
		}
	}
	return NULL;
}

static int read_offsets(const struct btf *btf, struct rpc_layout *layout)
{
	const struct btf_type *request = find_struct(btf, "ptlrpc_request");
	const struct btf_type *import = find_struct(btf, "obd_import");
	const struct btf_type *obd = find_struct(btf, "obd_device");
	const struct btf_type *name, *pill;

	/* Up to Lustre 2.14 a field, then one of the capsule's. */
	if (!add_member(btf, request, "rq_reqmsg", &layout->reqmsg)) {
		pill = add_member(btf, request, "rq_pill", &layout->reqmsg);
		if (!add_member(btf, pill, "rc_reqmsg", &layout->reqmsg))
			return -EINVAL;
	}
	name = add_member(btf, obd, "obd_name", &layout->obd_name);
	if (!name || !btf_is_array(name) ||
	    !add_member(btf, request, "rq_import", &layout->import) ||
	    !add_member(btf, import, "imp_obd", &layout->obd))
		return -EINVAL;
	layout->known = 1;
	return 0;
}

int layout_read(const char *path, struct btf *kernel, struct rpc_layout *layout)
{
	struct btf *btf =
		path ? btf__parse_split(path, kernel) : btf__load_module_btf("ptlrpc", kernel);
	int err;

	memset(layout, 0, sizeof(*layout));
	if (!btf && path)
		btf = btf__parse(path, NULL); /* complete in itself */
	if (!btf)
		return -ENOENT;
	err = read_offsets(btf, layout);
	if (err)
		memset(layout, 0, sizeof(*layout));
	btf__free(btf);
	return err;
}
