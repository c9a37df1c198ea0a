package main

import (
	"fmt"
	"strings"

	"switchyard/ops/config"
)

// configCmd lists the settings. It fails, after the list, if one of them is wrong.
type configCmd struct {
	JSON bool `help:"Print one JSON value."`
}

// Run implements the command.
func (c *configCmd) Run(e *env) error {
	entries := config.Describe(e.getenv)
	rows := []string{"NAME\tVALUE\tDEFAULT\tMEANING"}
	for _, s := range entries {
		rows = append(rows, strings.Join([]string{s.Name, dash(s.Value), dash(s.Default), s.Doc}, "\t"))
	}
	if err := e.print(c.JSON, entries, rows...); err != nil {
		return err
	}
	_, err := config.Load(e.getenv)
	return err
}

// dash is how a table shows a text: cut, and a dash for an empty one.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return fmt.Sprintf("%.80s", s)
}
