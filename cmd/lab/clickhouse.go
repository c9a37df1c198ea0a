package main

import (
	"context"
	"fmt"
	"os"

	"switchyard/ops/lab/chdb"
)

// clickhouseCmd runs a ClickHouse server for tests.
type clickhouseCmd struct {
	Dir      string   `help:"Data directory; default: a directory that is deleted when the server ends." placeholder:"DIR"`
	Listen   string   `help:"Address to listen on." default:"127.0.0.1:0"`
	Password string   `help:"Password of the user named default; if it is left out, a new password is made." placeholder:"TEXT"`
	Command  []string `arg:"" optional:"" passthrough:"" help:"A command, after --, to run with the server's address in TEST_CLICKS_URL."`
}

// Run implements the command. It never returns; package chdb explains why.
func (c *clickhouseCmd) Run(ctx context.Context) error {
	command := c.Command
	if len(command) > 0 && command[0] == "--" {
		command = command[1:]
	}
	code, err := chdb.Run(ctx, chdb.Options{
		Dir: c.Dir, Listen: c.Listen, Password: c.Password, Command: command, Out: os.Stderr,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
	}
	os.Exit(code)
	return nil
}
