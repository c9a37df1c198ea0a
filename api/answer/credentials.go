package answer

import (
	"switchyard/models"
)

// CredentialFieldShown describes a credential of a provider, for a form.
type CredentialFieldShown struct {
	Name     string   `json:"name" doc:"the field's name in credentials"`
	Label    string   `json:"label"`
	Secret   bool     `json:"secret" doc:"the value is stored encrypted and never shown"`
	Required bool     `json:"required"`
	Values   []string `json:"values" doc:"the values that are allowed; empty: any text"`
	Default  *string  `json:"default"`
	Help     string   `json:"help"`
}

// CredentialFields returns the fields of a form for credentials.
func CredentialFields(form models.CredentialForm) []CredentialFieldShown {
	return Each(form.Fields, func(f models.CredentialField) CredentialFieldShown {
		return CredentialFieldShown{
			f.Name, f.Label, f.Secret, f.Required, append([]string{}, f.Values...), OrNull(f.Default), f.Help,
		}
	})
}
