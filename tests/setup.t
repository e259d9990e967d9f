#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What is missing is named in one command for the machine's own package manager;
# only as root on Debian is anything installed.

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/tap.sh"

deps=$top/tools/setup/deps.sh

is_true "nothing is missing here, or make would have stopped" "$deps"

# A machine with next to nothing
mkdir "$tmp/bin"
for c in sh sed grep sort tr id dirname cat env mktemp rm head tail; do
	ln -s "$(command -v $c)" "$tmp/bin/$c"
done
# apt-get that only says what it was asked for
printf '#!/bin/sh\necho "apt-get $*" >>"%s/apt"\nexit 0\n' "$tmp" >"$tmp/bin/apt-get"
chmod +x "$tmp/bin/apt-get"

# machine NAME UID RELEASE REGEX
machine()
{
	printf '%b' "$3" >"$tmp/os-release"
	check "$1: one command" 1 "$4" env PATH="$tmp/bin" \
		OS_RELEASE="$tmp/os-release" EUID_IS="$2" sh "$deps"
	check "$1: one line" 0 '^1$' sh -c "printf '%s\n' '$out' | wc -l"
	is_true "$1: nothing was installed" test ! -e "$tmp/apt"
}

machine "Debian, not root" 1000 'ID=debian\n' 'run: sudo apt-get install --no-install-recommends .*qemu-system-x86'
machine "Ubuntu, root" 0 'ID=ubuntu\nID_LIKE=debian\n' 'run: apt-get install .*libelf-dev'
machine "Fedora" 1000 'ID=fedora\n' 'run: sudo dnf install .*elfutils-libelf-devel'
machine "Arch" 1000 'ID=arch\n' 'run: sudo pacman -S --needed .*qemu-system-x86'
machine "openSUSE" 1000 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n' 'run: sudo zypper install .*libelf-devel'
machine "something else" 1000 'ID=plan9\n' 'install what Debian calls .*fio'

printf 'ID=debian\n' >"$tmp/os-release"
check "Debian, root: it says what it installs" 1 '^deps: installing from Debian: .*fio' \
	env PATH="$tmp/bin" OS_RELEASE="$tmp/os-release" EUID_IS=0 sh "$deps"
is_true "and has apt-get do it" grep -q '^apt-get -q -y install --no-install-recommends .*fio' "$tmp/apt"
check "what is not there afterwards is named" 1 'installed, but still not there: .*fio' \
	env PATH="$tmp/bin" OS_RELEASE="$tmp/os-release" EUID_IS=0 sh "$deps"

# What is wrong is named, and nothing is installed for it
cause()
{
	rm -f "$tmp/apt"
	_name=$1 _regex=$2
	shift 2
	check "$_name" 1 "$_regex" env PATH="$tmp/bin" OS_RELEASE="$tmp/os-release" EUID_IS=0 "$@" sh "$deps"
	check "$_name: one line" 0 '^1$' sh -c "printf '%s\n' \"\$1\" | wc -l" sh "$out"
	is_true "$_name: nothing is installed" test ! -e "$tmp/apt"
}

cause "TMPDIR is not there" "^deps.sh: TMPDIR=$tmp/none: no such directory\$" TMPDIR="$tmp/none"
if small 512k; then
	filled
	cause "TMPDIR is full" "^deps.sh: no room for a file of 1 MiB in $tmp/small: No space left" \
		TMPDIR="$tmp/small"
	check "TMPDIR is full, and nothing is missing" 1 'no room for a file' \
		env TMPDIR="$tmp/small" sh "$deps"
	umount "$tmp/small"
else
	skip "TMPDIR is full" "cannot mount a small file system"
fi

# failing SCRIPT: what apt-get does
failing()
{
	printf '#!/bin/sh\n%s\n' "$1" >"$tmp/bin/apt-get"
}
failing 'echo "Reading package lists..."; echo "E: You have no room in /var/cache/apt"; exit 100'
check "apt-get has no room" 1 '^deps.sh: apt-get failed: E: You have no room in /var/cache/apt$' \
	env PATH="$tmp/bin" OS_RELEASE="$tmp/os-release" EUID_IS=0 sh "$deps"
failing 'exit 1'
check "apt-get says nothing" 1 '^deps.sh: apt-get failed: it said nothing$' \
	env PATH="$tmp/bin" OS_RELEASE="$tmp/os-release" EUID_IS=0 sh "$deps"

done_testing
