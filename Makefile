# SPDX-License-Identifier: GPL-2.0
#
# Every entry point.  Plain "make" prints what there is.

BASE	?= 7.3
O	?= build
CACHE	?= $(O)/cache
JOBS	?= $(shell nproc)
RUNS	?= 2
PAIRS	?= 10
SEED	?= 1
ifeq ($(origin CC),default)
CC	= gcc
endif
V	?= 0
CLAIMS	?=
RIVALS	?=
APPLY	?=
CLAIM	?= A1
TOPIC	?=
EVERY	?= 7
FUZZ	?= 60
MINUTES	?= 5
CASE	?=
FLAVOURS ?= patched
WHERE	?= um qemu
ACCEL	?=
KERNEL_SRC ?=
KERNEL_REF ?= HEAD
BASE_REF ?=
SIGNOFF	?=
MBOX	?=
MAILS	?=

# "rm -rf $(O)/..." is below, and kbuild takes neither blanks nor colons
ifneq ($(words x$(O)x),1)
$(error O="$(O)": expected a directory without blanks in its name)
endif
ifneq ($(filter x / .,$(O)x $(O)),)
$(error O="$(O)": expected a directory of its own)
endif

# mkfs lives there, and not every user's PATH has it
export PATH := $(PATH):/usr/sbin:/sbin
export BASE O CACHE JOBS V CC KERNEL_SRC KERNEL_REF BASE_REF SIGNOFF
Q	= $(if $(filter 1,$(V)),,@)
MAKEFLAGS += --no-print-directory
# what a compiler that was killed has left is not a program
.DELETE_ON_ERROR:
# a pattern is for lab, not for the shell
CLAIMS_Q = $(foreach c,$(CLAIMS),'$(c)')

# One run at a time in an output directory; the lock goes with the process.
LOCKED	= $(Q)tools/setup/locked.sh $(O) $(MAKE)

HOST_CFLAGS = -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror \
	      -Wmissing-prototypes -Wstrict-prototypes -Iqemu/guest \
	      -Itools/testing/readahead
