package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// account is the system account that runs the servers. It is the caller's account, or an unprivileged account if the caller
// is root.
type account struct {
	uid, gid uint32
	switched bool // the caller is root and steps down to this account
}

// pickAccount chooses the account for the servers in dir. If the caller is not root, it is the caller's own account. For root, it
// is the owner of dir. If dir does not exist or belongs to root, it is the first account in the list below that exists.
func pickAccount(dir string) (account, error) {
	if euid := os.Geteuid(); euid != 0 {
		return account{uid: uint32(euid), gid: uint32(os.Getegid())}, nil
	}
	if info, err := os.Stat(dir); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 {
			return account{uid: st.Uid, gid: st.Gid, switched: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return account{}, fmt.Errorf("devstack: account %s: %w", name, err)
		}
		return account{uid: uint32(uid), gid: uint32(gid), switched: true}, nil
	}
	return account{}, errors.New("devstack: PostgreSQL refuses to run as root, and this machine has no account " +
		"\"postgres\" or \"nobody\" to run it as; create one (useradd --system postgres) or run this as an ordinary user")
}

// The program gets its own session, so that a Ctrl-C in the terminal does not reach it.
func (a account) command(ctx context.Context, dir, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(cleanEnv(), "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.switched {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	return cmd
}

func (a account) run(ctx context.Context, dir, program string, args ...string) error {
	out, err := a.command(ctx, dir, program, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, tail(string(out)))
	}
	return nil
}

func (a account) chown(path string) error {
	if !a.switched {
		return nil
	}
	return os.Lchown(path, int(a.uid), int(a.gid))
}

// cleanEnv returns the environment without HOME, with a locale that every system has, and without libpq's variables, which
// would lead the tools to another server.
func cleanEnv() []string {
	env := make([]string, 0, len(os.Environ())+1)
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "PG") || strings.HasPrefix(name, "LC_") || name == "LANG" || name == "HOME" {
			continue
		}
		env = append(env, kv)
	}
	return append(env, "LC_ALL=C")
}

func tail(text string) string {
	const most = 8
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
