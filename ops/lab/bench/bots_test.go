package bench

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"

	"switchyard/models/bot/bottest"
	"switchyard/ops/visitors"
)

// TestListsDenyNobody: all values of the bot lists differ from each other, and no visitor of the measurement is denied.
func TestListsDenyNobody(t *testing.T) {
	t.Parallel()
	set, err := visitors.Load()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]bool{}
	for entry := range listEntries {
		attribute, operator, value := denied(entry)
		for n := range listValues {
			v := value(n)
			if values[v] {
				t.Fatalf("%s %s %s is denied twice", attribute, operator, v)
			}
			values[v] = true
		}
		if attribute != "ip_range" {
			continue
		}
		for _, v := range []string{value(0), value(listValues - 1)} {
			p, err := netip.ParsePrefix(v)
			if err != nil || p != p.Masked() {
				t.Errorf("%s is not a network", v)
			}
			for _, a := range set.Addresses {
				if p.Contains(netip.MustParseAddr(a.IP)) {
					t.Errorf("the network %s denies the visitor %s", v, a.IP)
				}
			}
		}
	}
	for _, a := range set.Addresses {
		if values[a.IP] || a.IP == listed {
			t.Errorf("the visitor %s is denied", a.IP)
		}
	}
}

// TestVerdictsAreTold: the table shows precision, recall and the missed goal of a detector.
func TestVerdictsAreTold(t *testing.T) {
	t.Parallel()
	set := []bottest.Request{{Kind: "library", Bot: true}, {Kind: "phone"}, {Kind: "library", Bot: true}}
	var out bytes.Buffer
	r := &run{Options: Options{Out: &out}}
	all := bottest.Judge(set, func(bottest.Request) bool { return true })
	r.judged("all", all, "0 wrong", all.Wrong == 0)
	r.kinds([]bottest.Tally{all, bottest.Judge(set, func(bottest.Request) bool { return false })})
	if err := r.table(); err == nil {
		t.Error("table returned no error, but a goal was missed")
	}
	for _, want := range []string{"precision 0.6667  recall 1.000  1 people", "MISSED", "1.00, 0.00"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// TestCommandsThatAreMissing: a program that is not installed is an error.
func TestCommandsThatAreMissing(t *testing.T) {
	t.Parallel()
	if _, err := output(t.Context(), t.TempDir(), nil, "no-such-command-anywhere"); err == nil {
		t.Error("a command that does not exist returned no error")
	}
	got, err := output(t.Context(), t.TempDir(), []byte("told"), "cat")
	if err != nil || string(got) != "told" {
		t.Errorf("the command returned %q, %v, want its input", got, err)
	}
}
