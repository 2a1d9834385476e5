// SPDX-License-Identifier: GPL-2.0
/*
 * A driver of a UB device that does little, for tests: its operations.
 */
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>

#include "driver.h"

static int ubtd_query_attr(struct ubcore_device *dev,
			   struct ubcore_device_attr *attr)
{
	struct ubcore_device_cap *cap = &attr->dev_cap;

	cap->max_jfc = 64;
	cap->max_jfs = 64;
	cap->max_jfr = 64;
	cap->max_jetty = 64;
	cap->max_jetty_in_jetty_grp = 1;
	cap->max_rc = 64;
	cap->max_jfc_depth = UBTD_DEPTH;
	cap->max_jfs_depth = UBTD_DEPTH;
	cap->max_jfr_depth = UBTD_DEPTH;
	cap->max_rc_depth = UBTD_DEPTH;
	cap->max_jfs_sge = 4;
	cap->max_jfs_rsge = 1;
	cap->max_jfr_sge = 4;
	cap->max_msg_size = 65536;
	cap->trans_mode = UBCORE_TP_RM | UBCORE_TP_RC;
	cap->ceq_cnt = 1;
	cap->max_eid_cnt = 1;
	cap->max_ue_cnt = 1;
	cap->page_size_cap = PAGE_SIZE;
	cap->rm_order_cap.bs.oi = 1;
	cap->rc_order_cap.bs.ol = 1;
	cap->rm_tp_cap.bs.rtp = 1;
	cap->rc_tp_cap.bs.rtp = 1;
	attr->reserved_jetty_id_max = 1023;
	attr->port_cnt = 1;
	attr->port_attr[0].max_mtu = UBCORE_MTU_4096;
	return 0;
}

static int ubtd_config(struct ubcore_device *dev, struct ubcore_device_cfg *cfg)
{
	return 0;
}

static struct ubcore_ucontext *ubtd_alloc_uctx(struct ubcore_device *dev,
					       u32 eid_index,
					       struct ubcore_udrv_priv *udrv)
{
	struct ubtd_uctx *own;

	if (ubtd_fails("null"))
		return NULL;
	if (ubtd_fails("alloc_ucontext"))
		return ERR_PTR(-EDQUOT);
	own = kzalloc_obj(*own);
	if (!own)
		return ERR_PTR(-ENOMEM);
	own->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!own->page) {
		kfree(own);
		return ERR_PTR(-ENOMEM);
	}
	strscpy((char *)page_address(own->page), "ubtd", 5);
	return &own->uctx;
}

static int ubtd_free_uctx(struct ubcore_ucontext *uctx)
{
	struct ubtd_uctx *own = container_of(uctx, struct ubtd_uctx, uctx);

	put_page(own->page);
	kfree(own);
	return 0;
}

static int ubtd_mmap(struct ubcore_ucontext *uctx, struct vm_area_struct *vma)
{
	struct ubtd_uctx *own = container_of(uctx, struct ubtd_uctx, uctx);

	if (vma->vm_pgoff || vma_pages(vma) != 1)
		return -EINVAL;
	return vm_insert_page(vma, vma->vm_start, own->page);
}

static void ubtd_disassociate(struct ubcore_ucontext *uctx)
{
}

static struct ubcore_token_id *ubtd_alloc_token(struct ubcore_device *dev,
						union ubcore_token_id_flag flag,
						struct ubcore_udata *udata)
{
	struct ubcore_token_id *token;
	int ret;

	token = kzalloc_obj(*token);
	if (!token)
		return ERR_PTR(-ENOMEM);
	ret = ubtd_new_id(dev, token, &token->token_id);
	if (ret) {
		kfree(token);
		return ERR_PTR(ret);
	}
	return token;
}

static int ubtd_free_token(struct ubcore_token_id *token)
{
	if (ubtd_fails("free_token_id"))
		return -EBUSY;
	ubtd_free_id(token->ub_dev, token->token_id);
	kfree(token);
	return 0;
}

