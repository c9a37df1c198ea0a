package measure_test

import (
	"bytes"
	"cmp"
	"flag"
	"go/format"
	"os"
	"slices"
	"testing"
	"text/template"

	"switchyard/models/measure"
)

var update = flag.Bool("update", false, "write models/figures.gen.go")

const generated = "../figures.gen.go"

// TestGenerated checks that models/figures.gen.go is up to date with the table.
func TestGenerated(t *testing.T) {
	t.Parallel()
	tables := map[string]any{"Percentages": measure.Expand("{percentages}")}
	for table, keep := range map[string]func(*measure.Measure) bool{
		"All": measure.Every, "Counters": (*measure.Measure).IsCounter,
		"Derived": func(m *measure.Measure) bool { return !m.IsCounter() },
		"Changes": func(m *measure.Measure) bool { return m.Change > 0 },
	} {
		var list []figure
		for _, name := range measure.Names(keep) {
			list = append(list, figure{measure.Find(name), "f"})
		}
		if table == "Changes" {
			slices.SortFunc(list, func(a, b figure) int { return a.Change - b.Change })
		}
		tables[table] = list
	}
	var out bytes.Buffer
	if err := template.Must(template.ParseFiles("testdata/figures.go.tmpl")).Execute(&out, tables); err != nil {
		t.Fatal(err)
	}
	text, err := format.Source(out.Bytes())
	if err != nil {
		t.Fatal(err, out.String())
	}
	if *update {
		if err := os.WriteFile(generated, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(generated); err != nil || !bytes.Equal(have, text) {
		t.Errorf("%s is stale: go test ./models/measure -run TestGenerated -update (%v)", generated, err)
	}
}

type figure struct {
	*measure.Measure
	variable string
}

// Then returns the same figure, read from the Go variable `then`. That variable holds the Figures to compare with.
func (f figure) Then() figure  { return figure{f.Measure, "then"} }
func (f figure) IsCount() bool { return f.Kind == measure.Count }

// Description returns the description of the figure in the documentation of the API.
func (f figure) Description() string {
	if f.IsPercent() {
		return cmp.Or(f.Doc, "percent")
	}
	return f.Doc
}

// Type returns the Go type of the figure's method.
func (f figure) Type() string {
	switch {
	case f.IsRatio():
		return "*Money"
	case f.IsAmount():
		return "decimal.Decimal"
	}
	return "int64"
}

// Value returns the Go code of the figure: a field or a call of its method.
func (f figure) Value() string {
	if f.IsCounter() {
		return f.variable + "." + f.Field
	}
	return f.variable + "." + f.Field + "()"
}

// Decimal returns the Go code of the figure as a decimal.
func (f figure) Decimal() string {
	if f.IsCount() {
		return "count(" + f.Value() + ")"
	}
	return f.Value()
}

// Code returns the Go code that calculates the figure from its formula.
func (f figure) Code() string {
	over, under := f.Terms()
	switch {
	case len(under) == 0:
		return f.sum(over)
	case f.IsPercent():
		return "percent(" + f.quantity(over) + ", " + f.quantity(under) + ")"
	}
	return "ratio(" + f.quantity(over) + ", " + f.quantity(under) + ")"
}

func (f figure) quantity(list []measure.Term) string {
	if slices.ContainsFunc(list, func(t measure.Term) bool { return t.IsAmount() }) {
		return f.sum(list)
	}
	return "count(" + f.sum(list) + ")"
}

func (f figure) sum(list []measure.Term) string {
	code := ""
	for i, t := range list {
		value := figure{t.Measure, f.variable}.Value()
		switch {
		case i == 0:
			code = value
		case t.IsAmount() && t.Minus:
			code += ".Sub(" + value + ")"
		case t.IsAmount():
			code += ".Add(" + value + ")"
		case t.Minus:
			code += " - " + value
		default:
			code += " + " + value
		}
	}
	return code
}
