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

done_testing
