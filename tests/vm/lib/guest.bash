# SPDX-License-Identifier: Apache-2.0
# Boots the guest and judges how it ended. Works on the variables of tests/vm/run.
#
# Channels, each a virtio-serial port: 1 the command's output, 2 its errors,
# 3 the agent's report, 4 the kernel's log. The serial console is apart from
# them: it has what the agent can no longer pass on when the kernel dies. The
# serial device comes before the other virtio devices: that makes it vport0.
# shellcheck disable=SC2154,SC2034 # variables shared with tests/vm/run

# guest_agent: sets agent, the compiled guest/agent.c.
guest_agent()
{
	local hash
	hash=$(sha256sum <"$vm/guest/agent.c")
	agent=$cache/agent/${hash:0:16}/agent
	cached "${agent%/*}" guest_agent_build
}

guest_agent_build()
{
	gcc -std=gnu11 -O2 -Wall -Wextra -D_GNU_SOURCE -static "$vm/guest/agent.c" -o "$1/agent" ||
		die "the guest's agent does not build"
}

# guest_initramfs COMMAND [ARG]...: to stdout; the kernel's part and this run's job.
guest_initramfs()
{
	local job=$tmp/initrd/job agent
	guest_agent
	mkdir -p "$job"
	cp "$vm/guest/init" "$tmp/initrd/init"
	cp "$agent" "$job/agent"
	printf '%s\0' "$@" >"$job/argv"
	printf '%s\0' "${guest_env[@]}" >"$job/env"
	printf '%s\0' "$PWD" >"$job/cwd"
	[[ $setup == none ]] || printf '%s\0' "$setup" >"$job/setup"
	printf %s "$kernel_dir" >"$job/kernel"
	printf %s "$preempt" >"$job/preempt"
	cat "$kernel_dir/base.cpio"
	(cd "$tmp/initrd" && find . | cpio -o -H newc -R 0:0 --quiet)
}

# guest_machine: sets machine, QEMU's arguments but for the channels.
guest_machine()
{
	local cmdline pair netdev

	# The guest is slow and its host busy: lockup and stall detectors would only
	# measure the host. Mitigations cost much under emulation.
	cmdline="console=ttyS0 loglevel=5 panic=-1 oops=panic nokaslr mitigations=off"
	cmdline+=" nosoftlockup rcupdate.rcu_cpu_stall_suppress=1 tsc=reliable no_timer_check"
	cmdline+=" audit=0 apparmor=0 selinux=0 net.ifnames=0 random.trust_cpu=on"
	cmdline+="${preempt:+ preempt=$preempt} $append"

	machine=(
		-nodefaults -no-user-config -display none -no-reboot
		-machine "pc,usb=off,vmport=off" -cpu "max,la57=off" -m "$memory"
		-kernel "$kernel_dir/vmlinux" -initrd "$tmp/initramfs" -append "$cmdline"
		-device virtio-serial-pci
		-fsdev "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"
		-device "virtio-9p-pci,fsdev=host,mount_tag=host"
	)
	if [[ $icount ]]; then
		machine+=(-accel "tcg,thread=single" -smp 1 -icount "shift=0,sleep=off")
	else
		machine+=(-accel "tcg,thread=multi" -smp "$cpus")
	fi
	if ((${#forward[@]})); then
		netdev=user,id=net,restrict=on
		for pair in "${forward[@]}"; do
			netdev+=,hostfwd=tcp:127.0.0.1:${pair%:*}-:${pair#*:}
		done
		machine+=(-netdev "$netdev" -device "virtio-net-pci,netdev=net,romfile=")
	fi
}

# On a starved host the kernel may calibrate its timers to nonsense and never
# come up. A boot takes 3 s; one that takes this many is tried again.
boot_limit=60
boot_attempts=3

guest_run()
{
	local machine attempt
	guest_machine
	started=${EPOCHREALTIME/./}
	sleep "$timeout" &
	sleeper=$!
	for ((attempt = 1; attempt <= boot_attempts; attempt++)); do
		guest_boot
		[[ $ended == not_up ]] || break
		say "the guest was not up after $boot_limit s (attempt $attempt of $boot_attempts)"
	done
	[[ ! $verbose ]] || say "the guest lived for $(((${EPOCHREALTIME/./} - started) / 1000)) ms"
}

# guest_boot: one guest from start to end. Sets ended: itself, timeout, not_up
# or output_closed.
guest_boot()
{
	local out err first result out_reader err_reader

	rm -f "$tmp/out" "$tmp/err"
	mkfifo "$tmp/out" "$tmp/err"
	cat "$tmp/out" &
	out_reader=$!
	cat "$tmp/err" >&2 &
	err_reader=$!
	exec {out}>"$tmp/out" {err}>"$tmp/err"
	truncate -s 0 "$tmp"/{status,kmsg,console}
	# A session of its own is a scheduling group of its own: a parallel build in
	# the terminal's session does not starve the guest. It dies with this script.
	setsid setpriv --pdeathsig KILL qemu-system-x86_64 "${machine[@]}" \
		-serial "file:$tmp/console" \
		-chardev "file,id=out,path=/dev/fd/$out" -device virtserialport,chardev=out,nr=1 \
		-chardev "file,id=err,path=/dev/fd/$err" -device virtserialport,chardev=err,nr=2 \
		-chardev "file,id=status,path=$tmp/status" -device virtserialport,chardev=status,nr=3 \
		-chardev "file,id=kmsg,path=$tmp/kmsg" -device virtserialport,chardev=kmsg,nr=4 \
		</dev/null >"$tmp/qemu.log" 2>&1 &
	qemu=$!
	sleep "$boot_limit" &
	boot_sleeper=$!
	exec {out}>&- {err}>&-

	ended=
	while [[ ! $ended ]]; do
		wait -n -p first "$qemu" "$sleeper" $boot_sleeper "$out_reader" "$err_reader" 2>/dev/null &&
			result=0 || result=$?
		case $first in
		"$qemu") ended=itself ;;
		"$sleeper") ended=timeout ;;
		"$boot_sleeper")
			boot_sleeper=
			[[ -s $tmp/status ]] || ended=not_up
			;;
		*) ((!result)) || ended=output_closed ;;
		esac
	done
	kill -KILL "$qemu" $boot_sleeper 2>/dev/null || :
	# The readers too: all of the output is out before we are.
	wait "$qemu" $boot_sleeper "$out_reader" "$err_reader" 2>/dev/null || :
	qemu='' boot_sleeper=''
}

