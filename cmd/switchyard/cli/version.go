package cli

import (
	"runtime"
	"runtime/debug"
)

// versionCmd prints the version and the source revision of this binary.
type versionCmd struct{ jsonFlag }

type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
}

// Run implements the command.
func (c *versionCmd) Run(e *env) error {
	b := readBuild()
	line := "switchyard " + b.Version
	if b.Revision != "" {
		line += " (" + b.Revision + ")"
	}
	return e.print(c.JSON, b, line+" "+b.Go)
}

// readBuild reads the version and the revision that the Go tool stamped into the binary.
func readBuild() build {
	b := build{Version: "devel", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
