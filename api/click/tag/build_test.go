//go:build esbuild

package tag

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

var update = flag.Bool("update", false, "write tag.min.js and tag.sum anew")

// TestBuild checks that tag.min.js is what esbuild makes of tag.js. The build tag keeps esbuild out of all other builds, because
// esbuild takes longer to compile than the rest of the tests.
func TestBuild(t *testing.T) {
	source, err := os.ReadFile("tag.js")
	if err != nil {
		t.Fatal(err)
	}
	built := api.Transform(string(source), api.TransformOptions{
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Target: api.ES2019, Charset: api.CharsetASCII,
	})
	for _, m := range append(built.Errors, built.Warnings...) {
		t.Fatalf("tag.js: %+v: %s", m.Location, m.Text)
	}
	if *update {
		if err := os.WriteFile("tag.min.js", built.Code, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("tag.sum", []byte(sums(t)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if script, err := os.ReadFile("tag.min.js"); err != nil || !bytes.Equal(script, built.Code) {
		t.Errorf("tag.min.js is not made from the present tag.js: run make generate (%v)", err)
	}
}
