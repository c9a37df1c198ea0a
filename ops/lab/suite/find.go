package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"switchyard/models/parttest"
)

// found is a test that belongs to a part.
type found struct{ dir, name string }

// find returns the tests below root whose body calls parttest.X.Only or parttest.X.Also for the part. It does not find calls in
// subtests or helpers.
func find(root string, part parttest.Part) ([]found, error) {
	var tests []found
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("find tests: %w", err)
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && names(fn, part) {
				tests = append(tests, found{filepath.Dir(path), fn.Name.Name})
			}
		}
		return nil
	})
	return tests, err
}

func names(fn *ast.FuncDecl, part parttest.Part) bool {
	return slices.ContainsFunc(fn.Body.List, func(s ast.Stmt) bool {
		expr, ok := s.(*ast.ExprStmt)
		if !ok {
			return false
		}
		call, ok := expr.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || method.Sel.Name != "Only" && method.Sel.Name != "Also" {
			return false
		}
		of, ok := method.X.(*ast.SelectorExpr)
		return ok && strings.EqualFold(of.Sel.Name, string(part))
	})
}

// pattern returns the expression that selects the tests by `go test -run`, and their packages.
func pattern(tests []found) (expression string, packages []string) {
	var all []string
	for _, f := range tests {
		all = append(all, f.name)
		packages = append(packages, "./"+filepath.ToSlash(f.dir))
	}
	slices.Sort(all)
	slices.Sort(packages)
	return "^(" + strings.Join(slices.Compact(all), "|") + ")$", slices.Compact(packages)
}
