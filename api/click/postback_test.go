package click

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/postback"
)

func (s *memorySpool) postback() *models.Postback {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.records); n > 0 {
		return s.records[n-1].Postback
	}
	return nil
}

func TestPostbackKeepsWhatWasSent(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	n := w.network().String()
	w.reload()
	kind := func(k string) []edit { return []edit{header("Content-Type", k)} }
	jsonBody, form, multi := kind("application/json"), kind("application/x-www-form-urlencoded"),
		kind("multipart/form-data; boundary=X")
	object := `{"click_id":"abc","payout":1.50,"x":null,"y":[1]}`
	parts := "--X\r\nContent-Disposition: form-data; name=\"cid\"\r\n\r\nabc\r\n--X--\r\n"
	for name, tt := range map[string]struct {
		method, target, body string
		edits                []edit
		params               map[string]string
		network              bool
	}{
		"query":      {"GET", "/postback?cid=abc&payout=1,5&x=%zz&x=2", "", nil, textMap("cid", "abc", "payout", "1,5"), false},
		"form":       {"POST", "/postback?cid=abc", "cid=no&status=a+b", form, textMap("cid", "abc", "status", "a b"), false},
		"json":       {"POST", "/postback", object, jsonBody, textMap("click_id", "abc", "payout", "1.50"), false},
		"plain json": {"POST", "/postback", ` {"subid":"abc"}`, nil, textMap("subid", "abc"), false},
		"multipart":  {"POST", "/postback", parts, multi, textMap("cid", "abc"), false},
		"network":    {"GET", "/postback/" + n + "?myclick=abc", "", nil, textMap("myclick", "abc"), true},
		"no click":   {"GET", "/postback?payout=1", "", nil, textMap("payout", "1"), false},
		"macro":      {"GET", "/postback?clickid={clickid}", "", nil, textMap("clickid", "{clickid}"), false},
		"controls":   {"GET", "/postback?clickid=a%00b%0d%0a&s=%ff", "", nil, textMap("clickid", "a\ufffdb"), false},
		"other host": {"GET", "/postback?clickid=abc", "", []edit{host("elsewhere.test")}, textMap("clickid", "abc"), false},
	} {
		res := w.send(tt.method, tt.target, tt.body, tt.edits...)
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != 200 || strings.TrimSpace(string(body)) != `{"data":{"result":"accepted"},"error":null}` {
			t.Errorf("%s: the answer is %d %s, want 200 with the result accepted", name, res.StatusCode, body)
			continue
		}
		p := w.spool.postback()
		if !maps.Equal(p.Params, tt.params) || p.Source != "postback" || p.IP.String() != "8.8.8.8" {
			t.Errorf("%s: the stored postback is %+v, want the parameters %v", name, p, tt.params)
		}
		if tt.network != (p.NetworkID.String() == n) || tt.network != (p.AccountID == w.account) {
			t.Errorf("%s: the postback is stored with the network %s of the account %s, want a network and an account: %v", name, p.NetworkID, p.AccountID, tt.network)
		}
	}
}

// textMap returns a map of a list in which each name is followed by its value.
func textMap(pairs ...string) map[string]string {
	r := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		r[pairs[i]] = pairs[i+1]
	}
	return r
}

