package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/clickattr"
	"switchyard/models/correction"
	"switchyard/models/postback"
)

// TestTypesOfColumns checks that the dashboard's columns.gen.ts matches the columns of uploaded files and the usual parameters of
// postbacks.
func TestTypesOfColumns(t *testing.T) {
	t.Parallel()
	lines := func(list []correction.Column) string {
		raw, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(raw), `},{"name"`, "},\n{\"name\"")
	}
	checkGenerated(t, "dashboard/web/src/columns.gen.ts",
		"// Made of the columns of files by the API's tests (-run TestTypes -update). Do not edit.\n\n"+
			"export interface FileColumn { name: string; required: boolean }\n"+
			"export const offerColumns: FileColumn[] = "+lines(correction.Columns(correction.Offers))+"\n\n"+
			"export const linkColumns: FileColumn[] = "+lines(correction.Columns(correction.Links))+"\n\n"+
			"export const postbackNames: Record<string, string[]> = "+names(t)+"\n")
}

// TestTypesOfBlockable checks that the dashboard's blockable.gen.ts lists the dimensions whose values can be blocked.
func TestTypesOfBlockable(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range clickattr.All {
		if a := &clickattr.All[i]; a.IsBlockable() {
			list = append(list, a.Name)
		}
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	checkGenerated(t, "dashboard/web/src/blockable.gen.ts", "// Made of the attributes of clicks by the API's tests (-run TestTypes -update). Do not edit.\n\n"+
		"export const blockable: string[] = "+string(raw)+"\n")
}

// TestTypesOfSubs checks the numbers of sub-parameters in the dashboard's subs.gen.ts.
func TestTypesOfSubs(t *testing.T) {
	t.Parallel()
	checkGenerated(t, "dashboard/web/src/subs.gen.ts", fmt.Sprintf("// Made of the sub-parameters of clicks by the API's tests (-run TestTypes -update). Do not edit.\n\n"+
		"export const mostSubs = %d\nexport const earlySubs = %d\n", models.Subs, models.EarlySubs))
}

// names returns, for some fields of a postback, the parameters that are read if the network has no setting for the field.
func names(t *testing.T) string {
	t.Helper()
	list := map[string][]string{}
	for _, field := range []string{"click_id", "payout", "currency", "status", "conversion_id", "goal"} {
		list[field] = postback.Names(field)
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
