// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel client of ubcore, for tests: answers to user space.
 *
 * Writing "DEVICE EID ID TOKEN" to the file "echo" makes an end on a device
 * (EID: 32 hexadecimal digits), in mode RM, which sends each message back to
 * that jetty. Reading the file gives "EID ID TOKEN" of the end, and the address,
 * token id and token of memory of its own. Writing "stop" ends it; the end also
 * goes when its device does.
 */
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/hex.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "client.h"

#define ECHO_BUFS	10
#define ECHO_LEN	1024

/* Protects the end; taken before nothing of ubcore's is held. */
static DEFINE_MUTEX(ubt_echo_lock);
static struct ubt_end *ubt_echo;

/* In the tasklet. */
static void ubt_echo_cr(struct ubt_end *end, const struct ubcore_cr *cr)
{
	u32 buf = cr->user_ctx * ECHO_LEN;
	struct ubt_wr w;

	if (cr->status != UBCORE_CR_SUCCESS)
		return;
	if (!cr->flag.bs.s_r) {
		/* The answer is out: the buffer is free. */
		ubt_post_recv(end, buf, ECHO_LEN, cr->user_ctx);
		return;
	}
	ubt_wr_send(end, &w, buf, cr->completion_len);
	w.wr.user_ctx = cr->user_ctx;
	ubt_post(end, &w);
}

static const struct ubt_cfg ubt_echo_cfg = {
	.mode = UBCORE_TP_RM,
	.rnr_retry = 7,
	.on_cr = ubt_echo_cr,
};

static int ubt_echo_start(struct ubt_end *end, struct ubt_dev *on,
			  struct ubcore_tjetty_cfg *peer)
{
	int ret, i;

	ret = ubt_end_create(end, on, &ubt_echo_cfg);
	if (ret)
		return ret;
	end->peer = ubcore_import_jetty(on->dev, peer, NULL);
	if (IS_ERR(end->peer))
		return PTR_ERR(end->peer);
	for (i = 0; i < ECHO_BUFS && !ret; i++)
		ret = ubt_post_recv(end, i * ECHO_LEN, ECHO_LEN, i);
	return ret;
}

static void ubt_echo_end(void)
{
	if (ubt_echo)
		ubt_end_destroy(ubt_echo);
	kvfree(ubt_echo);
	ubt_echo = NULL;
}

/**
 * ubt_echo_stop() - end what runs on a device
 * @on: device that goes
 */
void ubt_echo_stop(struct ubt_dev *on)
{
	mutex_lock(&ubt_echo_lock);
	if (ubt_echo && ubt_echo->on == on)
		ubt_echo_end();
	mutex_unlock(&ubt_echo_lock);
}

static int ubt_echo_parse(const char *text, char *name,
			  struct ubcore_tjetty_cfg *peer)
{
	char eid[33];

	if (sscanf(text, "%63s %32s %u %u", name, eid, &peer->id.id,
		   &peer->token_value.token) != 4)
		return -EINVAL;
	peer->trans_mode = UBCORE_TP_RM;
	peer->type = UBCORE_JETTY;
	peer->tp_type = UBCORE_RTP;
	peer->flag.bs.token_policy = UBCORE_TOKEN_PLAIN_TEXT;
	return hex2bin(peer->id.eid.raw, eid, sizeof(peer->id.eid.raw));
}

static ssize_t ubt_echo_write(struct file *file, const char __user *from,
			      size_t len, loff_t *pos)
{
	char text[160] = {}, name[UBCORE_MAX_DEV_NAME];
	struct ubcore_tjetty_cfg peer = {};
	struct ubt_dev *on;
	int ret;

	if (len >= sizeof(text) || copy_from_user(text, from, len))
		return -EFAULT;
	if (!strcmp(strim(text), "stop")) {
		mutex_lock(&ubt_echo_lock);
		ubt_echo_end();
		mutex_unlock(&ubt_echo_lock);
		return len;
	}
	ret = ubt_echo_parse(text, name, &peer);
	if (ret)
		return ret;
	on = ubt_dev_get(0, name);
	if (!on)
		return -ENODEV;
	mutex_lock(&ubt_echo_lock);
	ubt_echo_end();
	ubt_echo = kvzalloc_obj(*ubt_echo);
	ret = ubt_echo ? ubt_echo_start(ubt_echo, on, &peer) : -ENOMEM;
	if (ret)
		ubt_echo_end();
	mutex_unlock(&ubt_echo_lock);
	ubt_dev_put(on);
	return ret ?: len;
}

static int ubt_echo_show(struct seq_file *file, void *unused)
{
	mutex_lock(&ubt_echo_lock);
	if (ubt_echo) {
		seq_printf(file, "%16phN %u %u %llu %u %u\n",
			   ubt_echo->jetty->jetty_id.eid.raw,
			   ubt_echo->jetty->jetty_id.id, UBT_TOKEN,
			   ubt_echo->mem_seg->seg.ubva.va,
			   ubt_echo->mem_seg->seg.token_id, UBT_TOKEN);
	}
	mutex_unlock(&ubt_echo_lock);
	return 0;
}
DEFINE_SHOW_STORE_ATTRIBUTE(ubt_echo);

/**
 * ubt_echo_files() - make the file
 * @dir: where
 */
void ubt_echo_files(struct dentry *dir)
{
	debugfs_create_file("echo", 0600, dir, NULL, &ubt_echo_fops);
}
