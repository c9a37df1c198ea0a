// Command switchyard is the whole service in one binary. Package cli implements its commands.
package main

import "switchyard/cmd/switchyard/cli"

func main() { cli.Main() }
