// Command sy is the command line for customers of the service. Package cli implements its commands.
package main

import "switchyard/cmd/sy/cli"

func main() { cli.Main() }
