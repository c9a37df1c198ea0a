// Command npm installs npm with the system's package manager if npm is missing. The Makefile runs it.
package main

import (
	"context"
	"fmt"
	"os"

	"switchyard/ops/devstack"
)

func main() {
	if err := devstack.NPM(context.Background(), os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
