package devstack

import (
	"context"
	"io"
)

// npmTool installs the packages of the dashboard.
var npmTool = tool{
	title: "npm", programs: []string{"npm"}, globs: []string{"/usr/local/bin", "/opt/homebrew/bin"},
	packages: map[string]string{"apt-get": "npm", "dnf": "npm", "apk": "npm", "brew": "node"},
}

// NPM installs npm with the system's package manager if it is missing. It writes progress lines about the installation to out.
// The error names the missing program.
func NPM(ctx context.Context, out io.Writer) error { return installMissing(ctx, out, npmTool) }