func TestPostbackRefuses(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	n := w.network()
	foreign := w.newAccount()
	dbtest.Exec(w, w.db, `INSERT INTO domains (id, account_id, host, is_verified) VALUES ($1, $2, 'foreign.test', true)`, uuid.New(), foreign)
	w.reload()
	for name, tt := range map[string]struct {
		method, target, body string
		edits                []edit
		status               int
		code                 string
	}{
		"nothing":          {"GET", "/postback", "", nil, 400, "click_id_required"},
		"unknown network":  {"GET", "/postback/" + uuid.NewString() + "?clickid=a", "", nil, 404, "not_found"},
		"no network":       {"GET", "/postback/x?clickid=a", "", nil, 404, "not_found"},
		"foreign network":  {"GET", "/postback/" + n.String() + "?clickid=a", "", []edit{host("foreign.test")}, 404, "not_found"},
		"method":           {"PUT", "/postback?clickid=a", "", nil, 405, "method_not_allowed"},
		"body too large":   {"POST", "/postback?clickid=a", strings.Repeat("a=b&", 20000), nil, 413, "too_large"},
		"broken json":      {"POST", "/postback?clickid=a", `{"a"`, nil, 400, "bad_body"},
		"broken multipart": {"POST", "/postback?clickid=a", "x", []edit{header("Content-Type", "multipart/form-data")}, 400, "bad_body"},
	} {
		res := w.send(tt.method, tt.target, tt.body, tt.edits...)
		body, _ := io.ReadAll(res.Body)
		var got struct {
			Data  any               `json:"data"`
			Error map[string]string `json:"error"` // message and code: the error's kind must not be in the answer
		}
		err := json.Unmarshal(body, &got)
		if err != nil || res.StatusCode != tt.status || got.Data != nil || got.Error["code"] != tt.code || len(got.Error) != 2 {
			t.Errorf("%s: the answer is %d %s, want %d %s, error %v", name, res.StatusCode, body, tt.status, tt.code, err)
		}
	}
	if p := w.spool.postback(); p != nil {
		t.Errorf("a refused postback is stored: %+v", p)
	}
	for target, want := range map[string]int{
		"/postback?clickid=a": 200, "/postback": 200, "/postback/" + n.String(): 200, "/postback/" + uuid.NewString(): 404,
	} {
		if res := w.send(http.MethodHead, target, ""); res.StatusCode != want || w.spool.postback() != nil {
			t.Errorf("HEAD %s gets the status %d, want %d and nothing stored", target, res.StatusCode, want)
		}
	}
	if res := w.send(http.MethodPut, "/postback", ""); res.Header.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("PUT is answered with the allowed methods %q, want GET, HEAD, POST", res.Header.Get("Allow"))
	}
}

// proof returns the opened proof of the last postback.
func (w *env) proof() postback.Proof {
	w.Helper()
	p := w.spool.postback()
	proof, err := storeOn(w.db).OpenProof(w.Context(), p.ID, p.Proof)
	if err != nil {
		w.Fatal(err)
	}
	return proof
}

func TestPostbackKeepsSignature(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := models.FormatClickID(models.NewClickID())
	w.send("POST", "/postback?clickid="+id, "payout=3", header("X-Signature", "ab"))
	if p := w.proof(); p.Signature != "ab" || p.SignedText != "payout=3" {
		t.Errorf("the stored proof is %+v, want the signature ab of the body", p)
	}
	w.get("/postback?clickid="+id+"&payout=%33", header("X-Signature", "cd"))
	if p := w.proof(); p.Signature != "cd" || p.SignedText != "clickid="+id+"&payout=%33" {
		t.Errorf("the stored proof is %+v, want the signature cd of the query as sent", p)
	}
}

// TestSecretsAreNotSpooled sends a secret in many ways, and searches for it on the disk and in the database.
func TestSecretsAreNotSpooled(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	network := w.network()
	dbtest.Exec(w, w.db, `UPDATE networks SET postback_params = '{"click_id": "myclick", "secret": "Pass", "payout": "comm"}' WHERE id = $1`, network)
	w.reload()
	dir := t.TempDir()
	disk, err := spool.Open(dir, spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	w.h.postbacks = both{disk, w.spool}
	const canary = "c4nary-of-a-secret"
	id := models.FormatClickID(models.NewClickID())
	named, plain := "/postback/"+network.String()+"?myclick="+id, "/postback?clickid="+id
	for name, tt := range map[string]struct {
		target, body, header string
		shown                map[string]string // the parameters that are not sealed
	}{
		"a usual name":                      {plain + "&payout=2&KEY=" + canary, "", "", textMap("clickid", id, "payout", "2")},
		"the network's own name":            {named + "&comm=2&pass=" + canary, "", "", textMap("myclick", id, "comm", "2")},
		"both names":                        {named + "&pass=x&secret=" + canary, "", "", textMap("myclick", id)},
		"the own name, without the network": {plain + "&sub1=s&pass=" + canary, "", "", textMap("clickid", id, "sub1", "s")},
		"signed":                            {plain, "goal=g&key=" + canary, "sha256=" + canary, textMap("clickid", id, "goal", "g")},
		"no click":                          {"/postback?payout=1&pass=" + canary, "", canary, textMap("payout", "1")},
		"JSON":                              {plain, `{"goal": "g", "secret": "` + canary + `"}`, "", textMap("clickid", id, "goal", "g")},
		"not a click":                       {"/postback?clickid=x&secret=" + canary, "", "", textMap("clickid", "x")},
	} {
		method := http.MethodGet
		if tt.body != "" {
			method = http.MethodPost
		}
		if res := w.send(method, tt.target, tt.body, header("X-Signature", tt.header)); res.StatusCode != 200 {
			t.Errorf("%s: the status is %d, want 200", name, res.StatusCode)
		}
		p := w.spool.postback()
		if !maps.Equal(p.Params, tt.shown) || strings.Contains(fmt.Sprint(p), canary) {
			t.Errorf("%s: stored unsealed: %+v", name, p)
		}
		proof := w.proof()
		// A postback that names no click keeps the secret too, because the settings of its network may be corrected later.
		if !strings.Contains(fmt.Sprint(proof), canary) {
			t.Errorf("%s: the proof has no secret: %+v", name, proof)
		}
		if strings.HasPrefix(p.Unmatched, "it names no") && !strings.HasSuffix(p.Unmatched, "not shown: pass") {
			t.Errorf("%s: the reason does not name the sealed parameter: %s", name, p.Unmatched)
		}
	}
	if err := ingest.NewIngester(disk, w.db, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Get[int](w, w.db, `SELECT count(*) FROM postbacks`); n != 8 {
		t.Errorf("%d postbacks are stored, want 8", n)
	}
	if n := dbtest.Get[int](w, w.db, `SELECT count(*) FROM postbacks p, jobs j WHERE strpos(p::text || j::text, $1) > 0`, canary); n != 0 {
		t.Errorf("the secret is in %d rows, want none", n)
	}
	segments := 0 // files with the postbacks
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(canary)) {
			t.Errorf("the secret is in %s", path)
		}
		if bytes.Contains(text, []byte("myclick")) {
			segments++
		}
		return err
	})
	if err != nil || segments == 0 {
		t.Errorf("%d segments are on the disk, want at least one, error %v", segments, err)
	}
}

