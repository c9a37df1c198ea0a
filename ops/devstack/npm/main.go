// Command npm installs npm with the system's package manager if npm is missing.
package main

import (
	"context"
	"fmt"
	"os"

	"switchyard/ops/devstack"
)

func main() {
	err := devstack.Install(context.Background(), os.Stderr, devstack.Tool{
		Title: "npm", Programs: []string{"npm"}, Globs: []string{"/usr/local/bin", "/opt/homebrew/bin"},
		Packages: map[string]string{"apt-get": "npm", "dnf": "npm", "apk": "npm", "brew": "node"},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