/* A token id leads to its segment as long as there is one. */
static struct ubcore_target_seg *ubtd_register(struct ubcore_device *dev,
					       struct ubcore_seg_cfg *cfg,
					       struct ubcore_udata *udata)
{
	struct ubtd_dev *own = container_of(dev, struct ubtd_dev, dev);
	union ubcore_umem_flag flag = {};
	struct ubtd_seg *seg;
	void *before;
	int ret;

	if (!udata)
		return ERR_PTR(-EOPNOTSUPP);
	seg = kzalloc_obj(*seg);
	if (!seg)
		return ERR_PTR(-ENOMEM);
	/* Only a peer writes to it here. */
	flag.bs.writable = !!(cfg->flag.bs.access & UBCORE_ACCESS_WRITE);
	seg->umem = ubcore_umem_get(dev, cfg->va, cfg->len, flag);
	if (IS_ERR(seg->umem)) {
		ret = PTR_ERR(seg->umem);
		goto free;
	}
	seg->tseg.seg.token_id = cfg->token_id->token_id;
	before = xa_cmpxchg(&own->ids, cfg->token_id->token_id, cfg->token_id,
			    seg, GFP_KERNEL);
	ret = xa_err(before);
	if (!ret && before == cfg->token_id)
		return &seg->tseg;
	ret = ret ?: -EBUSY;
	ubcore_umem_release(seg->umem);
free:
	kfree(seg);
	return ERR_PTR(ret);
}

static int ubtd_unregister(struct ubcore_target_seg *tseg)
{
	struct ubtd_dev *own = container_of(tseg->ub_dev, struct ubtd_dev, dev);
	struct ubtd_seg *seg = container_of(tseg, struct ubtd_seg, tseg);

	if (ubtd_fails("unregister_seg"))
		return -EBUSY;
	xa_store(&own->ids, tseg->seg.token_id, tseg->token_id, GFP_KERNEL);
	ubcore_umem_release(seg->umem);
	kfree(seg);
	return 0;
}

/* Sums up the bytes, or sets them. */
static u32 ubtd_walk(struct ubcore_umem *umem, bool fill, u8 value)
{
	struct sg_mapping_iter iter;
	u32 sum = 0;
	size_t i;

	sg_miter_start(&iter, umem->sg_head.sgl, umem->sg_head.orig_nents,
		       fill ? SG_MITER_TO_SG : SG_MITER_FROM_SG);
	while (sg_miter_next(&iter)) {
		u8 *bytes = iter.addr;

		for (i = 0; i < iter.length; i++) {
			if (fill)
				bytes[i] = value;
			sum += bytes[i];
		}
	}
	sg_miter_stop(&iter);
	return sum;
}

