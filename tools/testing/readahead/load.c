// SPDX-License-Identifier: GPL-2.0
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

const struct engine *engine_load(const char *path)
{
	const struct engine *engine;
	char *slash = NULL;
	void *so;

	/* without a slash dlopen() would look in the system's directories */
	if (!strchr(path, '/')) {
		slash = malloc(strlen(path) + 3);
		if (!slash)
			exit(2);
		sprintf(slash, "./%s", path);
	}
	/* engines export the same symbol: each must keep to its own */
	so = dlopen(slash ? slash : path, RTLD_NOW | RTLD_LOCAL);
	free(slash);
	if (!so) {
		fprintf(stderr, "readahead: %s\n", dlerror());
		exit(2);
	}
	engine = dlsym(so, "readahead_engine");
	if (!engine || engine->abi != ENGINE_ABI) {
		fprintf(stderr, "%s: expected an engine of version %d\n", path,
			ENGINE_ABI);
		exit(2);
	}
	return engine;
}
