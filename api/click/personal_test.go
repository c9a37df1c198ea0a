package click

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/ingest"
	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/matchkey"
)

const (
	rawCanary = "c4nary.person@example.com"
	rawPhone  = "020 7946 0958"
)

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// withDisk makes the env write postbacks and events to a spool too. It returns a function that moves them from the spool into
// PostgreSQL and counts the files and rows that contain a text.
func (w *env) withDisk(t *testing.T) (search func(text string) (files, rows int)) {
	t.Helper()
	dir := t.TempDir()
	disk, err := spool.Open(dir, spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disk.Close() })
	w.h.postbacks = both{disk, w.spool}
	return func(text string) (files, rows int) {
		t.Helper()
		if err := ingest.NewIngester(disk, w.db, ingest.Options{}).Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if bytes.Contains(bytes.ToLower(content), []byte(text)) {
				files++
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"postbacks", "site_events", "jobs", "conversion_match_keys", "clicks"} {
			rows += dbtest.Get[int](w, w.db, `SELECT count(*) FROM `+table+` t WHERE strpos(lower(t::text), $1) > 0`, text)
		}
		return files, rows
	}
}

// checkHidden checks that neither the raw nor the hashed personal data are on the disk or in a row. To prove that the search works, it
// also searches for inClear, a text that is stored unsealed.
func checkHidden(t *testing.T, search func(string) (int, int), inClear string) {
	t.Helper()
	for _, text := range []string{"c4nary", "79460958", "7946 0958", sha(rawCanary), sha("c4naryperson@example.com"), sha("+442079460958"), sha("442079460958")} {
		if files, rows := search(text); files+rows > 0 {
			t.Errorf("the personal data %q are in %d files and %d rows, want none", text, files, rows)
		}
	}
	if files, rows := search(inClear); files == 0 || rows == 0 {
		t.Errorf("the search finds %q, which is stored unsealed, in %d files and %d rows, want at least one of each", inClear, files, rows)
	}
}

