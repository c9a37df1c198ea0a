package floorplan

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Module is the path of the Go module.
const Module = "switchyard"

// MaxLines is a number of lines. Every Go file must have fewer, except tests and generated files.
const MaxLines = 600

// MaxPackageLines is a number of lines. The files of every package must have fewer together, except tests and generated files.
const MaxPackageLines = 8000

// Code may import its own floor and lower ones.
var levels = map[string]int{
	"cmd": 4,
	"api": 3, "workers": 3, "ops": 3,
	"jobs": 2, "db": 2,
	"models": 1,
}

// fence allows a library, and the packages below it, only on some floors or in some directories.
type fence struct {
	library string
	floors  []string
}

var fences = []fence{
	{"github.com/gin-gonic/gin", []string{"api", "ops"}},
	{"github.com/hibiken/asynq", []string{"jobs", "workers", "ops"}},
	{"github.com/hibiken/asynqmon", []string{"ops"}},
	{"github.com/jmoiron/sqlx", []string{"db"}},
	{"github.com/lib/pq", []string{"db"}},
	{"github.com/redis/go-redis", []string{"db", "jobs"}},
	{"github.com/alecthomas/kong", []string{"cmd"}},
	{"github.com/evanw/esbuild", []string{"api/dashboard/bundle", "api/click/tag"}},
	{"github.com/ClickHouse/clickhouse-go", []string{"db", "ops"}},
	{"github.com/ebitengine/purego", []string{"ops"}},
	{"github.com/modelcontextprotocol/go-sdk", []string{"api/assistants", "api/mcp", "ops/lab/e2e"}},
}

// ioPackages are the packages of input and output that the models must not import, except in tests.
var ioPackages = []string{"database/sql", "net/http", "os", "os/exec"}

// shared are the capabilities that every other capability may import. A capability is a folder in workers, with its subfolders.
// Apart from shared, capabilities do not import one another.
var shared = []string{"workers/egress", "workers/platformjob", "workers/providers", "workers/rowimport"}

// labImporters are the directories whose code may import ops/lab. Tests may import it too.
var labImporters = []string{"ops/lab", "cmd/lab"}

var topLevel = []string{
	"cmd", "api", "jobs", "workers", "models", "db", "ops",
	"go.mod", "go.sum", "Makefile", "Procfile", "README.md", "LICENSE",
}

// The end-to-end tests are above all floors: they start the service, and look into all of it.
const endToEnd = "ops/lab/e2e"

// File holds what Check looks at in a Go file.
type File struct {
	Path    string // from the root, with slashes
	Imports []string
	Lines   int
}

func (f File) isTest() bool {
	return strings.HasSuffix(f.Path, "_test.go") || strings.HasSuffix(path.Dir(f.Path), "test")
}

// Check returns every breach of the plan by the files, as "path: what is wrong".
func Check(files []File) []string {
	var breaches []string
	for _, f := range files {
		if f.Lines >= MaxLines && !f.isTest() && !strings.HasSuffix(f.Path, ".gen.go") {
			breaches = append(breaches, fmt.Sprintf("%s: %d lines, split it below %d", f.Path, f.Lines, MaxLines))
		}
		for _, imported := range f.Imports {
			for _, look := range []func(File, string) string{upward, fenced, purity, neighbours, labOnly} {
				if wrong := look(f, imported); wrong != "" {
					breaches = append(breaches, f.Path+": "+wrong)
				}
			}
		}
	}
	return breaches
}

// CheckPackages returns every package that is too long, in the order of the paths. All lines count, including comments.
func CheckPackages(files []File) []string {
	lines := map[string]int{} // by directory
	for _, f := range files {
		if !strings.HasSuffix(f.Path, "_test.go") && !strings.HasSuffix(f.Path, ".gen.go") {
			lines[path.Dir(f.Path)] += f.Lines
		}
	}
	var breaches []string
	for _, dir := range slices.Sorted(maps.Keys(lines)) {
		if lines[dir] >= MaxPackageLines {
			breaches = append(breaches, fmt.Sprintf("%s: the package has %d lines in its files without tests and generated files, "+
				"bring it below %d: move an area that hangs together into a package of its own", dir, lines[dir], MaxPackageLines))
		}
	}
	return breaches
}

// CheckTop returns every breach by the names at the root of the repository.
func CheckTop(names []string) []string {
	var breaches []string
	for _, name := range names {
		if !strings.HasPrefix(name, ".") && !slices.Contains(topLevel, name) {
			breaches = append(breaches, name+": the top level is fixed, put it into a package on one of the floors")
		}
	}
	return breaches
}

func floor(p string) string {
	first, _, _ := strings.Cut(p, "/")
	return first
}

func within(imported, base string) bool {
	return imported == base || strings.HasPrefix(imported, base+"/")
}

func ours(imported string) (string, bool) { return strings.CutPrefix(imported, Module+"/") }

func upward(f File, imported string) string {
	room, ok := ours(imported)
	if !ok {
		return ""
	}
	from, to := floor(f.Path), floor(room)
	sameFloorAllowed := from != "cmd" || within(room, path.Dir(f.Path)) // from cmd, a command imports only packages in its own directory
	if from == to && sameFloorAllowed || levels[to] > 0 && levels[to] < levels[from] || within(f.Path, endToEnd) {
		return ""
	}
	return fmt.Sprintf("%s must not import %s, imports only look down", from, room)
}

func fenced(f File, imported string) string {
	for _, fe := range fences {
		inside := func(room string) bool { return within(f.Path, room) }
		if within(imported, fe.library) && !slices.ContainsFunc(fe.floors, inside) {
			return fmt.Sprintf("%s belongs in %s only", fe.library, strings.Join(fe.floors, ", "))
		}
	}
	return ""
}

func purity(f File, imported string) string {
	if floor(f.Path) != "models" || f.isTest() || !slices.Contains(ioPackages, imported) {
		return ""
	}
	return "models have no input or output, they must not import " + imported
}

func labOnly(f File, imported string) string {
	room, ok := ours(imported)
	if !ok || !within(room, "ops/lab") || f.isTest() || slices.ContainsFunc(labImporters, func(l string) bool { return within(f.Path, l) }) {
		return ""
	}
	return "the service must not import " + room
}

func neighbours(f File, imported string) string {
	room, ok := ours(imported)
	if !ok || floor(f.Path) != "workers" || floor(room) != "workers" || room == "workers" {
		return ""
	}
	from, to := capability(path.Dir(f.Path)), capability(room)
	if from == "workers" || from == to || slices.Contains(shared, to) || f.isTest() {
		return ""
	}
	return fmt.Sprintf("%s must not import %s, workers submit jobs to each other", from, to)
}

func capability(dir string) string {
	parts := strings.Split(dir, "/")
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// Read finds every Go file of the module at root. It leaves out test data, dot-directories, build output and nested modules.
func Read(root string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if p != root && skipped(p, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		f, err := readFile(root, p)
		files = append(files, f)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("floorplan: read: %w", err)
	}
	return files, nil
}

func skipped(dir, name string) bool {
	if strings.HasPrefix(name, ".") || name == "testdata" || name == "bin" {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func readFile(root, p string) (File, error) {
	text, err := os.ReadFile(p)
	if err != nil {
		return File{}, err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), p, text, parser.ImportsOnly)
	if err != nil {
		return File{}, err
	}
	rel, err := filepath.Rel(root, p)
	if err != nil {
		return File{}, err
	}
	f := File{Path: filepath.ToSlash(rel), Lines: bytes.Count(text, []byte("\n"))}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return File{}, err
		}
		f.Imports = append(f.Imports, imported)
	}
	return f, nil
}
