package botdata_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go4.org/netipx"

	"switchyard/models/botdata"
)

var update = flag.Bool("update", false, "write the networks of clouds again")

const cloudsFile = "clouds.bin"

// cloudsSum is the checksum of the module with the networks, in the version of BuiltIns.
const cloudsSum = "h1:6pJ4XnovIrTWzlCJs5/QD1tv6wvK0wiICmmdY0/8WAs="

// TestClouds compares the built-in networks with the module from which they come: an address must be in both or in neither.
func TestClouds(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(botdata.BuiltIns, func(b botdata.BuiltIn) bool { return b.Kind == botdata.Datacenter })
	builtIn := botdata.BuiltIns[i]
	var module struct{ Dir, Sum string }
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", builtIn.Module+"@"+builtIn.Version).Output()
	if err != nil || json.Unmarshal(out, &module) != nil || module.Sum != cloudsSum {
		t.Skipf("%s cannot be downloaded here, or has another checksum: %v %s", builtIn.Module, err, out)
	}
	text, err := os.ReadFile(filepath.Join(module.Dir, "sources_data.json"))
	if err != nil {
		t.Fatal(err)
	}
	var data struct{ Cloud map[string][]string }
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	var b netipx.IPSetBuilder
	for _, networks := range data.Cloud {
		for _, n := range networks {
			b.AddPrefix(netip.MustParsePrefix(n).Masked())
		}
	}
	cloudSet, err := b.IPSet()
	if err != nil {
		t.Fatal(err)
	}
	var entries []string
	for _, p := range cloudSet.Prefixes() {
		entries = append(entries, p.String())
	}
	want, err := botdata.Pack(entries)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(cloudsFile, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(cloudsFile)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s does not match %s, run make generate: %v", cloudsFile, builtIn.Module, err)
	}
}

// TestCloudsAreBuiltIn checks that the networks of clouds are known until a list replaces them. An operator could also load them
// as a list.
func TestCloudsAreBuiltIn(t *testing.T) {
	t.Parallel()
	cloud, person := netip.MustParseAddr("52.94.76.1"), netip.MustParseAddr("91.10.20.30")
	loaded := &botdata.Set{}
	loaded.Put(botdata.Datacenter, botdata.Compile(botdata.Datacenter, []string{"91.10.0.0/16"}))
	for _, c := range []struct {
		set  *botdata.Set
		addr netip.Addr
		want string
	}{
		{nil, cloud, "datacenter"}, {&botdata.Set{}, cloud, "datacenter"}, {nil, person, ""}, {loaded, cloud, ""}, {loaded, person, "datacenter"},
	} {
		if got := c.set.ProxyKind(c.addr); got != c.want {
			t.Errorf("%s is %q, want %q", c.addr, got, c.want)
		}
	}
	packed, err := os.ReadFile(cloudsFile)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := botdata.Unpack(packed)
	if err != nil {
		t.Fatal(err)
	}
	l := botdata.NewList(botdata.Datacenter)
	const fewest = 1000 // the clouds have thousands of networks
	if err := l.Read(cloudsFile, []byte(strings.Join(entries, "\n")), today); err != nil || len(l.Entries) != len(entries) || len(entries) < fewest {
		t.Errorf("%d of %d networks of clouds are read as a list (error %v), want all, and at least %d", len(l.Entries), len(entries), err, fewest)
	}
}
