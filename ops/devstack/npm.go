package devstack

import (
	"context"
	"io"
)

// npmTool brings the packages of the dashboard.
var npmTool = tool{
	title: "npm", programs: []string{"npm"}, globs: []string{"/usr/local/bin", "/opt/homebrew/bin"},
	packages: map[string]string{"apt-get": "npm", "dnf": "npm", "apk": "npm", "brew": "node"},
}

// NPM finds npm, or installs it with the system's package manager. It writes lines about an installation to out. The error
// says what is missing.
func NPM(ctx context.Context, out io.Writer) error { return installMissing(ctx, out, npmTool) }
