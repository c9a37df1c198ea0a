package api_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"switchyard/api"
	"switchyard/api/openapi"
)

// TestDescriptions: every operation has a description of 1 to 6 sentences. Every operation of the API, except openapi.json, has
// an example. Every description in operations.md belongs to an operation.
func TestDescriptions(t *testing.T) {
	t.Parallel()
	texts, err := os.ReadFile("openapi/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(string(texts), -1) {
		headings[line[1]] = true
	}
	for path, item := range api.Document(api.Deps{})["paths"].(map[string]any) {
		for method, op := range item.(map[string]any) {
			operation, ok := op.(map[string]any)
			if !ok {
				continue
			}
			name := strings.ToUpper(method) + " " + strings.TrimPrefix(path, openapi.Prefix)
			text, _ := operation["description"].(string)
			if n := strings.Count(text+" ", ". "); !headings[name] || n < 1 || n > 6 || !strings.HasSuffix(text, ".") {
				t.Errorf("%s has %d sentences in operations.md, want 1 to 6 and a full stop at the end: %q", name, n, text)
			}
			delete(headings, name)
			if strings.HasPrefix(path, openapi.Prefix) && path != openapi.Prefix+"/openapi.json" {
				showsExample(t, name, operation)
			}
		}
	}
	for name := range headings {
		t.Errorf("operations.md describes %s, which does not exist", name)
	}
}

// showsExample fails unless an operation has an example of its answer, and of its body if it has one.
func showsExample(t *testing.T, name string, operation map[string]any) {
	t.Helper()
	in := func(part any) bool {
		for _, media := range part.(map[string]any)["content"].(map[string]any) {
			if media.(map[string]any)["example"] != nil {
				return true
			}
		}
		return false
	}
	if body, ok := operation["requestBody"]; ok && !in(body) {
		t.Errorf("the body of %s has no example", name)
	}
	for _, answer := range operation["responses"].(map[string]any) {
		if answer := answer.(map[string]any); answer["content"] != nil && in(answer) {
			return
		}
	}
	t.Errorf("the answer of %s has no example", name)
}

// TestOperationIDs: every operation has a unique name in the form that generated clients use.
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
				t.Errorf("%s %s has the operation id %s, which has a wrong form or is also used by %q", method, path, id, seen[id])
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
