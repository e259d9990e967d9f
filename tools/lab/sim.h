/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sim.h - a claim on an engine of tools/testing/readahead
 */
#ifndef SIM_H
#define SIM_H

#include "engine.h"
#include "verdict.h"

/* The set-up of a claim, as an engine takes it */
void sim_params_of(struct sim_params *p, const struct claim *c);

/* The workload of a claim: all its reads */
void sim_workload(const struct engine *e, struct sim *sim, const struct claim *c);

/**
 * sim_claim() - What a pass of a claim counts, in the simulator.
 * @e: The engine.
 * @c: The claim, one with a device.
 * @s: Filled in but for metadata, settings, checksum and time, of which the
 *	simulator has none.
 */
void sim_claim(const struct engine *e, const struct claim *c, struct sample *s);

#endif