// TestSecretsUnderOtherNames sends a secret in a parameter whose name usually means another field, such as sub5, and inside JSON
// objects and lists. All are sealed, the parameter because the settings of a network say that it holds the network's secret.
func TestSecretsUnderOtherNames(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	n, foreign := w.network().String(), w.newAccount()
	dbtest.Exec(w, w.db, `INSERT INTO networks (id, account_id, name, postback_params) VALUES
		(gen_random_uuid(), $1, 'a', '{"secret": "sub5"}'), (gen_random_uuid(), $1, 'b', '{"secret": " CID "}'),
		(gen_random_uuid(), $2, 'c', '{"secret": "goal"}')`, w.account, foreign)
	w.reload()
	const canary = "c4nary-of-a-secret"
	id := models.FormatClickID(models.NewClickID())
	onOwnHost := []edit{host(ownHost)}
	for name, tt := range map[string]struct {
		target, body string
		edits        []edit
		shown        map[string]string // the parameters that are not sealed
	}{
		"no network":                           {"/postback?clickid=" + id + "&Sub5=" + canary, "", nil, textMap("clickid", id)},
		"another network":                      {"/postback/" + n + "?myclick=" + id + "&sub5=" + canary, "", nil, textMap("myclick", id)},
		"a domain of the account":              {"/postback?goal=g&clickid=" + id + "&cid=" + canary, "", onOwnHost, textMap("goal", "g", "clickid", id)},
		"the name of another account":          {"/postback?clickid=" + id + "&goal=" + canary, "", nil, textMap("clickid", id)},
		"the click under the name of a secret": {"/postback?cid=" + id + "&sub5=" + canary, "", onOwnHost, textMap()},
		"a secret under the name of a click":   {"/postback?cid=" + canary, "", onOwnHost, textMap()},
		"in an object":                         {"/postback?clickid=" + id, `{"type": {"secret": "` + canary + `"}}`, nil, textMap("clickid", id)},
		"in a list":                            {"/postback?clickid=" + id, `{"type": [" ", ["` + canary + `"]]}`, nil, textMap("clickid", id)},
		"in an object, as text":                {"/postback?clickid=" + id + `&type={"a":"` + canary + `"`, "", nil, textMap("clickid", id)},
	} {
		method := http.MethodGet
		if tt.body != "" {
			method = http.MethodPost
		}
		if res := w.send(method, tt.target, tt.body, tt.edits...); res.StatusCode != 200 {
			t.Errorf("%s: the status is %d, want 200", name, res.StatusCode)
		}
		p := w.spool.postback()
		if !maps.Equal(p.Params, tt.shown) || strings.Contains(fmt.Sprint(p), canary) {
			t.Errorf("%s: stored unsealed: %+v", name, p)
		}
		if text := models.FormatClickID(p.ClickID); text != id && strings.Contains(tt.target, id) {
			t.Errorf("%s: the click is %s, want %s", name, text, id)
		}
		if !strings.Contains(fmt.Sprint(w.proof()), canary) {
			t.Errorf("%s: the secret is not in the proof", name)
		}
	}
	dbtest.Exec(w, w.db, `DELETE FROM networks`)
	w.reload()
	w.get("/postback?clickid=" + id + "&goal=g")
	if p := w.spool.postback(); !maps.Equal(p.Params, textMap("clickid", id, "goal", "g")) {
		t.Errorf("without networks no parameter may be sealed: %+v", p)
	}
	w.h.routes = routing.NewRefresher(w.db, "")
	w.get("/postback?clickid=" + id + "&goal=g")
	if p := w.spool.postback(); len(p.Params) != 0 || w.proof().Params["goal"] != "g" {
		t.Errorf("without a routing snapshot all parameters must be sealed: %+v", p)
	}
}