# What must not stand in the kernel's log.
warnings='\bBUG: |\bWARNING: |\bOops\b|\bkernel BUG at |general protection fault|\bKASAN: |possible recursive locking|possible circular locking|inconsistent lock state|suspicious RCU usage'

# guest_fail STATUS MESSAGE: keep the kernel's log and say where.
guest_fail()
{
	local status=$1 log
	shift
	trap - ERR
	mkdir -p "$cache/log"
	# Bounded: the logs of the last runs that failed.
	find "$cache/log" -name '*.log' -printf '%T@ %p\n' | sort -rn | tail -n +50 |
		cut -d' ' -f2- | xargs -r -d '\n' rm -f
	log=$cache/log/$(date +%Y%m%d-%H%M%S)-$kernel-$$.log
	{
		cat "$tmp/kmsg"
		if [[ -s $tmp/console ]]; then
			echo "--- serial console ---"
			cat "$tmp/console"
		fi
	} >"$log"
	say "$*"
	say "the kernel's log: $log"
	exit "$status"
}

guest_judge()
{
	local last warning
	last=$(tail -n 1 "$tmp/status")
	warning=$(grep -hEm1 "$warnings" "$tmp/kmsg" "$tmp/console" | head -n 1 || :)

	case $ended in
	output_closed) exit 141 ;; # as a command in a pipeline ends
	not_up) guest_fail 125 "the guest does not come up" ;;
	timeout)
		[[ $last != start ]] || guest_fail 124 "timeout: the command was not done after $timeout s"
		guest_fail 124 "timeout: the guest was not ready after $timeout s"
		;;
	esac
	case $last in
	exit\ *) ;;
	harness\ *) guest_fail 125 "${last#harness }" ;;
	*)
		[[ ! -s $tmp/qemu.log ]] || say "qemu: $(tail -n 1 "$tmp/qemu.log")"
		if grep -q 'Kernel panic' "$tmp/console"; then
			guest_fail 125 "the guest's kernel panicked: ${warning:-$(grep -m1 'Kernel panic' "$tmp/console")}"
		fi
		guest_fail 125 "the guest ended before the command did"
		;;
	esac
	if [[ $warning && ! $allow_warnings ]]; then
		guest_fail 125 "the guest's kernel warned: $warning"
	fi
	exit "${last#exit }"
}
