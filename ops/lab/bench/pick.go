package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"switchyard/models/cond"
	"switchyard/models/flow"
)

// pick measures only the choice of a path, among 20 paths with three conditions each. The visitor meets all conditions of the
// last path only, so every path is checked. pick returns the median of five measurements, because other programs run on the
// machine.
func pick() (testing.BenchmarkResult, error) {
	paths := make([]map[string]any, 20)
	for i := range paths {
		paths[i] = map[string]any{
			"action": "offer", "destinations": []any{map[string]any{"url": "https://offer.example/?cid={clickid}"}},
			"filters": []any{
				map[string]any{"attribute": "country", "operator": "in", "value": []any{"US", "CA", "GB"}},
				map[string]any{"attribute": "browser_version", "operator": "gte", "value": "100.1"},
				map[string]any{
					"attribute": "device_model", "operator": "equals",
					"value": []any{"iphone", fmt.Sprintf("pixel %d", 29-i)},
				},
			},
		}
	}
	text, err := json.Marshal(paths)
	if err != nil {
		return testing.BenchmarkResult{}, err
	}
	list, err := flow.Parse(text)
	if err != nil {
		return testing.BenchmarkResult{}, err
	}
	if err := flow.Validate(list, flow.Known{}); err != nil {
		return testing.BenchmarkResult{}, err
	}
	plan, err := flow.Compile(list, flow.Options{})
	if err != nil {
		return testing.BenchmarkResult{}, err
	}
	results := make([]testing.BenchmarkResult, 5)
	for i := range results {
		results[i] = measurePick(plan)
	}
	slices.SortFunc(results, func(a, b testing.BenchmarkResult) int { return cmp.Compare(a.NsPerOp(), b.NsPerOp()) })
	return results[len(results)/2], nil
}

func measurePick(plan *flow.Plan) testing.BenchmarkResult {
	visitor := &flow.Visitor{Facts: new(cond.Facts)}
	country, version, model := cond.Named("country"), cond.Named("browser_version"), cond.Named("device_model")
	return testing.Benchmark(func(b *testing.B) { //nolint:thelper // no helper: the benchmark itself
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			visitor.Facts.Reset()
			visitor.Facts.SetText(country, "US")
			visitor.Facts.SetText(version, "131.0.6778.86")
			visitor.Facts.SetText(model, "Pixel 10")
			if d := plan.Pick(visitor, flow.Env{}, uint64(i)); d.Route == nil || d.Route.Name != "Path 20" {
				b.Fatal("the wrong path was picked")
			}
		}
	})
}