/* The test program is the only user: it does not unregister meanwhile. */
static int ubtd_user_ctl(struct ubcore_device *dev, struct ubcore_user_ctl *ctl)
{
	struct ubtd_dev *own = container_of(dev, struct ubtd_dev, dev);
	struct ubtd_ctl in;
	struct ubtd_seg *seg;
	u64 out;

	if (ctl->in.len != sizeof(in) || ctl->out.len != sizeof(out))
		return -EINVAL;
	if (copy_from_user(&in, u64_to_user_ptr(ctl->in.addr), sizeof(in)))
		return -EFAULT;
	seg = xa_load(&own->ids, in.token_id);
	if (!seg)
		return -ENOENT;
	switch (ctl->in.opcode) {
	case UBTD_CTL_SUM:
		out = ubtd_walk(seg->umem, false, 0);
		break;
	case UBTD_CTL_FILL:
		if (!seg->umem->flag.bs.writable)
			return -EACCES;
		out = ubtd_walk(seg->umem, true, in.value);
		break;
	case UBTD_CTL_PAGES:
		out = ubcore_umem_find_best_page_size(seg->umem, PAGE_SIZE,
						      seg->umem->va);
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (copy_to_user(u64_to_user_ptr(ctl->out.addr), &out, sizeof(out)))
		return -EFAULT;
	return 0;
}

static struct ubcore_jfc *ubtd_create_jfc(struct ubcore_device *dev,
					  struct ubcore_jfc_cfg *cfg,
					  struct ubcore_udata *udata)
{
	struct ubcore_jfc *jfc;
	int ret;

	if (ubtd_fails("create_jfc"))
		return NULL;
	if (cfg->depth > UBTD_DEPTH)
		return ERR_PTR(-EINVAL);
	jfc = kzalloc_obj(*jfc);
	if (!jfc)
		return ERR_PTR(-ENOMEM);
	ret = ubtd_new_id(dev, jfc, &jfc->id);
	if (ret) {
		kfree(jfc);
		return ERR_PTR(ret);
	}
	jfc->jfc_cfg.depth = UBTD_DEPTH;
	return jfc;
}

static int ubtd_destroy_jfc(struct ubcore_jfc *jfc)
{
	if (ubtd_fails("destroy_jfc"))
		return -EBUSY;
	ubtd_free_id(jfc->ub_dev, jfc->id);
	kfree(jfc);
	return 0;
}

static struct ubcore_jfr *ubtd_create_jfr(struct ubcore_device *dev,
					  struct ubcore_jfr_cfg *cfg,
					  struct ubcore_udata *udata)
{
	struct ubcore_jfr *jfr;
	int ret;

	jfr = kzalloc_obj(*jfr);
	if (!jfr)
		return ERR_PTR(-ENOMEM);
	ret = ubtd_new_id(dev, jfr, &jfr->jfr_id.id);
	if (ret) {
		kfree(jfr);
		return ERR_PTR(ret);
	}
	jfr->jfr_cfg.depth = UBTD_DEPTH;
	jfr->jfr_cfg.max_sge = 4;
	/* Less than was asked for: the core must notice, and destroy it. */
	if (ubtd_fails("create_jfr"))
		jfr->jfr_cfg.depth = 0;
	return jfr;
}

static int ubtd_destroy_jfr(struct ubcore_jfr *jfr)
{
	if (ubtd_fails("destroy_jfr"))
		return -EBUSY;
	ubtd_free_id(jfr->ub_dev, jfr->jfr_id.id);
	kfree(jfr);
	return 0;
}

static struct ubcore_jetty *ubtd_create_jetty(struct ubcore_device *dev,
					      struct ubcore_jetty_cfg *cfg,
					      struct ubcore_udata *udata)
{
	struct ubcore_jetty *jetty;
	int ret;

	jetty = kzalloc_obj(*jetty);
	if (!jetty)
		return ERR_PTR(-ENOMEM);
	ret = ubtd_new_id(dev, jetty, &jetty->jetty_id.id);
	if (ret) {
		kfree(jetty);
		return ERR_PTR(ret);
	}
	jetty->jetty_cfg.jfs_depth = UBTD_DEPTH;
	jetty->jetty_cfg.max_send_sge = 4;
	jetty->jetty_cfg.max_send_rsge = 1;
	return jetty;
}

static int ubtd_destroy_jetty(struct ubcore_jetty *jetty)
{
	if (ubtd_fails("destroy_jetty"))
		return -EBUSY;
	ubtd_free_id(jetty->ub_dev, jetty->jetty_id.id);
	kfree(jetty);
	return 0;
}

/* Absent: send queues, modification, imports, transport paths, posts. */
const struct ubcore_ops ubtd_ops = {
	.owner = THIS_MODULE,
	.driver_name = "ub_test_driver",
	.abi_version = 1,
	.query_device_attr = ubtd_query_attr,
	.config_device = ubtd_config,
	.alloc_ucontext = ubtd_alloc_uctx,
	.free_ucontext = ubtd_free_uctx,
	.mmap = ubtd_mmap,
	.alloc_token_id = ubtd_alloc_token,
	.free_token_id = ubtd_free_token,
	.register_seg = ubtd_register,
	.unregister_seg = ubtd_unregister,
	.create_jfc = ubtd_create_jfc,
	.destroy_jfc = ubtd_destroy_jfc,
	.create_jfr = ubtd_create_jfr,
	.destroy_jfr = ubtd_destroy_jfr,
	.create_jetty = ubtd_create_jetty,
	.destroy_jetty = ubtd_destroy_jetty,
	.user_ctl = ubtd_user_ctl,
	.disassociate_ucontext = ubtd_disassociate,
};
