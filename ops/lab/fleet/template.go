package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"switchyard/ops/devstack"
)

// template is a fleet with a migrated database and stopped servers. Fleets on copies of its files start much quicker. Its guard
// removes it when the process ends.
var template struct {
	sync.Mutex
	*Fleet
}

// copyTemplate copies the template's servers into the fleet. It returns false if the system user of the servers cannot reach our
// directories.
func (f *Fleet) copyTemplate(ctx context.Context, o Options) (bool, error) {
	template.Lock()
	defer template.Unlock()
	if template.Fleet == nil {
		t, err := makeTemplate(ctx, o)
		if err != nil {
			return false, err
		}
		template.Fleet = t
	}
	if !strings.HasPrefix(template.home, template.Dir) {
		return false, nil
	}
	data := f.stack().DataDir
	if err := os.Mkdir(data, 0o755); err != nil {
		return false, fmt.Errorf("fleet: %w", err)
	}
	out, err := exec.CommandContext(ctx, "cp", "-a", template.home, data).CombinedOutput()
	if err != nil {
		return false, fmt.Errorf("fleet: copy the template: %w: %s", err, tail(out))
	}
	return true, nil
}

func makeTemplate(ctx context.Context, o Options) (*Fleet, error) {
	t, err := Start(ctx, Options{Binary: o.Binary, Env: o.Env, Out: o.Out})
	if err != nil {
		return nil, err
	}
	// The guard must forget the process ids of the stopped servers, because other processes may have these ids later.
	err = errors.Join(devstack.Stop(ctx, t.stack()), os.Truncate(t.pids(), 0), t.removePorts())
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// removePorts removes the ports from the state file of the stopped servers, so that each copy chooses its own.
func (f *Fleet) removePorts() error {
	path := filepath.Join(f.home, "state.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	state := map[string]any{}
	if err := json.Unmarshal(text, &state); err != nil {
		return fmt.Errorf("fleet: %s: %w", path, err)
	}
	delete(state, "postgres_port")
	delete(state, "redis_port")
	if text, err = json.Marshal(state); err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	return os.WriteFile(path, text, 0o600)
}
