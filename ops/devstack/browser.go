package devstack

import (
	"context"
	"io"
)

// browserTool is a browser without a screen, for tests of pages. Debian's chromium-headless-shell is much smaller than
// Chromium.
var browserTool = tool{
	title: "Chromium",
	programs: []string{
		"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
	},
	globs: []string{"/usr/lib64/chromium-browser", "/Applications/Google Chrome.app/Contents/MacOS"},
	packages: map[string]string{
		"apt-get": "chromium-headless-shell", "dnf": "chromium-headless", "apk": "chromium",
	},
}

// Browser returns the path of Chromium, and installs it with the system's package manager if it is missing. It writes progress
// lines about the installation to out. The error names the missing program.
func Browser(ctx context.Context, out io.Writer) (string, error) {
	if err := installMissing(ctx, out, browserTool); err != nil {
		return "", err
	}
	path, _ := browserTool.find()
	return path, nil
}