func (w *env) storedClick(t *testing.T, country string) uuid.UUID {
	t.Helper()
	disk, err := spool.Open(t.TempDir(), spool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	c := &models.Click{ID: models.NewClickID(), AccountID: w.account, CampaignID: uuid.New(), UniqueHours: 24, Visitor: models.Visitor{Country: country}}
	if err := disk.Append(t.Context(), spool.Record{Click: c}); err != nil {
		t.Fatal(err)
	}
	if err := ingest.NewIngester(disk, w.db, ingest.Options{}).Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// TestPersonalDataOfPostbacks sends personal data in postbacks of several forms.
func TestPersonalDataOfPostbacks(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	search := w.withDisk(t)
	click := models.FormatClickID(w.storedClick(t, "GB"))
	target := "/postback?clickid=" + click + "&sub1=inclear"
	person := "&email=C4nary.Person%40Example.com&ph=020+7946+0958&zip=&consent="
	for name, tt := range map[string]struct {
		target, body, signature string
		marks                   map[string]string // what the log shows in place of the values of parameters
		email, phone            bool              // whether the hash of the e-mail address, and of the phone number, is stored
		denied                  bool
	}{
		"consent":        {target + person + "granted", "", "", textMap("email", "(hashed)", "ph", "(hashed)"), true, true, false},
		"refused":        {target + person + "denied", "", "", textMap("email", "(not kept: the person has not agreed)", "ph", "(not kept: the person has not agreed)"), false, false, true},
		"no word":        {target + person, "", "", textMap("email", "(not kept: nothing says that the person has agreed: send consent=granted)"), false, false, false},
		"no address":     {target + "&consent=1&em=c4nary", "", "", textMap("em", "(not kept: it is no e-mail address)"), false, false, false},
		"macro":          {target + "&consent=1&em={email}", "", "", textMap("em", "{email}"), false, false, false},
		"form":           {target, "email=" + rawCanary + "&consent=true", "", textMap("email", "(hashed)"), true, false, false},
		"JSON":           {target, `{"EMAIL": "` + rawCanary + `", "consent": "granted", "phone": "+44 ` + rawPhone[1:] + `"}`, "", textMap("EMAIL", "(hashed)", "phone", "(hashed)"), true, true, false},
		"record":         {target, `{"consent": "granted", "user": {"email": "` + rawCanary + `", "phone": "+44 ` + rawPhone[1:] + `", "shoe": 9}}`, "", textMap("user[email]", "(hashed)", "user[phone]", "(hashed)", "user[shoe]", "9"), true, true, false},
		"broken record":  {target, `{"consent": "granted", "user": {"email": ["` + rawCanary + `"], "ph": "` + rawPhone + `"}}`, "", textMap("user[email]", "(not kept: it is neither a text nor a number)", "user[ph]", "(hashed)"), false, true, false},
		"signed record":  {target, `{"consent": "granted", "user": {"email": "` + rawCanary + `"}}`, "sha256=00", textMap("user[email]", "(hashed)"), true, false, false},
		"hashed already": {target + "&consent=granted&email=" + strings.ToUpper(sha(rawCanary)), "", "", textMap("email", "(hashed)"), true, false, false},
		"signed":         {target, "consent=granted&email=" + rawCanary, "sha256=00", textMap("email", "(hashed)"), true, false, false},
		"without click":  {"/postback?sub1=inclear" + person + "granted", "", "", textMap("email", "(hashed)", "ph", "(not kept: it has no country code, and the country is not known)"), true, false, false},
		"pixel":          {"/pixel.gif?clickid=" + click + "&consent=granted&email=" + rawCanary, "", "", textMap("email", "(hashed)"), true, false, false},
	} {
		method := http.MethodGet
		if tt.body != "" {
			method = http.MethodPost
		}
		if res := w.send(method, tt.target, tt.body, header("X-Signature", tt.signature)); res.StatusCode != 200 {
			t.Errorf("%s: the status is %d, want 200", name, res.StatusCode)
		}
		p, proof := w.spool.postback(), w.proof()
		for param, want := range tt.marks {
			if got := proof.Params[param]; got != want {
				t.Errorf("%s: %s is %q, want %q", name, param, got, want)
			}
		}
		stored := models.Personal{}
		if proof.Personal != nil {
			stored = *proof.Personal
		}
		if (stored.Keys.Email == sha(rawCanary)) != tt.email || (stored.Keys.Phone == sha("+442079460958")) != tt.phone || stored.ConsentDenied != tt.denied {
			t.Errorf("%s: the stored keys are %v, consent denied: %v; want an email %v, a phone %v, denied %v",
				name, stored.Keys.Names(), stored.ConsentDenied, tt.email, tt.phone, tt.denied)
		}
		if tt.email && !p.HasPersonalData {
			t.Errorf("%s: the proof has personal data, but is not marked for deletion", name)
		}
		if text := fmt.Sprintf("%+v %+v", p, proof); strings.Contains(strings.ToLower(text), "c4nary") && tt.signature == "" {
			t.Errorf("%s: the raw value is stored: %s", name, text)
		}
	}
	checkHidden(t, search, "inclear")
}

// TestMappedParametersAreNoPersonalData: a network may send one of its fields in a parameter whose name otherwise means personal data,
// such as a conversion id in the parameter email. The value of such a parameter is not hashed.
func TestMappedParametersAreNoPersonalData(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	network := w.network()
	dbtest.Exec(w, w.db, `UPDATE networks SET postback_params = '{"click_id": "myclick", "conversion_id": "Email"}' WHERE id = $1`, network)
	w.reload()
	id := models.FormatClickID(models.NewClickID())
	w.get("/postback/" + network.String() + "?myclick=" + id + "&email=order-17&consent=granted&city=Rome")
	if p := w.spool.postback(); p.Params["email"] != "order-17" || w.proof().Params["city"] != "(hashed)" {
		t.Errorf("the stored parameters are %+v, want the mapped email as sent and the city replaced by a mark", p.Params)
	}
}

// keysOf decrypts the hashed personal data of an event.
func (w *env) keysOf(e models.SiteEvent) (h matchkey.Hashes) {
	w.Helper()
	if len(e.Keys) == 0 {
		return h
	}
	h, err := storeOn(w.db).OpenKeys(w.Context(), w.account, e.ID, e.Keys)
	if err != nil {
		w.Fatal(err)
	}
	return h
}

// TestPersonalDataOfServerGoals sends personal data with goals of a server.
func TestPersonalDataOfServerGoals(t *testing.T) {
	t.Parallel()
	w, secret := goalServers(t)
	search := w.withDisk(t)
	click := models.FormatClickID(w.storedClick(t, "GB"))
	goal := func(id, rest string) string {
		return fmt.Sprintf(`{"click_id": %q, "goal": "lead", "order_id": "inclear", "event_id": %q, %s}`, click, id, rest)
	}
	body := "[" + strings.Join([]string{
		goal("1", `"consent": "granted", "user": {"email": "`+rawCanary+`", "phone": "`+rawPhone+`", "zip": "SW1A 1AA", "shoe": 9}`),
		goal("2", `"user": {"email": "`+rawCanary+`"}`),
		goal("3", `"consent": false, "user": {"email": "`+rawCanary+`"}`),
		goal("4", `"consent": "granted", "user": ["`+rawCanary+`"]`),
		goal("5", `"consent": "granted", "user": {"email": "c4nary"}`),
		goal("6", `"consent": "granted", "user": "`+rawCanary+`"`),
		goal("7", `"consent": "granted", "user": {"em": ["`+rawCanary+`"], "ph": "`+rawPhone+`", "`+rawCanary+`": {}}`),
		goal("8", `"consent": "granted", "user": null`),
	}, ", ") + "]"
	res := w.send("POST", "/t/goal", body, auth(secret))
	var got struct{ Data goalReply }
	if json.NewDecoder(res.Body).Decode(&got) != nil || got.Data.Accepted != 8 || got.Data.Refused != 0 {
		t.Fatalf("the goals are answered %d %+v, want all 8 accepted", res.StatusCode, got)
	}
	for i, want := range []string{
		"[{shoe there is no such key}]", "[{email nothing says that the person has agreed: send consent=granted}]",
		"[{email the person has not agreed}]", "[{user it is no object of texts and numbers}]", "[{email it is no e-mail address}]",
		"[{user it is no object of texts and numbers}]", "[{email it is neither a text nor a number}]", "[]",
	} {
		if notKept := fmt.Sprint(got.Data.Results[i].NotKept); notKept != want {
			t.Errorf("goal %d: not kept %s, want %s", i+1, notKept, want)
		}
	}
	events := w.spool.events()
	if len(events) != 8 {
		t.Fatalf("%d events are stored, want 8", len(events))
	}
	for _, e := range events {
		if e.ID == models.SiteEventID(w.account, models.FromGoalAPI, "event 7") && w.keysOf(e).Phone != sha("+442079460958") {
			t.Error("the phone number is not stored when the e-mail address cannot be read")
		}
	}
	for _, e := range events {
		h := w.keysOf(e)
		if first := strings.HasPrefix(e.KeyNames, "email"); first && (h.Email != sha(rawCanary) || h.Phone != sha("+442079460958") || h.Zip != sha("sw1a1") || e.KeyNames != "email,phone,zip") {
			t.Errorf("the first goal is stored with the keys %s, %v, want email, phone and zip", e.KeyNames, h.Names())
		}
	}
	checkHidden(t, search, "inclear")
	if names := dbtest.Get[string](w, w.db, `SELECT coalesce(string_agg(names::text, ' '), '') FROM conversion_match_keys WHERE names <> '{}'`); names != "" {
		t.Errorf("goal 3 refuses consent, but keys of its click are still stored: %s", names)
	}
}

// TestEventIDIsNoHashOfPersonalData sends the same goal without an id three times: with two different e-mail addresses, and with
// empty personal data. All three get the same event id.
func TestEventIDIsNoHashOfPersonalData(t *testing.T) {
	t.Parallel()
	w, secret := goalServers(t)
	click := models.FormatClickID(models.NewClickID())
	ids := map[uuid.UUID]bool{}
	for _, user := range []string{`, "user": {"email": "a@example.com"}`, `, "user": {"email": "b@example.com"}`, `, "User": {}`} {
		w.goals(fmt.Sprintf(`{"click_id": %q, "goal": "lead"%s}`, click, user), auth(secret))
	}
	for _, e := range w.spool.events() {
		ids[e.ID] = true
	}
	if len(ids) != 1 {
		t.Errorf("the same event is stored with %d ids, want 1", len(ids))
	}
}

// TestPersonalDataOfPages sends personal data with events of the page tag.
func TestPersonalDataOfPages(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.site("shop.test", "")
	w.reload()
	search := w.withDisk(t)
	click := w.storedClick(t, "GB")
	event := func(id, rest string) string {
		return fmt.Sprintf(`{"id": %q, "name": "lead", "url": "shop.test/inclear", "click": %q, %s}`, id, models.FormatClickID(click), rest)
	}
	british := peer("81.2.69.142:80") // in the United Kingdom
	if status, code := w.postEvents(event("0", `"ref": "https://x.test/to/`+rawCanary+`?e=`+rawCanary+`"`), british); status != 204 {
		t.Errorf("an event with an e-mail address in its referrer is answered %d %s, want 204", status, code)
	}
	if status, code := w.postEvents(event("1", `"consent": "granted", "user": {"email": "`+rawCanary+`", "phone": "`+rawPhone+`"}`), british); status != 204 {
		t.Errorf("an event with a person's data and consent is answered %d %s, want 204", status, code)
	}
	for user, want := range map[string]string{
		`"user": {"email": "` + rawCanary + `"}`:    "[{0 {email nothing says that the person has agreed: send consent=granted}}]",
		`"consent": "granted", "user": "c4nary"`:    "[{0 {user it is no object of texts and numbers}}]",
		`"consent": "granted", "user": {"zip": []}`: "[{0 {zip it is neither a text nor a number}}]",
	} {
		body := fmt.Sprintf(`{"site": %q, "events": [%s]}`, w.account, event(uuid.NewString(), user))
		res := w.send("POST", "/t/event", body, british)
		var got struct{ Data eventsReply }
		if json.NewDecoder(res.Body).Decode(&got) != nil || res.StatusCode != 200 || got.Data.Accepted != 1 || fmt.Sprint(got.Data.NotKept) != want || got.Data.Refused == nil {
			t.Errorf("%s: the answer is %d %+v, want one accepted event without %s", user, res.StatusCode, got, want)
		}
	}
	var withKeys uuid.UUID
	for _, e := range w.spool.events() {
		if h := w.keysOf(e); h.Email == sha(rawCanary) && h.Phone == sha("+442079460958") {
			withKeys = e.ID
		}
	}
	checkHidden(t, search, "inclear")
	const stored = `SELECT count(*) FROM conversion_match_keys WHERE account_id = $1 AND click_id = $2 AND names = '{email,phone}' AND id = $3`
	if n := dbtest.Get[int](w, w.db, stored, w.account, click, withKeys); n != 1 {
		t.Errorf("%d rows have both hashes of the click, want 1", n)
	}
	const kept = `SELECT count(*) FROM conversion_match_keys WHERE names <> '{}'`
	w.postEvents(event("1", `"consent": "denied"`), british) // the page repeats the event
	search("")
	if n := dbtest.Get[int](w, w.db, kept); n != 0 {
		t.Errorf("%d rows have hashes after the consent was withdrawn, want none", n)
	}
}