// both is a Recorder that stores each record in two spools.
type both [2]Recorder

func (b both) Append(ctx context.Context, r spool.Record) error {
	return errors.Join(b[0].Append(ctx, r), b[1].Append(ctx, r))
}

func TestPixel(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("summer-sale", nil, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.reload()
	const gifBytes = 43 // a transparent GIF of one pixel
	res := w.get("/pixel.gif?payout=2")
	if body, _ := io.ReadAll(res.Body); res.StatusCode != 200 || len(body) != gifBytes || w.spool.postback() != nil {
		t.Errorf("a pixel without a click gets the status %d with %d bytes, want the picture; it stores %+v, want nothing",
			res.StatusCode, len(body), w.spool.postback())
	}
	if res.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" { // a shop with Cross-Origin-Embedder-Policy: require-corp embeds it
		t.Errorf("the headers do not allow a page of another site to embed the pixel: %v", res.Header)
	}
	clicked := w.get("/summer-sale")
	w.get("/pixel.gif?payout=2&clickid=other", withCookies(clicked.Cookies()))
	p := w.spool.postback()
	if p == nil || p.Source != "pixel" || p.Params["clickid"] != models.FormatClickID(w.spool.last().ID) || p.Params["payout"] != "2" {
		t.Errorf("the pixel is stored as %+v, want the click of the cookie", p)
	}
}

// TestPostbackAnswer checks the answers that networks demand.
func TestPostbackAnswer(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	plain, answering := w.network().String(), w.network().String()
	dbtest.Exec(w, w.db, `UPDATE networks SET answer_text = 'GOT IT' WHERE id = $1`, answering)
	w.reload()
	const accepted = `{"data":{"result":"accepted"},"error":null}` + "\n"
	form := header("Content-Type", "application/x-www-form-urlencoded")
	for _, c := range []struct {
		method, target, body string
		status               int
		want                 string
	}{
		{"GET", "/postback?cid=abc&return=OK", "", 200, "OK"},
		{"POST", "/postback?cid=abc", "return=1", 200, "1"},
		{"GET", "/postback/" + plain + "?cid=abc", "", 200, accepted},
		{"GET", "/postback/" + answering + "?cid=abc", "", 200, "GOT IT"},
		{"GET", "/postback/" + answering + "?cid=abc&return=OK", "", 200, "OK"},
		{"HEAD", "/postback/" + answering, "", 200, "GOT IT"},
		{"GET", "/postback?cid=abc&return=<script>alert(1)</script>", "", 200, accepted},
		{"GET", "/postback?cid=abc&return=" + strings.Repeat("x", 201), "", 200, accepted},
		{"GET", "/postback/" + uuid.NewString() + "?return=OK", "", 404, `"code":"not_found"`},
		{"PUT", "/postback?return=OK", "", 405, `"code":"method_not_allowed"`},
	} {
		res := w.send(c.method, c.target, c.body, form)
		body, _ := io.ReadAll(res.Body)
		if exact := c.status == 200; res.StatusCode != c.status || exact && string(body) != c.want || !strings.Contains(string(body), c.want) {
			t.Errorf("%s %.60s: %d %s, want %d %s", c.method, c.target, res.StatusCode, body, c.status, c.want)
		}
		kind := "application/json"
		if c.status == 200 && c.want != accepted {
			kind = "text/plain; charset=utf-8"
		}
		if res.Header.Get("Content-Type") != kind || res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %.60s is answered with the headers %v, want the type %s and nosniff", c.method, c.target, res.Header, kind)
		}
	}
	w.send("GET", "/postback?cid=abc&return=OK", "")
	if p := w.spool.postback(); len(p.Proof) > 0 || p.Params["return"] != "OK" {
		t.Errorf("the parameter return is hidden like a secret: %+v", p)
	}
}
