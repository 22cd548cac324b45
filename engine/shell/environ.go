package shell

// disarmed is set for every command: nothing may wait for a person at a pager,
// an editor or a prompt, since there is no terminal and no standard input.
// CDPATH would let `cd sub` land outside the working directory, which is where
// the permission rules take it to be.
func disarmed() []string {
	return []string{
		"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat", "AWS_PAGER=",
		"EDITOR=true", "VISUAL=true", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true",
		"GIT_TERMINAL_PROMPT=0", "SSH_ASKPASS_REQUIRE=never", "DEBIAN_FRONTEND=noninteractive",
		"TERM=dumb", "NO_COLOR=1", "CDPATH=",
	}
}

// environ is the environment of a command: base, then what disarms prompts,
// then the command's own. os/exec keeps the last of each name.
func environ(base, extra []string) []string {
	env := make([]string, 0, len(base)+len(extra)+16)
	env = append(env, base...)
	env = append(env, disarmed()...)
	return append(env, extra...)
}