RA	= tools/testing/readahead
LAB_SRC	= $(filter-out %/main.c,$(wildcard tools/lab/*.c)) \
	  $(addprefix $(RA)/,load.c picture.c windows.c)
LAB_HDR	= $(wildcard tools/lab/*.h $(RA)/*.h) qemu/guest/pattern.h
LAB	= $(O)/bin/lab
# what a program is when it has been made; locked.sh looks at it before it is used
NOTED	= $(Q)cd $(@D) && sha256sum $(@F) >$(@F).sha256

.PHONY: help
help:
	@sed -n 's/^#: \{0,1\}//p' Makefile

#: mm-read: a patch series for the kernel's buffered read paths, and the
#: laboratory that re-runs the numbers of its changelogs
#:
#: make qemu-test   fetch, build base and patched, boot both, re-run the claims
#: make check       test the laboratory itself (no long boot; a few minutes)
#: make check-full  the same, and real guests: that fail, their settings, hard cases
#: make model-test  rows of the claims in model time: instructions plus modelled
#:                  device latency, not wall-clock
#: make native-test  those of tmpfs with huge=never in native time: user mode Linux;
#:                  ACCEL=kvm takes all of them
#: make kunit       the KUnit tests of mm/tests, base and patched, UML and QEMU
#: make shmem-cases   each hard case of a read of tmpfs, base and patched, on kernels with
#:                  KASAN, lockdep and DEBUG_VM
#: make stress      reads of tmpfs while all else goes on, there, for MINUTES=5
#: make selftests   the kernel's own tests of tmpfs, memfd and large folios, fio and
#:                  stress-ng on tmpfs, there, on both
#: make shmem-mutants   undo each essential line of the shmem patches: does one of the two notice?
#: make sim         the claims in user space, in seconds: after each edit
#: make windows CLAIM=A1   draw the windows of a claim, base and patched
#: make pipeline CLAIM=T1   of one pass in model time: when is a window decided,
#:                  sent, there, used; when do reader and device wait; a picture
#: make sweep       sequential passes of every shape: does the quilt lose any?
#: make mutants     undo each essential line of the quilt: does a test notice?
#: make fuzz        rules of readahead, by libFuzzer, for FUZZ=60 seconds
#: make claims      list the claims
#: make table       the verdicts of the last qemu-test once more
#: make report TOPIC=readahead      store the last results beside its patches
#: make changelog TOPIC=readahead   the messages of its patches, their numbers
#:                  taken from those results; APPLY=1 puts them into the patches
#: make b4-branch TOPIC=readahead   a branch to "b4 send", here or in KERNEL_SRC=
#: make b4-check    what arrives by mail is what is in the quilt (TOPIC=, or all)
#: make send-check TOPIC=readahead   what a maintainer's scripts would object to
#: make reroll TOPIC=readahead       the next version of what was sent
#: make bisect-check   every patch alone: W=1, sparse, gcc, clang, simulator, KUnit
#: make review MBOX=FILE   apply a series that came by mail, re-run its claims
#: make fetch       only get the pinned kernel tree
#: make build       only build both kernels
#: make deps        only install, or name, what is missing on this machine
#: make clean       remove objects, images and results; keep what was fetched
#: make distclean   remove the output directory
#:
#: CLAIMS="A1 F*"   run only these claims, by id or pattern (all of them)
#: TOPIC=readahead  run only the claims of this topic (all)
#: RUNS=2           boots of each kernel; counts must agree in all
#: PAIRS=10         make model-test, native-test: pairs of boots, each perturbed in its own way
#: SEED=1           what decides on that, and on the order of the boots
#: EVERY=7          make sweep: one cell in so many; 1 for all
#: WHERE="um qemu debug"   make kunit: in which kernels (um qemu)
#: MINUTES=5 CASE=SH-05   make stress: how long; make shmem-cases: those with it in their names
#: RIVALS=1         a third kernel beside ours: the posted policy
#: ACCEL=tcg|kvm    how to run guests                (kvm where it works)
#: JOBS=n           builds and guests at a time      (one a processor)
#: BASE=7.3         the folder of patches/ to work on; the other one is 6.1
#: KERNEL_SRC=DIR   take the kernel from this tree or git repository, which is
#:                  only read; KERNEL_REF=v7.3.4 names a commit of it (HEAD)
#: BASE_REF=mm-new  where a branch of b4-branch starts in KERNEL_SRC
#: SIGNOFF=1        b4-branch, send-check: with the sender's Signed-off-by
#: O=DIR            output directory (build); CACHE=DIR for what is fetched
#: V=1              show commands

$(O)/bin:
	$(Q)mkdir -p $@

$(LAB): $(LAB_SRC) tools/lab/main.c $(LAB_HDR) | $(O)/bin
	$(Q)$(CC) $(HOST_CFLAGS) -o $@ $(LAB_SRC) tools/lab/main.c -ljson-c \
		-lgsl -lgslcblas -lm -ldl
	$(NOTED)

# GUEST: where its sources are; tests build it from sources that they have changed
GUEST ?= qemu/guest
$(O)/bin/init: $(addprefix $(GUEST)/,init.c batch.c batch.h pattern.h) | $(O)/bin
	$(Q)$(CC) $(HOST_CFLAGS) -static -o $@ $(filter %.c,$^)
	$(NOTED)

# static, for guests
$(O)/bin/shmem-%: qemu/guest/shmem-%.c qemu/guest/pattern.h qemu/guest/uring.h | $(O)/bin
	$(Q)$(CC) $(HOST_CFLAGS) -static -pthread -o $@ $<
	$(NOTED)

.PHONY: deps
deps:
	$(Q)tools/setup/deps.sh

.PHONY: fetch
fetch: deps
	$(LOCKED) _fetch

.PHONY: _fetch
_fetch:
	$(Q)tools/kernel/fetch.sh

.PHONY: build
build: deps
	$(LOCKED) _build

.PHONY: _build
_build: _fetch $(LAB) $(O)/bin/init
	$(Q)tools/kernel/build.sh base
	$(Q)tools/kernel/build.sh patched patches/$(BASE)/series
	$(if $(RIVALS),$(Q)tools/kernel/build.sh rival tests/rivals/$(BASE)/series)

# "+" keeps make's job tokens away from guests, which lab counts itself
.PHONY: qemu-test
qemu-test: deps
	$(LOCKED) _qemu-test

# What the user named is looked at before anything is built, and no "last"
# is left to be taken for the result of a run that failed.
.PHONY: _begin
_begin: $(LAB)
	$(Q)$(LAB) list tests/claims $(CLAIMS_Q) >/dev/null
	$(Q)rm -f $(O)/results/last

.PHONY: _qemu-test
_qemu-test: _begin _build
	$(Q)qemu/fio-image.sh $(O)/fio.img
	$(Q)$(LAB) run --base $(O)/$(BASE)/base --patched $(O)/$(BASE)/patched \
		$(if $(RIVALS),--rival $(O)/$(BASE)/rival) \
		--init $(O)/bin/init --fio $(O)/fio.img --out $(O)/results \
		--runs $(RUNS) --order $(SEED) --jobs $(JOBS) --topic '$(TOPIC)' \
		$(if $(ACCEL),--accel $(ACCEL)) tests/claims $(CLAIMS_Q)

# The guest's own clock on a device that is modelled in it: no disk, no fio.
.PHONY: model-test
model-test: deps
	$(LOCKED) _model-test

.PHONY: _model-test
_model-test: _begin _build
	$(Q)$(LAB) run --engine model --base $(O)/$(BASE)/base \
		--patched $(O)/$(BASE)/patched --init $(O)/bin/init \
		--fio $(O)/fio.img --out $(O)/results --runs $(PAIRS) \
		--order $(SEED) --topic '$(TOPIC)' --jobs $(JOBS) $(if $(ACCEL),--accel $(ACCEL)) \
		tests/claims $(CLAIMS_Q)

# A processor's clock.  Without KVM kernels of user mode Linux, built for this.
.PHONY: native-test
native-test: deps
	$(LOCKED) _native-test

NATIVE	= $(if $(filter kvm,$(ACCEL)),,native-)
.PHONY: _native-build
_native-build: _fetch $(LAB) $(O)/bin/init
	$(Q)UML=native tools/kernel/build.sh native-base
	$(Q)UML=native tools/kernel/build.sh native-patched patches/$(BASE)/series

.PHONY: _native-test
_native-test: _begin $(if $(NATIVE),_native-build,_build)
	$(Q)$(LAB) run --engine native --base $(O)/$(BASE)/$(NATIVE)base \
		--patched $(O)/$(BASE)/$(NATIVE)patched --init $(O)/bin/init \
		--fio $(O)/fio.img --out $(O)/results --runs $(PAIRS) \
		--order $(SEED) --topic '$(TOPIC)' $(if $(ACCEL),--accel $(ACCEL)) \
		tests/claims $(CLAIMS_Q)

# Built with the sanitizers: what is wrong in the laboratory shows here.
$(O)/bin/unit-lab: tests/unit/lab.c $(LAB_SRC) $(LAB_HDR) | $(O)/bin
	$(Q)$(CC) $(HOST_CFLAGS) -fsanitize=address,undefined -Itools/lab \
		-o $@ $< $(addprefix tools/lab/,claim.c plan.c report.c stats.c util.c \
		verdict.c) -lcmocka -lgsl -lgslcblas -lm

$(O)/bin/unit-stats: tests/unit/stats.c $(LAB_SRC) $(LAB_HDR) | $(O)/bin
	$(Q)$(CC) $(HOST_CFLAGS) -fsanitize=address,undefined -Itools/lab \
		-o $@ $< $(addprefix tools/lab/,stats.c stats-file.c util.c) \
		-lcmocka -lgsl -lgslcblas -lm

$(O)/bin/pattern-sum: tests/unit/pattern-sum.c qemu/guest/pattern.h | $(O)/bin
	$(Q)$(CC) $(HOST_CFLAGS) -o $@ $<

TEST_BIN = $(LAB) $(O)/bin/init $(O)/bin/unit-lab $(O)/bin/unit-stats \
	   $(O)/bin/pattern-sum
# these boot guests, or take the other base; LONG= leaves out those that CI has no
# time for
LONG	= tests/pipeline.t
FULL	= tests/faults.t tests/model.t tests/native.t tests/settings.t \
	  tests/backport.t tests/shmem.t tests/order.t $(LONG)
TESTS	= $(O)/bin/unit-lab $(O)/bin/unit-stats \
	  $(filter-out $(FULL),$(wildcard tests/*.t))

# Many tests wait for what they have started, so one more runs than there are
# processors.  Those that boot guests have both for themselves.
TEST_JOBS = $(shell echo $$(($(JOBS) + 1)))

.PHONY: check
check: deps
	$(LOCKED) _check

.PHONY: _check
_check: _fetch _san $(TEST_BIN)
	$(Q)tests/run.sh -j $(TEST_JOBS) $(TESTS)

.PHONY: check-full
check-full: deps
	$(LOCKED) _check-full

.PHONY: _check-full
_check-full: _build _native-build $(if $(filter tests/shmem.t,$(FULL)),_debug-build) _san $(TEST_BIN)
	$(Q)$(MAKE) BASE=6.1 KERNEL_SRC= _san
	$(Q)qemu/fio-image.sh $(O)/fio.img
	$(Q)tests/run.sh $(TESTS) $(FULL)

# Reads of tmpfs on kernels that check themselves
.PHONY: shmem-cases
shmem-cases: deps
	$(LOCKED) _shmem-cases

.PHONY: _debug-build
_debug-build: _fetch $(LAB) $(O)/bin/init $(O)/bin/shmem-cases $(O)/bin/shmem-stress
	$(Q)DEBUG=1 tools/kernel/build.sh debug-base
	$(Q)DEBUG=1 tools/kernel/build.sh debug-patched patches/$(BASE)/series

.PHONY: _shmem-cases
_shmem-cases: _debug-build
	$(Q)qemu/shmem.sh cases $(if $(CASE),"$(CASE)")

.PHONY: stress
stress: deps
	$(LOCKED) _stress

.PHONY: _stress
_stress: _debug-build
	$(Q)FLAVOURS="$(FLAVOURS)" qemu/shmem.sh stress "$(MINUTES)" "$(SEED)"

.PHONY: selftests
selftests: deps
	$(LOCKED) _selftests

.PHONY: _selftests
_selftests: _debug-build $(O)/bin/shmem-each
	$(Q)tools/kernel/selftests.sh
	$(Q)qemu/shmem.sh selftests $(CASE)

# The lines of the shmem patches, one undone at a time: long
.PHONY: shmem-mutants
shmem-mutants: deps
	$(LOCKED) _shmem-mutants

.PHONY: _shmem-mutants
_shmem-mutants: _debug-build
	$(Q)DEBUG=1 tools/kernel/kernel-mutants.sh $(MUTANTS)

.PHONY: kunit
kunit: deps
	$(LOCKED) _kunit

# A base may say that the suite is not for it, and why.
.PHONY: _kunit-applies
_kunit-applies:
	$(Q)! grep -qsx '# CONFIG_READAHEAD_KUNIT_TEST is not set' patches/$(BASE)/kernel.config || { \
		echo "kunit: BASE=$(BASE): the suite is not for this base: see patches/$(BASE)/kernel.config" >&2; \
		exit 2; }

.PHONY: _kunit
_kunit: _kunit-applies _build $(if $(filter um,$(WHERE)),_um-build) $(if $(filter debug,$(WHERE)),_debug-build)
	$(Q)WHERE='$(WHERE)' tools/kernel/kunit.sh

.PHONY: _um-build
_um-build: _fetch $(LAB)
	$(Q)UML=1 tools/kernel/build.sh um-base
	$(Q)UML=1 tools/kernel/build.sh um-patched patches/$(BASE)/series

# mm/readahead.c in user space: an engine a kernel, and programs for any.
SIM	= $(O)/$(BASE)/sim
IN_SIM	= $(MAKE) -s -C $(RA) V=$(V) CC='$(CC)'
engine	= $(IN_SIM) KDIR=$(abspath $(SIM))/$(1)/tree OUT=$(abspath $(SIM))/$(1)

.PHONY: _engines
_engines: _fetch
	$(Q)tools/kernel/sources.sh $(SIM)/base/tree
	$(Q)tools/kernel/sources.sh $(SIM)/patched/tree patches/$(BASE)/series
	$(Q)$(call engine,base) engine
	$(Q)$(call engine,patched) engine
	$(Q)$(IN_SIM) OUT=$(abspath $(SIM)) program

# slower, with the sanitizers, for the tests
.PHONY: _san
_san: _engines
	$(Q)$(call engine,base) engine-san
	$(Q)$(call engine,patched) engine-san fuzz
	$(Q)$(IN_SIM) OUT=$(abspath $(SIM)) program-san

.PHONY: sim
sim: deps
	$(LOCKED) _sim

.PHONY: _sim
_sim: $(LAB) _engines
	$(Q)$(LAB) sim --base $(SIM)/base/engine.so --patched $(SIM)/patched/engine.so \
		$(addprefix --result ,$(wildcard patches/$(BASE)/readahead/result.json)) \
		tests/claims $(CLAIMS_Q)

.PHONY: windows
windows: deps
	$(LOCKED) _windows

.PHONY: _windows
_windows: $(LAB) _engines
	$(Q)$(LAB) windows $(SIM)/base/engine.so $(SIM)/patched/engine.so \
		tests/claims '$(CLAIM)'

# One boot of each kernel, the pass traced from decision to first use.
.PHONY: pipeline
pipeline: deps
	$(LOCKED) _pipeline

.PHONY: _pipeline
_pipeline: _build
	$(Q)$(LAB) run --pipeline tests/pipeline/claims --base $(O)/$(BASE)/base \
		--patched $(O)/$(BASE)/patched --init $(O)/bin/init \
		--fio $(O)/fio.img --out $(O)/results --jobs $(JOBS) \
		tests/claims $(or $(CLAIMS_Q),'$(CLAIM)')

.PHONY: sweep
sweep: deps
	$(LOCKED) _sweep

.PHONY: _sweep
_sweep: _engines
	$(Q)$(SIM)/readahead sweep -e $(SIM)/base/engine.so \
		-e $(SIM)/patched/engine.so --every $(EVERY) --jobs $(JOBS) \
		>$(SIM)/sweep || { cat $(SIM)/sweep; exit 1; }
	$(Q)cat $(SIM)/sweep

.PHONY: mutants
mutants: deps
	$(LOCKED) _mutants

.PHONY: _mutants
_mutants: _engines
	$(Q)tools/kernel/mutants.sh

.PHONY: fuzz
fuzz: deps
	$(LOCKED) _fuzz

.PHONY: _fuzz
_fuzz: _san
	$(Q)tools/kernel/fuzz.sh $(FUZZ)

.PHONY: claims
claims: $(LAB)
	$(Q)$(LAB) list tests/claims $(CLAIMS_Q)

.PHONY: table
table: $(LAB)
	$(Q)$(LAB) table $(O)/results/last/result.json

# A topic is a folder of the quilt, with its patches' messages and their numbers.
.PHONY: _topic
_topic:
	$(Q)[ -n "$(TOPIC)" ] && [ -d "patches/$(BASE)/$(TOPIC)" ] || { \
		echo "TOPIC=$(TOPIC): expected one of:" $$(cd patches/$(BASE) && ls -d */ | tr -d /) >&2; \
		exit 2; }

