package api_test

import (
	"regexp"
	"strings"
	"testing"

	"switchyard/api"
	"switchyard/api/openapi"
)

// TestDescriptions: every operation is described, in a few sentences, and nothing else is.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	undescribed := map[string]bool{}
	for _, name := range openapi.Described() {
		undescribed[name] = true
	}
	for path, item := range api.Document(api.Deps{})["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			operation, ok := op.(map[string]any)
			if !ok {
				continue
			}
			name := strings.ToUpper(method) + " " + strings.TrimPrefix(path, openapi.Prefix)
			text, _ := operation["description"].(string)
			if n := strings.Count(text+" ", ". "); !undescribed[name] || n < 1 || n > 6 || !strings.HasSuffix(text, ".") {
				t.Errorf("%s is described by %d sentences in operations.md: %q", name, n, text)
			}
			delete(undescribed, name)
		}
	}
	for name := range undescribed {
		t.Errorf("operations.md describes %s, which is not there", name)
	}
}

// TestOperationIDs: every operation has a name of its own, as generated clients write one.
func TestOperationIDs(t *testing.T) {
	t.Parallel()
	form, seen := regexp.MustCompile(`^[a-z]+([A-Z][a-zA-Z]+)?$`), map[string]string{}
	for path, item := range api.Document(api.Deps{})["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			operation, ok := op.(map[string]any)
			if !ok {
				continue
			}
			id := operation["operationId"].(string)
			if !form.MatchString(id) || seen[id] != "" {
				t.Errorf("%s %s is named %s, as is %s", method, path, id, seen[id])
			}
			seen[id] = path
		}
	}
	for _, id := range []string{"listCampaigns", "cloneCampaign", "replaceCampaignFlow", "getCampaign", "createOffer"} {
		if seen[id] == "" {
			t.Errorf("there is no operation %s", id)
		}
	}
}
