// Command bundle makes the dashboard's files: it bundles api/dashboard/web into api/dashboard/dist, which the service embeds. It
// runs at the root of the repository, after `npm ci` in web. With -tests it bundles the tests of the modules instead.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

const (
	web  = "api/dashboard/web"
	dist = "api/dashboard/dist"
)

func main() {
	watch := flag.Bool("watch", false, "bundle again whenever a source changes")
	tests := flag.String("tests", "", "bundle the tests of modules into this file")
	flag.Parse()
	var err error
	if *tests != "" {
		err = writeTests(*tests)
	} else {
		err = run(*watch)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run(watch bool) error {
	options := buildOptions()
	if !watch {
		return write(api.Build(options))
	}
	options.Plugins = append(options.Plugins, api.Plugin{Name: "write", Setup: func(b api.PluginBuild) {
		b.OnEnd(func(result *api.BuildResult) (api.OnEndResult, error) {
			if err := write(*result); err != nil {
				fmt.Fprintln(os.Stderr, "bundle:", err)
			}
			return api.OnEndResult{}, nil
		})
	}})
	ctx, err := api.Context(options)
	if err != nil {
		return err
	}
	defer ctx.Dispose()
	if err := ctx.Watch(api.WatchOptions{}); err != nil {
		return err
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	<-interrupted
	return nil
}

// writeTests bundles all files *.test.ts into one module, which exports the test results.
func writeTests(path string) error {
	source := filepath.Join(web, "src")
	var lines strings.Builder
	err := filepath.WalkDir(source, func(file string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, ".test.ts") {
			fmt.Fprintf(&lines, "import './%s'\n", strings.TrimPrefix(file, source+"/"))
		}
		return err
	})
	if err != nil {
		return err
	}
	lines.WriteString("export { failures, ran } from './testing.ts'\n")
	options := buildOptions()
	options.EntryPoints, options.EntryNames, options.Splitting, options.Outdir, options.Outfile = nil, "", false, "", path
	options.MinifyWhitespace, options.MinifyIdentifiers, options.MinifySyntax = false, false, false
	options.Stdin = &api.StdinOptions{Contents: lines.String(), ResolveDir: source, Loader: api.LoaderTS}
	options.Write = true
	if n := len(api.Build(options).Errors); n > 0 {
		return fmt.Errorf("%d errors", n)
	}
	return nil
}

func buildOptions() api.BuildOptions {
	return api.BuildOptions{
		EntryPoints: []string{filepath.Join(web, "src/main.tsx")}, Outdir: filepath.Join(dist, "assets"),
		EntryNames: "[name]-[hash]", ChunkNames: "[name]-[hash]", AssetNames: "[name]-[hash]",
		Bundle: true, Splitting: true, Format: api.FormatESModule, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", Metafile: true, LegalComments: api.LegalCommentsNone,
		LogLevel: api.LogLevelWarning, Plugins: []api.Plugin{worldMap()},
	}
}

// meta is esbuild's description of a bundle.
type meta struct {
	Inputs  map[string]struct{}
	Outputs map[string]struct {
		EntryPoint string
		CSSBundle  string
		Imports    []struct{ Path, Kind string }
	}
}

var languages = []string{"en", "de"}

// write replaces the files of the previous bundle.
func write(result api.BuildResult) error {
	if n := len(result.Errors); n > 0 {
		return fmt.Errorf("%d errors", n)
	}
	var m meta
	if err := json.Unmarshal([]byte(result.Metafile), &m); err != nil {
		return err
	}
	page, err := pageOf(m)
	if err != nil {
		return err
	}
	licences, err := licencesOf(m)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(dist, "assets")); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dist, "assets"), 0o755); err != nil { //nolint:gosec // everybody may read it
		return err
	}
	files := map[string][]byte{filepath.Join(dist, "licences.txt"): licences}
	for _, f := range result.OutputFiles {
		files[f.Path] = f.Contents
	}
	files[filepath.Join(dist, "index.html")] = page
	for path, text := range files {
		if err := os.WriteFile(path, text, 0o644); err != nil { //nolint:gosec // everybody may read it
			return err
		}
	}
	return nil
}

// pageOf returns the text of index.html with its placeholders filled in.
func pageOf(m meta) ([]byte, error) {
	page, err := os.ReadFile(filepath.Join(web, "index.html"))
	if err != nil {
		return nil, err
	}
	for path, out := range m.Outputs {
		if out.EntryPoint == "" || out.CSSBundle == "" {
			continue
		}
		names := strings.NewReplacer("{{script}}", filepath.Base(path), "{{style}}", filepath.Base(out.CSSBundle), "{{words}}", wordsOf(m))
		return []byte(names.Replace(string(page))), nil
	}
	return nil, errors.New("the bundle has no entry")
}

// wordsOf returns <link> elements that load the words of each language together with the script. The service sends only the
// elements of the person's language.
func wordsOf(m meta) string {
	var lines []string
	for _, lang := range languages {
		for path, out := range m.Outputs {
			if out.EntryPoint != filepath.Join(web, "src/text", lang+".ts") {
				continue
			}
			files := []string{path}
			for _, i := range out.Imports {
				if i.Kind == "import-statement" {
					files = append(files, i.Path)
				}
			}
			for _, file := range files {
				lines = append(lines, fmt.Sprintf(`<link rel="modulepreload" hreflang="%s" href="/app/assets/%s">`, lang, filepath.Base(file)))
			}
		}
	}
	return strings.Join(lines, "\n")
}

func licencesOf(m meta) ([]byte, error) {
	const modules = "node_modules/"
	var packages []string
	for path := range m.Inputs {
		_, name, ok := strings.Cut(path, modules)
		if !ok {
			continue
		}
		parts := strings.SplitN(name, "/", 3)
		if !strings.HasPrefix(name, "@") {
			parts = parts[:1]
		}
		packages = append(packages, strings.Join(parts[:min(2, len(parts))], "/"))
	}
	slices.Sort(packages)
	var out strings.Builder
	for _, name := range slices.Compact(packages) {
		text, err := os.ReadFile(filepath.Join(web, modules, name, "LICENSE"))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s\n\n%s\n\n\n", name, strings.TrimSpace(string(text)))
	}
	return []byte(out.String()), nil
}