.PHONY: report
report: $(LAB) _topic
	$(Q)$(LAB) report $(O)/results/last/result.json tests/claims \
		patches/$(BASE)/$(TOPIC)

.PHONY: changelog
changelog: $(LAB) _topic
	$(Q)$(LAB) changelog $(if $(APPLY),--apply) patches/$(BASE)/$(TOPIC)

# To send and to receive.  A branch may start in KERNEL_SRC, but what it is compared
# with is the pinned tree, wherever that came from.
.PHONY: _pinned
_pinned:
	$(Q)[ -f $(O)/$(BASE)/pristine.id ] || KERNEL_SRC= KERNEL_REF= tools/kernel/fetch.sh

.PHONY: b4-branch
b4-branch: deps
	$(LOCKED) _b4-branch

.PHONY: _b4-branch
_b4-branch: _pinned
	$(Q)tools/send/branch.sh '$(TOPIC)'

.PHONY: b4-check
b4-check: deps
	$(LOCKED) _b4-check

.PHONY: _b4-check
_b4-check: _pinned
	$(Q)for t in $(or $(TOPIC),$$(tools/send/topic.sh -l)); do \
		tools/send/roundtrip.sh $$t || exit 1; \
	done

# Without MAILS=, a folder of what b4 has written, those of the branch
.PHONY: send-check
send-check: deps
	$(LOCKED) _send-check

