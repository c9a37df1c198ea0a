// Package floorplan is a test of the repository's layout. Imports look down only, a fenced library stays on its floors,
// the top level is fixed and files are short. The plan is the tables in plan_test.go. Nothing imports this package.
package floorplan
