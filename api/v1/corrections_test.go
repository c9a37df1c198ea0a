package v1_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf16"

	"switchyard/api/apitest"
	"switchyard/api/route"
	"switchyard/db/dbtest"
	"switchyard/models"
)

const (
	conversionsPath = "/corrections/conversions"
	costPath        = "/corrections/cost"
)

func TestCorrectionRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	click := models.FormatClickID(models.NewClickID())
	wide := make([]byte, 0, 1<<20)
	for _, unit := range utf16.Encode([]rune(`{"csv": "click id\n` + click + `\n"}`)) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	for name, c := range map[string]struct {
		path   string
		body   any
		status int
		code   string
	}{
		"csv and file":       {conversionsPath, object{"csv": "click id\nx\n", "file": "YQ=="}, 400, "invalid_input"},
		"a long source":      {costPath, object{"csv": "day,spend\n2026-01-01,1\n", "source": strings.Repeat("x", 501)}, 400, "invalid_input"},
		"not base64":         {conversionsPath, object{"file": "click id"}, 400, "invalid_input"},
		"a binary file":      {conversionsPath, object{"file": "UEsDBBQAAAA="}, 400, "invalid_input"},
		"nothing to look at": {"/corrections/look", object{"kind": "cost"}, 400, "empty"},
		"no such kind":       {"/corrections/look", object{"csv": "a\n1\n", "kind": "people"}, 400, "invalid_input"},
		"no csv":             {conversionsPath, object{}, 400, "empty"},
		"null":               {conversionsPath, object{"csv": nil}, 400, "empty"},
		"blank":              {costPath, object{"csv": "\uFEFF\r\n \t"}, 400, "empty"},
		"header only":        {conversionsPath, object{"csv": "click id,payout\r\n"}, 400, "no_rows"},
		"cost's header only": {costPath, object{"csv": "day,source,spend\n,,\n"}, 400, "no_rows"},
		"no click column":    {conversionsPath, object{"csv": "payout\n1\n"}, 400, "invalid_input"},
		"no source column":   {costPath, object{"csv": "day,spend\n2026-01-01,1\n"}, 400, "invalid_input"},
		"not a text":         {conversionsPath, object{"csv": []string{"a"}}, 400, "invalid_input"},
		"not json":           {conversionsPath, "click id\nx\n", 400, "bad_body"},
		"latin-1":            {conversionsPath, []byte("{\"csv\": \"click id\\ncaf\xe9\\n\"}"), 400, "bad_body"},
		"utf-16":             {conversionsPath, wide, 400, "bad_body"},
		"a NUL byte":         {conversionsPath, []byte("{\"csv\": \"click id\\nx\x00\\n\"}"), 400, "bad_body"},
		"an escaped NUL":     {conversionsPath, []byte(`{"csv": "click id\nx\u0000\n"}`), 400, "invalid_input"},
		"utf-16 as text":     {conversionsPath, object{"csv": "ÿþclick id\nx\n"}, 400, "invalid_input"},
		"a million columns":  {costPath, object{"csv": strings.Repeat("x,", 1e6) + "\n1\n"}, 400, "invalid_input"},
		"a broken header":    {costPath, object{"csv": "\"day,source,spend\n2026-01-01,x,1\n"}, 400, "invalid_input"},
		"too large": {
			conversionsPath, object{"csv": "click id\n" + strings.Repeat("x", route.CSVBody)}, 413, "body_too_large",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.In(t).Do("POST", c.path, c.body).Want(c.status, c.code)
		})
	}
	good := object{"csv": "click id\n" + click}
	s.As(s.ReadKey).Do("POST", conversionsPath, good).Want(403, "read_only_key")
	s.As(s.ReadKey).Do("POST", costPath, good).Want(403, "read_only_key")
}

type endless struct{ read, size int }

func (e *endless) Read(p []byte) (int, error) {
	if e.read >= e.size {
		return 0, io.EOF
	}
	for i := range p {
		p[i] = ','
	}
	e.read += len(p)
	return len(p), nil
}

// The service refuses a body of 100 MB soon after the allowed length, with or without a Content-Length.
func TestHugeCorrection(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for _, length := range []int64{100 << 20, -1} {
		body := &endless{size: 100 << 20}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1"+costPath,
			io.MultiReader(strings.NewReader(`{"csv": "`), body))
		req.ContentLength = length
		req.Header.Set("Authorization", "Bearer "+s.Key)
		rec := httptest.NewRecorder()
		s.Handler.ServeHTTP(rec, req)
		if rec.Code != http.StatusRequestEntityTooLarge || body.read > route.CSVBody+(1<<20) {
			t.Errorf("want 413 soon after the allowed length: %d after %d bytes: %.200s", rec.Code, body.read, rec.Body)
		}
	}
}

