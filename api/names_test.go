package api_test

import (
	"regexp"
	"testing"

	"switchyard/api"
)

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
