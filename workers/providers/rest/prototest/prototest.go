// Package prototest checks JSON against protocol buffers. With it, tests compare requests and fakes with a platform's own
// description. The descriptions come from npm packages that contain them as protos.json, a file of protobuf.js.
package prototest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Package is a version of an npm package with protocol buffers. Integrity is the hash that the registry gives for it.
type Package struct{ Name, Version, Integrity string }

// The packages. The first is Google's own. The second is made by Opteo from the protocol buffers that Google publishes.
var (
	DataManager = Package{"@google-ads/datamanager", "0.3.0", "sha512-AsbbCB6TfgsroM6F5A//zcWlU/2H2RMJwULukX90CxtRe7ZzL7xsa9vWiRJMh9SAT9CNRTnzTSOfOxdMIK7Tsw=="}
	GoogleAds   = Package{"google-ads-node", "25.1.0", "sha512-ROVTtOcqY2Z05GkpGdGcjDdlFADCUYNHHKltBWIGL+KUX0CuNmgxOAUOGPbB41MIFZbLahMYfOQTsijoE0FwIg=="}
)

// node is a namespace, a message or an enumeration.
type node struct {
	Nested map[string]*node
	Fields map[string]*field
	Oneofs map[string]struct{ Oneof []string }
	Values map[string]json.Number // of an enumeration
}

type field struct {
	Type, Rule, KeyType string
	Options             map[string]any
}

func (f field) required() bool { return f.Options["(google.api.field_behavior)"] == "REQUIRED" }

// Protos are the messages and enumerations of packages, by full name.
type Protos map[string]*node

// Load reads packages with npm, from its cache or the registry. It skips the test if npm cannot get a package, and fails it if a
// package has another hash.
func Load(tb testing.TB, packages ...Package) Protos {
	tb.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		tb.Skip("npm is not installed")
	}
	out := Protos{}
	for _, p := range packages {
		dir := tb.TempDir()
		cmd := exec.CommandContext(tb.Context(), npm, "pack", "--silent", "--prefer-offline", p.Name+"@"+p.Version) //nolint:gosec // names of this file
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			tb.Skipf("npm cannot read %s here: %v\n%s", p.Name, err, text)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
		if err != nil || len(files) != 1 {
			tb.Fatalf("npm has written %v: %v", files, err)
		}
		raw, err := os.ReadFile(files[0])
		if err != nil {
			tb.Fatal(err)
		}
		if sum := sha512.Sum512(raw); "sha512-"+base64.StdEncoding.EncodeToString(sum[:]) != p.Integrity {
			tb.Fatalf("%s %s does not have the expected hash", p.Name, p.Version)
		}
		text, err := protosOf(raw)
		if err == nil {
			err = out.add(text)
		}
		if err != nil {
			tb.Fatalf("%s: %v", p.Name, err)
		}
	}
	return out
}

func protosOf(packed []byte) ([]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(plain); ; {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the package has no build/protos/protos.json")
		}
		if err != nil {
			return nil, err
		}
		if head.Name == "package/build/protos/protos.json" {
			return io.ReadAll(files)
		}
	}
}

// add adds the messages and enumerations of protos.json.
func (p Protos) add(text []byte) error {
	var root node
	if err := json.Unmarshal(text, &root); err != nil {
		return err
	}
	p.index("", &root)
	return nil
}

func (p Protos) index(name string, n *node) {
	if n.Fields != nil || n.Values != nil {
		p[name] = n
	}
	for inner, child := range n.Nested {
		p.index(strings.TrimPrefix(name+"."+inner, "."), child)
	}
}

// resolve returns the full name of a type that a message names. It looks in the message first, and then outwards.
func (p Protos) resolve(scope, name string) string {
	for {
		full := strings.TrimPrefix(scope+"."+name, ".")
		if p[full] != nil || scope == "" {
			return full
		}
		scope = scope[:max(strings.LastIndexByte(scope, '.'), 0)]
	}
}

// camel returns the name of a field in JSON.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
	}
	return strings.Join(parts, "")
}

// Check returns how a JSON text differs from a message. `bound` are fields that are in the path of the request, so the JSON may
// lack them.
func (p Protos) Check(message string, raw []byte, bound ...string) []string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return []string{err.Error()}
	}
	c := checker{Protos: p, bound: bound}
	c.value("", "", message, v)
	return c.flaws
}
