package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"switchyard/ops/lab/e2e"
)

const attackCommand = "attack"

// attackProcess is the process of the attacker. A busy client in the test's own process would distort the neighbour's figures. The
// attacker's process runs at low priority, because a real attacker uses processors of their own.
type attackProcess struct {
	orders  *json.Encoder
	reports *json.Decoder
	answers answers // received until the last attacks ended
}

func startAttackProcess(t *testing.T, at target) *attackProcess {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "nice", "-n", "10", e2e.OwnBinary(t), attackCommand)
	cmd.Env = append(os.Environ(), e2e.RunMain+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the attacker's process failed: %v", err)
		}
	})
	r := &attackProcess{orders: json.NewEncoder(in), reports: json.NewDecoder(out)}
	r.order(t, at)
	return r
}

func (r *attackProcess) order(t *testing.T, v any) {
	t.Helper()
	if err := r.orders.Encode(v); err != nil {
		t.Fatal(err)
	}
}

func (r *attackProcess) begin(t *testing.T, list []attack) {
	t.Helper()
	names := make([]string, len(list))
	for i, how := range list {
		names[i] = how.name
	}
	r.order(t, names)
}

// end ends the attacks and reads the answers that they received.
func (r *attackProcess) end(t *testing.T) {
	t.Helper()
	r.order(t, []string{})
	if err := r.reports.Decode(&r.answers); err != nil {
		t.Fatal(err)
	}
}

// allTried checks that each attack got only expected answers, and at least one. An unexpected answer means that the service did
// not understand the attack.
func (r *attackProcess) allTried(t *testing.T) {
	t.Helper()
	for _, how := range attacks {
		got := r.answers[how.name]
		t.Logf("%-24s answers by status: %v", how.name, got)
		if len(got) == 0 {
			t.Errorf("%s: no answer", how.name)
		}
		for status, n := range got {
			if !slices.Contains(how.answers, status) {
				t.Errorf("%s: %d answers with the unexpected status %d", how.name, n, status)
			}
		}
	}
}

// runAttacks is the main function of the attacker's process. It reads the target, and then lists of attacks to begin. An empty
// list ends the attacks.
func runAttacks(in io.Reader, out io.Writer) error {
	orders, reports := json.NewDecoder(in), json.NewEncoder(out)
	var at target
	if err := orders.Decode(&at); err != nil {
		return fmt.Errorf("attack: target: %w", err)
	}
	a, err := newAttacker(at)
	if err != nil {
		return fmt.Errorf("attack: target: %w", err)
	}
	for {
		var names, none []string
		if err := orders.Decode(&names); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("attack: order: %w", err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var all sync.WaitGroup
		for _, how := range attacks {
			for range how.parallel * len(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n != how.name })) {
				all.Go(func() { a.try(ctx, how) })
			}
		}
		err := orders.Decode(&none)
		cancel()
		all.Wait()
		if err != nil {
			return fmt.Errorf("attack: end: %w", err)
		}
		if err := reports.Encode(a.answers); err != nil {
			return fmt.Errorf("attack: report: %w", err)
		}
	}
}
