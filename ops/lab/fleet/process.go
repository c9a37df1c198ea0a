package fleet

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is a child process. Its output goes to a log file in the fleet's directory.
type Process struct {
	Name string

	cmd    *exec.Cmd
	log    string
	done   chan struct{}
	killed bool
}

// Spawn starts a process of the service: "web", "worker", "clock" or another command, with its flags.
func (f *Fleet) Spawn(name string, args ...string) (*Process, error) {
	return f.spawn(f.binary, nil, name, args...)
}

// SpawnWith starts a process with additional environment variables, which override the fleet's own.
func (f *Fleet) SpawnWith(env []string, name string, args ...string) (*Process, error) {
	return f.spawn(f.binary, env, name, args...)
}

// SpawnSelf starts a command of the program that is running now.
func (f *Fleet) SpawnSelf(name string, args ...string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	return f.spawn(self, nil, name, args...)
}

func (f *Fleet) spawn(program string, env []string, name string, args ...string) (*Process, error) {
	p := &Process{
		Name: name, done: make(chan struct{}),
		log: filepath.Join(f.Dir, fmt.Sprintf("%s-%d.log", name, len(f.processes))),
	}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	p.cmd = exec.Command(program, append([]string{name}, args...)...) //nolint:noctx // outlives the caller's context
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = append(slices.Clone(f.env), env...), log, log
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("fleet: start %s: %w", name, err)
	}
	_ = log.Close()
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	f.processes = append(f.processes, p)
	return p, f.registerPID(p.PID())
}

// Find returns the process with this name that was started last, or nil.
func (f *Fleet) Find(name string) *Process {
	for i := len(f.processes) - 1; i >= 0; i-- {
		if f.processes[i].Name == name {
			return f.processes[i]
		}
	}
	return nil
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill sends SIGKILL to the process and waits until it has ended.
func (p *Process) Kill() {
	p.killed = true
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Stop asks the process to end. It kills a process that has not ended after processTimeout.
func (p *Process) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), processTimeout)
	defer cancel()
	if _ = p.Thaw(); p.Terminate(ctx) != nil {
		p.Kill()
	}
}

// Terminate asks the process to end by SIGTERM, and waits until it has ended or the context ends.
func (p *Process) Terminate(ctx context.Context) error {
	p.killed = true
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return fmt.Errorf("fleet: terminate %s: %w", p.Name, err)
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("fleet: %s does not end: %w", p.Name, ctx.Err())
	}
}

// Freeze suspends the process until Thaw, as if its machine hung.
func (p *Process) Freeze() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }

// Thaw lets a frozen process continue.
func (p *Process) Thaw() error { return p.cmd.Process.Signal(syscall.SIGCONT) }

func (p *Process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Tail returns the last lines of the log.
func (p *Process) Tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return tail(text)
}

// Log returns the whole log.
func (p *Process) Log() []byte {
	text, _ := os.ReadFile(p.log)
	return text
}

// CPU returns the processor time that the process has used, rounded down to 10 ms. It is 0 if the system does not report it.
func (p *Process) CPU() time.Duration { return processorTime(p.PID(), false) }

// tick is the unit in which the system reports processor time.
const tick = 10 * time.Millisecond

// Positions in the list that statFields returns. The user and system times of a process begin at ownTimes, the times of its ended
// children at childTimes, and other fields at afterTimes.
const (
	ownTimes   = 11
	childTimes = ownTimes + 2
	afterTimes = childTimes + 2
)

// processorTime returns the user and system time of a process. With withChildren it adds the time of ended child processes.
func processorTime(pid int, withChildren bool) (sum time.Duration) {
	end := childTimes
	if withChildren {
		end = afterTimes
	}
	fields := statFields(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if len(fields) < end {
		return 0
	}
	for _, text := range fields[ownTimes:end] {
		ticks, _ := strconv.Atoi(text)
		sum += time.Duration(ticks) * tick
	}
	return sum
}

// Memory returns a figure of the process's status file, such as VmRSS, in kB.
func (p *Process) Memory(line string) (int, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.PID()), "status"))
	if err != nil {
		return 0, fmt.Errorf("fleet: memory: %w", err)
	}
	_, after, found := strings.Cut(string(text), line+":")
	fields := strings.Fields(after)
	if !found || len(fields) == 0 {
		return 0, fmt.Errorf("fleet: no %s in the status of a process", line)
	}
	return strconv.Atoi(fields[0])
}

// tail returns the last twelve lines of a text.
func tail(text []byte) string {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-12):], []byte("\n")))
}