.PHONY: _send-check
_send-check: _pinned
	$(if $(MAILS),,$(Q)tools/send/mails.sh '$(TOPIC)' $(O)/$(BASE)/mails)
	$(Q)tools/send/check.sh '$(or $(MAILS),$(O)/$(BASE)/mails)'

.PHONY: reroll
reroll: deps
	$(LOCKED) _reroll

.PHONY: _reroll
_reroll: _pinned
	$(Q)tools/send/reroll.sh '$(TOPIC)'

.PHONY: bisect-check
bisect-check: deps
	$(LOCKED) _bisect-check

.PHONY: _bisect-check
_bisect-check: _fetch $(LAB)
	$(Q)tools/send/bisect.sh

.PHONY: review
review: deps
	$(LOCKED) _review

# The claims of the topics that the mails are about, and no other.  The image is
# called as that of the quilt: if it is the same, it is there.
REVIEW	= $(O)/$(BASE)/reviewed
.PHONY: _review
_review: _fetch $(LAB) $(O)/bin/init
	$(Q)tools/send/review.sh '$(MBOX)' $(REVIEW)
	$(Q)rm -f $(O)/results/last
	$(Q)mkdir -p $(REVIEW)/claims
	$(Q)for t in $$(cat $(REVIEW)/topic); do \
		cp $$(grep -lE "^topic[[:blank:]]+$$t\$$" tests/claims/*) $(REVIEW)/claims/ || exit 1; \
	done
	$(Q)[ -s $(REVIEW)/topic ] || { echo "review: no claim is about what these patches change" >&2; exit 1; }
	$(Q)$(LAB) list $(REVIEW)/claims $(CLAIMS_Q) >/dev/null
	$(Q)tools/kernel/build.sh base
	$(Q)tools/kernel/build.sh patched $(REVIEW)/series
	$(Q)qemu/fio-image.sh $(O)/fio.img
	$(Q)$(LAB) run --base $(O)/$(BASE)/base --patched $(O)/$(BASE)/patched \
		--init $(O)/bin/init --fio $(O)/fio.img --out $(O)/results \
		--runs $(RUNS) --jobs $(JOBS) $(if $(ACCEL),--accel $(ACCEL)) \
		$(REVIEW)/claims $(CLAIMS_Q)

.PHONY: clean
clean:
	$(LOCKED) _clean

.PHONY: _clean
_clean:
	$(Q)rm -rf $(O)/bin $(O)/results $(O)/fio.img
	$(Q)for d in patches/*/; do b=$$(basename $$d); \
		rm -rf $(O)/$$b/obj $(O)/$$b/tree* $(O)/$$b/images \
			$(O)/$$b/base $(O)/$$b/patched $(O)/$$b/rival \
			$(O)/$$b/kunit* $(O)/$$b/um-* $(O)/$$b/native-* \
			$(O)/$$b/debug-* $(O)/$$b/selftests \
			$(O)/$$b/send $(O)/$$b/bisect $(O)/$$b/mails \
			$(O)/$$b/reviewed \
			$(O)/$$b/model $(O)/$$b/nested-plug $(O)/$$b/kick; \
	done

# but for the lock, which we hold
.PHONY: distclean
distclean:
	$(LOCKED) _distclean

.PHONY: _distclean
_distclean:
	$(Q)find $(O) -mindepth 1 -maxdepth 1 ! -name lock -exec rm -rf {} +
