package devstack

import (
	"context"
	"io"
)

// browserTool is a browser without a screen, for tests of pages. Debian has one that is much smaller than the whole.
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

// Browser finds a Chromium, or installs one with the system's package manager. The error says what is missing. Lines
// about an installation go to out.
func Browser(ctx context.Context, out io.Writer) (string, error) {
	if err := provide(ctx, out, browserTool); err != nil {
		return "", err
	}
	path, _ := browserTool.find()
	return path, nil
}