// A call stores a job, and the rows that the job will read.
func TestCorrectionCall(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	row := models.FormatClickID(models.NewClickID()) + ",1\n"
	for _, c := range []struct {
		path, kind string
		body       object
		rows       int
		apply      bool
	}{
		{conversionsPath, "correction:conversions", object{"csv": "click id,payout\n" + strings.Repeat(row, 5001)}, 5000, false},
		{conversionsPath, "correction:conversions", object{"csv": "click id,payout\n" + row, "apply": "true"}, 1, false},
		{conversionsPath, "correction:conversions", object{"csv": "click id,payout\n" + row, "apply": true}, 1, true},
		{costPath, "correction:costs", object{"csv": "day,source,spend\n2026-01-01,x,1\n", "apply": 1}, 1, false},
	} {
		a := s.Do("POST", c.path, c.body, "Prefer", "respond-async").Want(202, "")
		job := a.Map()["job"].(map[string]any)
		var stored struct {
			Kind, Args string
			Lines      int
		}
		err := s.DB.GetContext(t.Context(), &stored, `SELECT kind, args ->> 'apply' || ' ' || (args ->> 'truncated') AS args,
			length(convert_from(csv, 'UTF8')) - length(replace(convert_from(csv, 'UTF8'), chr(10), '')) - 1 AS lines
			FROM jobs JOIN corrections USING (id, account_id) WHERE id = $1 AND account_id = $2`, job["id"], s.Account.ID)
		want := fmt.Sprint(c.apply, " ", c.rows == 5000)
		if err != nil || stored.Kind != c.kind || stored.Lines != c.rows || stored.Args != want {
			t.Errorf("%v: %+v, want %s, %v", c.kind, stored, want, err)
		}
		dbtest.Exec(t, s.DB, `UPDATE jobs SET state = 'done', result = '{"dry_run": true, "total": 2, "accepted": 1, "refused": 1,
			"sum": "2.5", "truncated": true, "outcomes": [{"line": 2, "result": "refused", "reason": "x"}]}' WHERE id = $1`, job["id"])
		done := s.Do("GET", fmt.Sprint("/jobs/", job["id"]), nil).Want(200, "").Map()["result"].(map[string]any)
		sum := map[string]string{conversionsPath: "payout", costPath: "spend"}[c.path]
		same(t, done, map[string]any{
			"dryRun": true, "total": 2, "accepted": 1, "refused": 1, sum: 2.5, "truncated": true,
		})
		if list := done["outcomes"].([]any); list[0].(map[string]any)["reason"] != "x" {
			t.Errorf("the outcome of the first row lacks its reason: %v", done)
		}
	}
}

func TestOrphanedDeletion(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	r := newTrafficEnv(t, s, 20, 2)
	const path = "/reports/orphaned"
	gone, live := r.campaigns[0].String(), r.campaigns[1].String()
	s.Do("DELETE", "/campaigns/"+gone, nil).Want(200, "")
	many := make([]string, 101)
	for i := range many {
		many[i] = gone
	}
	for name, c := range map[string]struct {
		body   any
		status int
		code   string
	}{
		"missing":       {object{}, 400, "invalid_request"},
		"empty list":    {object{"campaign_ids": []string{}}, 400, "invalid_request"},
		"invalid id":    {object{"campaign_ids": []string{gone, "x"}}, 400, "invalid_request"},
		"empty id":      {object{"campaign_ids": []string{""}}, 400, "invalid_request"},
		"not a list":    {object{"campaign_ids": gone}, 400, "invalid_request"},
		"too many":      {object{"campaign_ids": many}, 400, "too_many"},
		"live campaign": {object{"campaign_ids": []string{gone, live}}, 409, "not_orphaned"},
		"not json":      {"x", 400, "bad_body"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.In(t).Do("DELETE", path, c.body).Want(c.status, c.code)
		})
	}
	s.As(s.ReadKey).Do("DELETE", path, object{"campaign_ids": []string{gone}}).Want(403, "read_only_key")
	a := s.Do("DELETE", path, object{"campaign_ids": []string{gone}}, "Prefer", "respond-async").Want(202, "")
	job := a.Map()["job"].(map[string]any)
	dbtest.Exec(t, s.DB, `UPDATE jobs SET state = 'done', result = args || '{"clicks": 7, "found": 1}' WHERE id = $1
		AND kind = 'orphans:clear' AND args -> 'of' = jsonb_build_array($2::text)`, job["id"], gone)
	done := s.Do("GET", fmt.Sprint("/jobs/", job["id"]), nil).Want(200, "").Map()
	same(t, done["result"].(map[string]any), map[string]any{"deleted": 1, "clicks": 7})
}

// A file is read in its own charset. The answer lists the lines that are not rows.
func TestLookAtFile(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	text := "Отчёт\nДень;Day;Source;Cost\nx;2026-11-01;Реклама;1,5\n"
	wide := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(text)) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	got := s.Do("POST", "/corrections/look", object{"kind": "cost", "file": base64.StdEncoding.EncodeToString(wide)}).Want(200, "").Map()
	same(t, got, map[string]any{"charset": "utf-16le", "text": text, "rows": 1, "skipped_lines": 1})
	header, skipped := got["header"].([]any), got["skipped"].([]any)
	if fmt.Sprint(header[1]) != "map[cell:Day column:day]" || fmt.Sprint(skipped[0]) != "map[last:1 line:1 reason:it is above the header text:Отчёт]" {
		t.Errorf("the column Day is not recognized, or the line above the header is not skipped: %v %v", header, skipped)
	}
	got = s.Do("POST", "/corrections/look", object{"csv": text}).Want(200, "").Map()
	same(t, got, map[string]any{"charset": "utf-8", "text": ""})
	if missing := got["missing"].([]any); len(missing) != 1 || missing[0] != "click id" {
		t.Errorf("want only the column click id missing: %v", missing)
	}
}
