/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load.h - find an engine
 */
#ifndef READAHEAD_LOAD_H
#define READAHEAD_LOAD_H

#include "engine.h"

/**
 * engine_load() - Load a shared object made from engine.c.
 * @path: Of the shared object.
 *
 * Return: The engine.  Prints one line and exits with 2 if it is none.
 */
const struct engine *engine_load(const char *path);

#endif
