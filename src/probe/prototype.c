// SPDX-License-Identifier: Apache-2.0
/* Positions of the arguments, from the prototypes in the kernel's BTF. */
#include <errno.h>
#include <string.h>

#include <bpf/btf.h>

#include "probe/prototype.h"

static const struct {
	const char *type;
	unsigned int object;
} object_types[] = {
	{"inode", OBJ_INODE}, {"dentry", OBJ_DENTRY}, {"path", OBJ_PATH},
	{"file", OBJ_FILE},   {"kiocb", OBJ_KIOCB},   {"vm_fault", OBJ_VMF},
};

static const struct btf_type *skip_modifiers(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* The OBJ_* bit of a pointer to one of the known structs, else 0. */
static unsigned int pointed_object(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = skip_modifiers(btf, id);
	const char *name;

	if (!t || !btf_is_ptr(t))
		return 0;
	t = skip_modifiers(btf, t->type);
	if (!t || !(btf_is_struct(t) || btf_is_fwd(t)))
		return 0;
	name = btf__name_by_offset(btf, t->name_off);
	for (size_t i = 0; i < sizeof(object_types) / sizeof(object_types[0]); i++)
		if (!strcmp(name, object_types[i].type))
			return object_types[i].object;
	return 0;
}

static enum result_width result_width_of(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = skip_modifiers(btf, id);

	if (t && btf_is_ptr(t))
		return RESULT_POINTER;
	return t && btf_is_int(t) && t->size == 8 ? RESULT_LONG : RESULT_INT;
}

/* The function prototype behind a member that is a pointer to a function. */
static const struct btf_type *method_prototype(const struct btf *btf, const char *table,
					       const char *method)
{
	int id = btf__find_by_name_kind(btf, table, BTF_KIND_STRUCT);
	const struct btf_type *t;
	const struct btf_member *member;

	if (id < 0)
		return NULL;
	t = btf__type_by_id(btf, id);
	member = btf_members(t);
	for (int i = 0; i < btf_vlen(t); i++, member++) {
		if (strcmp(btf__name_by_offset(btf, member->name_off), method))
			continue;
		t = skip_modifiers(btf, member->type);
		if (!t || !btf_is_ptr(t))
			return NULL;
		t = skip_modifiers(btf, t->type);
		return t && btf_is_func_proto(t) ? t : NULL;
	}
	return NULL;
}

int prototype_read(const struct btf *btf, const struct fn_info *fn, struct fn_config *config)
{
	const struct btf_type *proto = method_prototype(btf, fn->table, fn->method);
	const struct btf_param *param;

	if (!proto)
		return -ENOENT;
	param = btf_params(proto);
	for (int i = 0; i < btf_vlen(proto); i++, param++) {
		unsigned int object = pointed_object(btf, param->type) & fn->objects;

		if (!object)
			continue;
		*config = (struct fn_config){
			.object = object,
			.object_arg = i,
			.n_args = btf_vlen(proto),
			.result = result_width_of(btf, proto->type),
		};
		return 0;
	}
	return -EINVAL;
}
