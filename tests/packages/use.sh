#!/bin/sh
# In a fresh Debian 12: installs and uses the packages of /packages/old, upgrades them to those of
# /packages/new, and removes and purges them. No file of them must remain.
# usage: use.sh VERSION
set -eu
version=$1
cd /packages
ours='boxscore boxscore-doc boxscore-helper boxscore-serve boxscore-tracer libboxscore0 libboxscore-dev libboxscore-pfm0 python3-boxscore'

step() { echo "== $*"; }
die() {
    echo "FAILED: $*"
    exit 1
}
same() { # what is compared, its value, the expected value
    [ "$2" = "$3" ] || die "$1: '$2', not '$3'"
}
install() { apt-get install -q -y --no-install-recommends "$@"; }
files() { # all files, except those that apt, dpkg and systemd write
    find / -xdev \( -path /packages -o -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /run/systemd -o -path /var/cache \
        -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o \
        ! -type d ! -path '/etc/*-' -printf '%p %y %m %U %G %s %l\n' -o -type d -printf '%p %y %m %U %G\n' | sort
    cat /etc/passwd /etc/group
}

step 'the command alone'
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d # no service is started
chmod +x /usr/sbin/policy-rc.d
apt-get update -q
install ./old/boxscore_*.deb
count() { # prints the number of events of a run
    rm -f counts
    boxscore stat --machine virtual:skl,part=plain -x , -o counts -e DRAM_DATA_READS "$@" >/dev/null
    head -n 1 counts | cut -d , -f 1
}
same version "$(boxscore --version)" "boxscore $version"
# Lines of 64 bytes of the three arrays; the third is read before it is written.
same 'lines that are read' "$(count --workload stream,size=16M)" $((3 * 16 * 1024 * 1024 / 64))
boxscore stat --machine virtual:skl,part=plain -- true 2>said && die 'a program was traced without a tracer'
grep -q 'apt-get install' said || die "no advice: $(cat said)"
apt-get purge -q -y boxscore

step 'each line of install.md'
# From nothing: a line that does not name a package of ours that it needs fails. use-python.md has one, too.
mkdir build-deb
for package in old/*.deb; do
    ln -s "../$package" build-deb/
done
grep -ohE '\./build-deb/[^`]*' install.md use-python.md | sort -u >lines
[ "$(wc -l <lines)" -ge 9 ] || die "install.md has few lines: $(cat lines)"
while read -r line; do
    # shellcheck disable=SC2086 # words and patterns
    apt-get -s -q install $line >said 2>&1 </dev/null || die "$line: $(cat said)"
done <lines

step 'what the packages depend on, and the test'
install gcc libc6-dev libdw1 pkg-config libpfm4-dev fuse3 systemd python3
apt-get -s -q install --no-install-recommends ./old/*.deb >simulated
# shellcheck disable=SC2046,SC2086 # words
install $(sed -n 's/^Inst \([^ ]*\) .*/\1/p' simulated | grep -vxF "$(printf '%s\n' $ours)")
useradd alice
ldconfig
files >before

step 'all packages'
install ./old/*.deb
boxscore doctor | grep -q "boxscore's tracer" || die 'doctor does not find the tracer'
[ "$(count -- true)" -gt 0 ] || die 'a traced program reads nothing'
boxscore stat --machine virtual:skl,part=plain -o counts -- true >said 2>&1
same 'what a traced program says' "$(cat said)" ''
for page in man1/boxscore.1 man8/boxscore-helper.8; do
    gzip -dc "/usr/share/man/$page.gz" | grep -q '^\.SH NAME\|^\.SH "NAME"' || die "no manual page $page"
done
bash -n /usr/share/bash-completion/completions/boxscore || die 'completion is no script of bash'
[ -s /usr/share/doc/boxscore/README.md ] || die 'no documents'
# Otherwise links between documents would be broken, and the tutorial's programs could not be
# compiled.
same 'packed documents' "$(find /usr/share/doc/boxscore/ -name '*.gz')" /usr/share/doc/boxscore/changelog.gz

step 'the tutorial, from its first to its last line'
BX_LONG=1 PYTHONDONTWRITEBYTECODE=1 python3 lessons.py /usr/share/doc/boxscore /usr/bin/boxscore \
    /usr/share/doc/boxscore/docs/tutorial/0*.md || die 'a lesson prints something else'

step 'the library'
example=/usr/share/doc/boxscore/examples/encode.c
# shellcheck disable=SC2046
cc -o shared "$example" $(pkg-config --cflags --libs boxscore)
# shellcheck disable=SC2046
cc -static -o static "$example" $(pkg-config --static --cflags --libs boxscore)
for linked in shared static; do
    # 334060-001 tables 2-7 and 2-9: code 34H, unit mask 88H, enabled
    "./$linked" skl UNC_CBO_CACHE_LOOKUP:ANY_I | grep -q 'msr 0x700 = 0x408834' || die "$linked library"
done

# What the page has behind its line, as it stands there.
sed -n '/^## Use the library/,/^The example/s/^    //p' install.md | grep -v apt-get >commands
sh -eu commands | grep -q 'msr 0x700 = 0x408834' || die 'the commands of install.md'

step 'the Python package'
cat >count.py <<'END'
import boxscore
result = boxscore.count(workload="stream,size=1M", machine="virtual:skl,part=plain", events="DRAM_DATA_READS")
print(result["DRAM_DATA_READS"], boxscore.count(["true"], machine="virtual:skl,part=plain").exit_status)
END
same 'counts from Python' "$(/usr/bin/python3 count.py)" "$((3 * 1024 * 1024 / 64)) 0"

step 'the drop-in for libpfm4'
cc -o drop_in drop_in.c -lpfm
# On amd64, Debian's libpfm4 does not have P6.
export LIBPFM_FORCE_PMU=p6
./drop_in BUS_DRDY_CLOCKS:SELF >/dev/null 2>&1 && die 'the drop-in is used without being asked for'
folder=$(dirname "$(dpkg -L libboxscore-pfm0 | grep /libpfm.so.4$)")
same 'code word' "$(LD_LIBRARY_PATH=$folder ./drop_in BUS_DRDY_CLOCKS:SELF)" 0x510062
cc -o linked drop_in.c -lboxscore-pfm
same 'code word' "$(./linked BUS_DRDY_CLOCKS:SELF)" 0x510062
unset LIBPFM_FORCE_PMU

step 'the helper'
# A 6th-generation Core as a folder: E02H is the last MSR, and 396H holds the number of C-Boxes
# and 1 (334060-001, section 2.4.1).
machine=/tmp/machine
mkdir -p "$machine/proc" "$machine/sys/devices/system/cpu" "$machine/dev/cpu/0"
printf 'processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 94\nstepping\t: 3\n' >"$machine/proc/cpuinfo"
echo 0 >"$machine/sys/devices/system/cpu/online"
truncate -s $((0xe02 + 8)) "$machine/dev/cpu/0/msr"
printf '\005' | dd of="$machine/dev/cpu/0/msr" bs=1 seek=$((0x396)) conv=notrunc status=none
alice_counts() {
    su alice -c "boxscore stat --root $machine --machine host --helper /run/boxscore-test/helper.sock -x , -e UNC_CBO_CACHE_LOOKUP:ANY_I -- true"
}
helper() { # checks the installed helper; $1: whether alice may use it
    getent group boxscore >/dev/null || die 'no group boxscore'
    getent passwd boxscore-helper >/dev/null || die 'no user boxscore-helper'
    same 'the unit' "$(systemctl is-enabled boxscore-helper)" enabled
    systemd-analyze --man=no verify boxscore-helper.service
    same 'folder of locks' "$(stat -c '%a %G' /run/boxscore/lock)" '1770 boxscore'
    # shellcheck disable=SC2046 # words
    $(sed -n 's/^ExecStart=//p' /lib/systemd/system/boxscore-helper.service) --root "$machine" --socket /run/boxscore-test/helper.sock &
    pid=$!
    for _ in $(seq 600); do
        [ ! -S /run/boxscore-test/helper.sock ] || break
        sleep 0.1
    done
    may=may
    alice_counts >said 2>&1 || may='may not'
    kill "$pid"
    wait "$pid" || die 'the helper did not end well'
    rm -r /run/boxscore-test # without systemd nobody else removes it
    same 'alice' "$may: $(cat said)" "$1: $(cat said)"
    same 'registers that were not put back' "$(od -An -v -tx1 "$machine/dev/cpu/0/msr" | tr -s ' 0\n' ' ')" ' 5 '
}
helper 'may not'
usermod --append --groups boxscore alice
helper may

step upgrade
install ./new/*.deb
for package in $ours; do
    same "$package" "$(dpkg-query -W -f '${Version}' "$package")" "$version+next"
done
helper may
[ "$(count -- true)" -gt 0 ] || die 'a traced program reads nothing'

step 'remove and purge'
# shellcheck disable=SC2086 # words
apt-get remove -q -y $ours
[ ! -e /usr/bin/boxscore ] || die 'the command is still there'
# shellcheck disable=SC2046,SC2086
dpkg --purge $(dpkg-query -W -f '${Package}\n' $ours 2>/dev/null)
# shellcheck disable=SC2086
dpkg-query -W $ours 2>/dev/null | grep . && die 'packages are left'
files >after
diff before after || die 'the packages left something behind'
echo 'all steps passed'
