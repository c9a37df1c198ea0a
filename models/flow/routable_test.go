package flow_test

import (
	"testing"

	"pgregory.net/rapid"

	"switchyard/models"
	"switchyard/models/flow"
)

// TestValidMeansRoutable checks that a valid flow of active paths without conditions takes every visitor. In a flow that is
// refused because of its weights, no regular path takes a visitor.
func TestValidMeansRoutable(t *testing.T) {
	t.Parallel()
	passed, refused := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		a, paths := newAccount(t), genFlow(rt)
		for i := range paths {
			paths[i].Filters, paths[i].Rules, paths[i].IsActive = nil, nil, true
		}
		o := a.options()
		o.Rotation = rapid.SampledFrom([]flow.Rotation{flow.ByPosition, flow.ByWeight}).Draw(rt, "rotation")
		err := flow.Validate(paths, a.known)
		p, compileErr := flow.Compile(paths, o)
		if err == nil && compileErr != nil {
			rt.Fatal(compileErr)
		}
		if compileErr != nil {
			return
		}
		d := p.Pick(visitor("DE"), flow.Env{}, rapid.Uint64().Draw(rt, "seed"))
		if err == nil {
			passed++
		} else {
			refused++
		}
		switch {
		case err == nil && d.Route == nil:
			rt.Fatalf("no visitor can be routed by %+v", paths)
		case codeOfError(err) == "zero_path_weights" && d.Route != nil && d.Via == flow.ViaRegular:
			rt.Fatalf("the regular path %s takes a visitor, but the flow is refused because of its weights", d.Route.Name)
		}
	})
	if passed == 0 || refused == 0 {
		t.Errorf("%d flows passed validation and %d were refused, want some of each", passed, refused)
	}
}

func codeOfError(err error) string {
	if e, ok := models.AsError(err); ok {
		return e.Code
	}
	return ""
}
