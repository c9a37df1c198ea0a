package cli

import (
	"fmt"
	"strconv"

	"switchyard/models"
	"switchyard/ops/config"
)

// configCmd lists the settings. If a setting is wrong, it prints the list first and then fails.
type configCmd struct{ jsonFlag }

// Run implements the command.
func (c *configCmd) Run(e *env) error {
	entries := config.Describe(e.getenv)
	rows := tableOf("NAME\tVALUE\tDEFAULT\tMEANING", entries, func(s config.Entry) []string {
		return []string{s.Name, dash(s.Value), dash(s.Default), s.Doc}
	})
	if err := e.print(c.JSON, entries, rows...); err != nil {
		return err
	}
	_, err := config.Load(e.getenv)
	return err
}

// config reads the settings. If the operator defines plans, they replace models.Plans.
func (e *env) config() (config.Config, error) {
	cfg, err := config.Load(e.getenv)
	if err == nil && cfg.Plans != nil {
		models.Plans = cfg.Plans
	}
	return cfg, err
}

// plansCmd lists the plans that accounts may be on.
type plansCmd struct {
	JSON bool `help:"Print the table as a file for PLANS_FILE."`
}

// Run implements the command.
func (c *plansCmd) Run(e *env) error {
	if _, err := e.config(); err != nil {
		return err
	}
	rows := []string{"NAME\tCLICKS A MONTH\tHISTORY\tCALLS A MINUTE\tCAMPAIGNS\tAPI"}
	for _, p := range models.Plans {
		rows = append(rows, fmt.Sprintf("%s\t%s\t%d days\t%d\t%s\t%v", p.Name, allowance(p.ClicksPerMonth), p.HistoryDays,
			p.CallsPerMinute, allowance(int64(p.Campaigns)), p.API))
	}
	return e.print(c.JSON, models.Plans, rows...)
}

func allowance(n int64) string {
	if n == models.Unlimited {
		return "unlimited"
	}
	return strconv.FormatInt(n, 10)
}

// dash cuts a text to 80 characters for a table. It returns a dash for an empty text.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return fmt.Sprintf("%.80s", s)
}
